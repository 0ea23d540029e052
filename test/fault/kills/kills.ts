import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from '../../support/child.ts'
import { until } from '../../support/until.ts'
import type { Template } from '../template.ts'
import { CORRIDORS, LANES } from '../world.ts'
import { embedded, external, type Victim } from './victim.ts'

/** The name of this fault for `--only`. */
export const KILLS = 'database-kills'
const KILLS_MAX = { small: 5, full: 100 }
/** The longest time that the server runs before it is killed again. */
const LIFE_MS_MAX = 800
const HISTORY_READERS = 8
const LIVE_READERS = 2
const REST_MS = 10
const WAIT_MS_MAX = 15_000
const STOP_MS_MAX = 12_000
const LINES_SHOWN = 10

const VICTIMS = { embedded, external }

/** Outcome for a service whose database was killed. */
type Outcome = {
  readonly what: string
  readonly kills: number
  /** The number of its processes that ended. */
  ends: number
  live: number
  failed: number
  history: number
  away: number
  /** Responses that were neither a success nor `database_unavailable`. */
  readonly wrong: string[]
}

type Stage = {
  readonly template: Template
  readonly folder: string
  readonly isSmall: boolean
}

/**
 * Kills the database at random times under reads of history: embedded and external, each with and
 * without workers; all in parallel in the small run.
 */
export async function playKills(stage: Stage): Promise<Outcome[]> {
  const cases = (['embedded', 'external'] as const).flatMap((kind) =>
    [1, 2].map((workers) => ({
      what: `${kind}, ${workers === 1 ? 'one process' : `${workers} workers`}`,
      ...{ kind, workers },
    })),
  )
  const outcome = async (one: Case) => {
    const folder = join(stage.folder, `kills-${one.kind}-${one.workers}`)
    await mkdir(folder, { mode: 0o755 })
    const played = await playedCase({ ...stage, folder }, one)
    await rm(folder, { recursive: true, force: true })
    return played
  }
  if (stage.isSmall) return Promise.all(cases.map(outcome))
  return Array.fromAsync(cases, outcome)
}

type Case = {
  readonly what: string
  readonly kind: keyof typeof VICTIMS
  readonly workers: number
}

async function playedCase(stage: Stage, { what, kind, workers }: Case): Promise<Outcome> {
  const { template, folder, isSmall } = stage
  const victim = await VICTIMS[kind](template, folder)
  const kills = isSmall ? KILLS_MAX.small : KILLS_MAX.full
  const counts = { ends: 0, live: 0, failed: 0, history: 0, away: 0 }
  const outcome: Outcome = { what, kills, ...counts, wrong: [] }
  const service = await Service.start(victim, { folder, workers, outcome })
  const readers = new Readers(service, { key: template.keys.live.key, outcome })
  try {
    for (let i = 0; i < kills; i++) {
      await delay(Math.random() * LIFE_MS_MAX)
      await victim.kill()
      await victim.back()
    }
    await readers.recovery()
  } catch (error) {
    outcome.wrong.push((error as Error).message, ...(await service.lastLines()))
  } finally {
    await readers.stop()
    await service.stop()
    await victim.stop()
  }
  console.error(`${KILLS}, ${what}: ${Math.round(performance.now() / 1000)} s`)
  return outcome
}

