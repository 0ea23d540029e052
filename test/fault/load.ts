import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, ask, errorFault, midFault, READINGS, shownOf, tierFault } from './answer.ts'
import type { Entry, Ledger } from './ledger.ts'
import { QuotaWatch } from './quota.ts'
import type { Scene } from './scene.ts'
import { Stalls } from './stalls.ts'
import { type Kind, Tally } from './tally.ts'
import { type CallerName, CORRIDORS, LANES, PROBE, PROVIDER, rateOf } from './world.ts'

const API = '/api/v1'
const LIVE_WAIT_MS = 5_000
const SLOW_WAIT_MS = 15_000
/** The time within which other replicas have to show an acknowledged row. */
const SECOND_MS = 1_000
const REST_MS = { live: 12, write: 40, retry: 120, past: 80 } as const
/** The longest time after the end that a writer retries its last batch. */
const LAST_TRY_MS_MAX = 20_000
const RECENT_MAX = 2_000

/** Statuses that are allowed from a fault until recovery; 0 means no response. */
export type Allowed = Partial<Record<Kind, readonly number[]>>

export type Rules = {
  readonly allowed: Allowed
  /** The replicas that may show old quotes until recovery. */
  readonly lagging: readonly string[]
  /** Says whether hourly keys may see an empty corridor until recovery. */
  readonly mayForget?: boolean
  /**
   * Says whether streams may be reset: by a service that has just started, which retains no earlier
   * events, or by one whose clock was set.
   */
  readonly mayReset?: boolean
}

type Phase = 'warming' | 'before' | 'during' | 'after'

/**
 * Readers and writers that send requests to the balancer almost without pause, and check every
 * response.
 */
export class Load {
  readonly tally = new Tally()
  readonly stalls = new Stalls()
  /** Hourly responses that lacked the valid quote. */
  forgotten = 0
  /** Successes that cost a unit, by caller, and requests with an unknown outcome. */
  readonly units = new Map<CallerName, { served: number; unknown: number }>()
  #phase: Phase = 'warming'
  #healedAt = Number.POSITIVE_INFINITY
  #isOver = false
  #workers: Promise<void>[] = []
  #recent: { readonly by: string; readonly at: number }[] = []
  readonly #quota = new Map<CallerName, QuotaWatch>()

  constructor(
    private readonly scene: Scene,
    private readonly rules: Rules,
  ) {}

  get ledger(): Ledger {
    return this.scene.ledger
  }

  start(): void {
    const live = ['live', 'live', 'live', 'hourly'] as const
    this.#workers = [
      ...live.map((caller) => this.#repeat(() => this.#readLive(caller), REST_MS.live)),
      this.#repeat(() => this.#readPast(), REST_MS.past),
      ...LANES.map((lane, i) => this.#write(lane, { isKeyed: i > 0 })),
    ]
  }

  /** A second, plus the stall of the machine. */
  get secondMs(): number {
    return SECOND_MS + this.stalls.slackMs
  }

  /** Starts to measure live reads without a fault. */
  warm(): void {
    this.#phase = 'before'
  }

  get #hasBegun(): boolean {
    return this.#phase === 'during' || this.#phase === 'after'
  }

  /** Marks the start of the fault. */
  fault(): void {
    this.#phase = 'during'
  }

  /** Allows no further errors from now on. */
  healed(): void {
    this.#phase = 'after'
    this.#healedAt = performance.now()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers)
    this.stalls.stop()
  }

  /** Sends one request through the balancer and counts the response. */
  async ask(kind: Kind, path: string, options: AskOptions): Promise<Answer> {
    const { scene } = this
    const { caller, ...rest } = options
    const answer = await ask(API + path, {
      origin: scene.balancer.origin,
      clock: scene.clock,
      key: scene.template.keys[caller].key,
      waitMs: kind === 'live' ? LIVE_WAIT_MS : SLOW_WAIT_MS,
      lifeOf: (name) => lifeOf(scene, name),
      ...rest,
    })
    this.tally.count(answer, kind)
    this.#recent.push({ by: answer.by, at: performance.now() })
    if (this.#recent.length > RECENT_MAX) this.#recent.splice(0, RECENT_MAX / 2)
    return answer
  }

  /** The number of responses of a replica within the last milliseconds. */
  answersOf(name: string, ms: number): number {
    const sinceAt = performance.now() - ms
    return this.#recent.filter(({ by, at }) => by.startsWith(name) && at >= sinceAt).length
  }

  /**
   * Records an error for an unsuccessful response, unless the fault allows it; true for a success.
   */
  isSuccess(answer: Answer, kind: Kind): boolean {
    const { status, body } = answer
    if (status >= 200 && status < 300) return true
    const isInTime = this.#hasBegun && answer.askedAt <= this.#healedAt
    if (!isInTime || !this.rules.allowed[kind]?.includes(status))
      this.tally.blame(`${kind} was answered ${status} by ${answer.by}: ${body?.error ?? ''}`)
    const fault = status === 0 ? null : errorFault(answer)
    if (fault) this.tally.blame(`${kind}: ${fault}`)
    return false
  }

  async #repeat(work: () => Promise<void>, restMs: number): Promise<void> {
    while (!this.#isOver) {
      await work()
      await delay(restMs * (0.5 + Math.random()))
    }
  }

