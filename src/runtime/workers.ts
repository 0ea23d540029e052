import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE_MS } from '~/domain/duration.ts'
import { portOf, serverUrlOf } from '~/store/server-address.ts'
import { originAt, unsharedPort } from './listener.ts'
import type { RunningService } from './service.ts'
import type { ServiceOptions } from './service-options.ts'
import { MetricsOfAll, READY } from './worker-metrics.ts'

const RESTART_MS_MIN = 250
const RESTART_MS_MAX = 30_000
/** The time that a worker has to live to be restarted without a noticeable pause. */
const STEADY_MS = MINUTE_MS
/** Interval at which an embedded database that moved is looked for. */
const PORT_MS = 1000
/** The longest time that workers may take to stop before they are killed. */
const STOP_MS_MAX = 8_000

type Deps = Pick<ServiceOptions, 'config' | 'clock' | 'log' | 'database'> & {
  /** The base of the workers' environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Starts `config.workers` processes that share one port, each with a memory of its own, like
 * replicas on one machine. Resolves when all of them respond.
 *
 * This process itself serves no requests. It keeps the database open and restarts workers that end.
 * Workers end when this process is gone, for whatever reason.
 */
export async function startWorkers(deps: Deps): Promise<RunningService> {
  const { config, database } = deps
  if (process.platform !== 'linux')
    throw new Error('WORKERS above 1 needs Linux, where processes can share a port')
  const port = unsharedPort(config)
  const workers = new Workers(deps, port)
  try {
    await workers.start()
  } catch (error) {
    await workers.stop()
    throw error
  }
  return {
    origin: originAt({ host: config.host, port }),
    async stop() {
      await workers.stop()
      await database.close()
    },
    kill: () => workers.kill(),
  }
}

/** The pause before a restart, after a number of early ends in a row. */
export const restartWaitMs = (failures: number): number =>
  Math.min(RESTART_MS_MIN * 2 ** failures, RESTART_MS_MAX)

/** The exit status of a worker that could not start because the database is unreachable. */
export const DATABASE_AWAY = 75
/** The pause between two attempts to start a worker while the database is unreachable. */
const AWAY_MS = 1000

class Workers {
  /** The running workers, by the number of their place. */
  readonly #running = new Map<string, Bun.Subprocess>()
  readonly #metrics = new MetricsOfAll(() => this.#running)
  readonly #stopping = new AbortController()

  constructor(
    private readonly deps: Deps,
    private readonly port: number,
  ) {}

  /**
   * Resolves when all workers respond, which waits for the database if it becomes unreachable
   * meanwhile; rejects if a worker ends before for another reason.
   */
  async start(): Promise<void> {
    this.#tellPort()
    const places = Array.from({ length: this.deps.config.workers }, (_, place) => String(place))
    await Promise.all(
      places.map((place) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        this.#keep(place, { answers: resolve, fails: reject }).catch(reject)
        return promise
      }),
    )
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const running = [...this.#running.values()]
    for (const child of running) child.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), STOP_MS_MAX)
    await Promise.all(running.map(({ exited }) => exited))
    clearTimeout(timer)
  }

  kill(): void {
    this.#stopping.abort()
    for (const child of this.#running.values()) child.kill('SIGKILL')
  }

  /** Sends the workers the database's port whenever it changes, until the stop. */
  #tellPort(): void {
    const { sql } = this.deps.database
    let known = portOf(sql)
    const timer = setInterval(() => {
      const port = portOf(sql)
      if (port === known) return
      known = port
      for (const child of this.#running.values()) tell(child, port)
    }, PORT_MS)
    this.#stopping.signal.addEventListener('abort', () => clearInterval(timer))
  }

  /** Starts a worker in this place; calls `answers` once it responds. */
  #begin(place: string, answers: () => void): Bun.Subprocess {
    const { config, database, env } = this.deps
    const child = Bun.spawn([process.execPath, Bun.main, 'worker', place], {
      env: {
        ...env,
        DATABASE_URL: config.databaseUrl ?? serverUrlOf(database.sql),
        PORT: String(this.port),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (message, from) => {
        if (message !== READY) return this.#metrics.receive(message, from)
        tell(from, portOf(database.sql))
        answers()
      },
    })
    this.#running.set(place, child)
    return child
  }

  /** Keeps a worker running in this place until the stop, or until the first one fails. */
  async #keep(place: string, first: First): Promise<void> {
    const { clock, log } = this.deps
    const { signal } = this.#stopping
    const worker = Number(place)
    let answered = 0
    const answers = () => {
      first.answers()
      const { pid } = this.#running.get(place)!
      if (answered++ > 0) log.info({ worker, pid }, 'a new worker responds in its place')
    }
    for (let failures = 0; !signal.aborted; ) {
      const sinceMs = clock.now()
      const end = await this.#end(place, answers)
      if (signal.aborted) return
      const isAway = end.status === DATABASE_AWAY
      if (answered === 0 && !isAway)
        return first.fails(
          new Error('a worker ended before it was ready; its own log lines are above'),
        )
      if (!isAway) failures = clock.now() - sinceMs < STEADY_MS ? failures + 1 : 0
      const waitMs = isAway ? AWAY_MS : restartWaitMs(failures)
      const about = { worker, ...end, wait_ms: waitMs }
      if (isAway) log.warn(about, 'a worker waits for the database')
      else log.error(about, 'a worker ended')
      await this.#pause(waitMs)
      await this.#databaseAnswers()
    }
  }

  /** Runs a worker until its end, and says how it ended or why it could not begin. */
  async #end(place: string, answers: () => void): Promise<End> {
    try {
      const child = this.#begin(place, answers)
      const status = await child.exited
      this.#running.delete(place)
      return { pid: child.pid, status, signal: child.signalCode }
    } catch (err) {
      return { err }
    }
  }

  /** Resolves once the database responds, or at the stop: no worker can start before. */
  async #databaseAnswers(): Promise<void> {
    const { sql } = this.deps.database
    const isReached = async () => (await sql`SELECT 1`).length > 0
    while (!this.#stopping.signal.aborted && !(await isReached().catch(() => false)))
      await this.#pause(AWAY_MS)
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}

type End = { readonly status?: number; readonly [about: string]: unknown }

type First = { answers(): void; fails(error: Error): void }

/** Sends a worker the database's port; one that ended meanwhile needs none. */
function tell(child: Bun.Subprocess, port: number): void {
  try {
    child.send({ say: 'port', port })
  } catch {}
}