/** A service that is restarted when it ends, and counts its ends. */
class Service {
  origin = ''
  #child: Bun.Subprocess<'ignore', 'pipe'> | null = null
  #isStopping = false

  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly logPath: string,
    private readonly outcome: Outcome,
  ) {}

  static async start(
    victim: Victim,
    about: { folder: string; workers: number; outcome: Outcome },
  ): Promise<Service> {
    const env = {
      ...{ PATH: process.env.PATH ?? '', PORT: '0', WORKERS: String(about.workers) },
      ...{
        REFERENCE_FEED: 'none',
        QUOTE_SUSPECT_PCT: 'off',
        QUOTE_IMPLAUSIBLE_TIMES: 'off',
        MID_MAX_AGE: '30d',
        LOG_FORMAT: 'json',
        LOG_LEVEL: 'warn',
      },
      ...{ QUOTA_ENTERPRISE: '1000000000', SHUTDOWN_DELAY: 'off' },
      ...victim.settings,
    }
    const service = new Service(env, join(about.folder, 'service.log'), about.outcome)
    await service.#begin()
    return service
  }

  async lastLines(): Promise<string[]> {
    const lines = (await readFile(this.logPath, 'utf8')).trimEnd().split('\n')
    return lines.slice(-LINES_SHOWN)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const child = this.#child!
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
    const status = await child.exited
    clearTimeout(timer)
    if (status !== 0)
      this.outcome.wrong.push(`it stopped with ${status}`, ...(await this.lastLines()))
    const log = await readFile(this.logPath, 'utf8')
    this.outcome.ends += log.split('"msg":"a worker ended"').length - 1
    for (const line of log.split('\n'))
      if (/uncaught|a worker ended/.test(line)) this.outcome.wrong.push(line.slice(0, 300))
  }

  async #begin(): Promise<void> {
    const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'serve'], {
      env: this.env,
      stdio: ['ignore', 'pipe', Bun.file(this.logPath)],
    })
    this.#child = child
    let said = ''
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk)
      if (said.includes('\n')) break
    }
    const url = /answers at (\S+)/.exec(said)?.[1]
    if (!url) throw new Error(`it did not start: ${await readFile(this.logPath, 'utf8')}`)
    this.origin = url
    child.exited.then(
      async (status) => {
        if (this.#isStopping) return
        this.outcome.ends += 1
        this.outcome.wrong.push(`it ended with ${status}`)
        await this.#begin().catch((error: Error) => this.outcome.wrong.push(error.message))
      },
      () => {},
    )
  }
}

/** Clients that request live prices and history, almost without pause. */
class Readers {
  readonly #working: Promise<void>[]
  #isOver = false

  constructor(
    private readonly service: Service,
    private readonly about: { readonly key: string; readonly outcome: Outcome },
  ) {
    const live = Array.from({ length: LIVE_READERS }, () => this.#repeat(() => this.#readLive()))
    const history = Array.from({ length: HISTORY_READERS }, () =>
      this.#repeat(async () => void (await this.#readHistory())),
    )
    this.#working = [...live, ...history]
  }

  /** Resolves when history is served again. */
  recovery(): Promise<void> {
    return until('history', async () => (await this.#readHistory()) === 200)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#working)
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await work()
      await delay(REST_MS * Math.random())
    }
  }

  /** Uses a connection of its own each time, so that every worker gets requests. */
  async #readLive(): Promise<void> {
    const { outcome } = this.about
    const status = await this.#ask(`/rates?${pair(CORRIDORS)}`, { connection: 'close' })
    outcome.live += 1
    if (status !== 200) outcome.failed += 1
  }

  async #readHistory(): Promise<number> {
    const { outcome } = this.about
    const status = await this.#ask(`/rates/history?${pair(LANES.flat())}&period=7d&limit=5`, {})
    outcome.history += 1
    if (status === 503) outcome.away += 1
    else if (status !== 200) outcome.wrong.push(`history was answered ${status}`)
    return status
  }

  /** The status; 0 without a response. */
  #ask(path: string, headers: Record<string, string>): Promise<number> {
    const signal = AbortSignal.timeout(WAIT_MS_MAX)
    const init = { headers: { ...headers, 'x-api-key': this.about.key }, signal }
    return fetch(this.service.origin + path, init).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
  }
}

function pair(corridors: readonly string[]): string {
  const [from, to] = corridors[Math.floor(Math.random() * corridors.length)]!.split('/')
  return `from=${from}&to=${to}`
}

const WRONG_MAX = 20

/** Reports whether a process ended, a live read failed, or a response was wrong. */
export const isBroken = ({ ends, failed, wrong }: Outcome): boolean =>
  ends > 0 || failed > 0 || wrong.length > 0

/** Errors; empty for none. */
export const killComplaints = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .filter(isBroken)
    .flatMap(({ what, wrong, ends, failed }) => [
      `${KILLS}, ${what}: ${ends} ends, ${failed} live reads failed`,
      ...wrong.slice(0, WRONG_MAX),
    ])

/** The outcomes as a Markdown table. */
export function killTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { what, kills, ends, live, failed, history, away } = outcome
    return [what, kills, ends, live, failed, history, away].join(' | ')
  })
  const head = 'database and service | kills | ends | live reads | failed | reads of history | 503'
  return [head, head.replace(/[^|]+/g, ' --- ').trim(), ...rows]
    .map((row) => `| ${row} |`)
    .join('\n')
}