  async #readLive(caller: 'live' | 'hourly'): Promise<void> {
    const corridor = anyOf(CORRIDORS.filter((name) => name !== PROBE))
    const [from = '', to = ''] = corridor.split('/')
    const reading = anyOf(READINGS)
    const watch = this.#watch(caller)
    const { floors } = watch
    const phase = this.#phase
    const answer = await this.ask('live', reading.path({ from, to }), { caller })
    if (phase === 'before') this.tally.before.push(answer.tookMs)
    if (phase === 'during') this.tally.during.push(answer.tookMs)
    this.#charge(caller, answer)
    if (!this.isSuccess(answer, 'live')) return
    const tier = caller === 'live' ? 'realtime' : 'hourly'
    const best = shownOf(reading.best(answer.body))
    this.#blame(tierFault(answer, tier))
    this.#blame(midFault(corridor, reading.mid(answer.body)))
    this.#blame(watch.fault(answer, floors))
    if (typeof best === 'string') return this.#miss(tier, `${corridor}: ${best}`)
    const asOf: unknown = answer.body.as_of
    const cutoffMs = typeof asOf === 'string' ? Date.parse(asOf) : Number.POSITIVE_INFINITY
    const sight = { corridor, ...this.#sightOf(answer), cutoffMs }
    this.#blame(this.ledger.fault(sight, best.seq, best.atMs))
  }

  /** Records that a response showed no quote at all. */
  #miss(tier: string, what: string): void {
    const isAllowed = this.rules.mayForget && this.#phase === 'during' && tier === 'hourly'
    if (isAllowed) this.forgotten += 1
    else this.tally.blame(what)
  }

  async #readPast(): Promise<void> {
    const corridor = anyOf(LANES.flat())
    const [from = '', to = ''] = corridor.split('/')
    const path = `/rates/history?from=${from}&to=${to}&period=7d&order=desc&limit=5`
    const answer = await this.ask('past', path, { caller: 'past' })
    this.#charge('past', answer)
    if (!this.isSuccess(answer, 'past')) return
    this.#blame(answer.body?.data_freshness === 'realtime' ? null : 'history of another tier')
    const [newest] = answer.body.data
    const best = shownOf(newest)
    if (typeof best === 'string') return this.tally.blame(`history of ${corridor}: ${best}`)
    const cutoffMs = Date.parse(answer.body.to_date)
    const sight = { corridor, ...this.#sightOf(answer), cutoffMs }
    this.#blame(this.ledger.fault(sight, best.seq, Date.parse(newest.timestamp)))
  }

  async #write(lane: readonly string[], { isKeyed }: { isKeyed: boolean }): Promise<void> {
    while (!this.#isOver) {
      const { clock } = this.scene
      const entries = lane.map((corridor) => this.ledger.send(corridor, clock.now()))
      const key = isKeyed ? `${lane.join()} ${entries[0]!.seq}` : null
      let lastAt = Number.POSITIVE_INFINITY
      while (!(await this.#record(entries, key)) && isKeyed && performance.now() < lastAt) {
        if (this.#isOver) lastAt = Math.min(lastAt, performance.now() + LAST_TRY_MS_MAX)
        await delay(REST_MS.retry)
        for (const entry of entries) this.ledger.sendAgain(entry, clock.now())
      }
      await delay(REST_MS.write)
    }
  }

  async #record(entries: readonly Entry[], key: string | null): Promise<boolean> {
    const answer = await this.ask('write', '/rates', {
      caller: 'writer',
      body: entries.map(rowOf),
      ...(key !== null && { headers: { 'idempotency-key': key } }),
    })
    if (!this.isSuccess(answer, 'write')) return false
    if (answer.body?.inserted !== entries.length)
      this.tally.blame(`a batch of ${entries.length} was answered ${JSON.stringify(answer.body)}`)
    const { by } = answer
    for (const entry of entries) this.ledger.acknowledge(entry, { nowMs: answer.toMs, by })
    return true
  }

  #sightOf({ askedAt, by }: Answer) {
    const mayLag =
      this.#phase === 'during' && this.rules.lagging.some((name) => by.startsWith(name))
    return { askedAt, answeredBy: by, graceMs: mayLag ? Number.POSITIVE_INFINITY : this.secondMs }
  }

  #watch(caller: CallerName): QuotaWatch {
    const watch = this.#quota.get(caller) ?? new QuotaWatch()
    this.#quota.set(caller, watch)
    return watch
  }

  #charge(caller: CallerName, { status }: Answer): void {
    const units = this.units.get(caller) ?? { served: 0, unknown: 0 }
    if (status === 200) units.served += 1
    if (status === 0 || status === 502) units.unknown += 1
    this.units.set(caller, units)
  }

  #blame(fault: string | null): void {
    if (fault !== null) this.tally.blame(fault)
  }
}

type AskOptions = {
  readonly caller: CallerName
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly origin?: string
  readonly key?: string
  readonly lifeOf?: (name: string) => string
}

export function rowOf({ corridor, seq, note }: Entry): object {
  const [from, to] = corridor.split('/')
  return { provider_id: PROVIDER, from, to, rate: rateOf(seq), notes: note }
}

export function lifeOf({ replicas }: Scene, name: string): string {
  const replica = replicas.find((candidate) => candidate.name === name)
  return replica ? `${name}${replica.life}` : 'none'
}

const anyOf = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!
