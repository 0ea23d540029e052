import { expect } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs, type Tier } from '~/domain/freshness.ts'
import { EVERYWHERE, type Subscription, subscriptionTo } from '~/domain/live/subscription.ts'
import type { Quote } from '~/domain/quote.ts'
import { BASE_PATH } from '~/http/path.ts'
import { LiveMemory, type LoggedChange } from '~/memory/live/live.ts'
import { Memory, type Publication } from '~/memory/memory.ts'
import type { AgeLimits } from '~/memory/view.ts'
import { StreamHub } from '~/service/stream/hub.ts'
import type { StreamReader } from '~/service/stream/reader.ts'
import { Components } from '~/wire/openapi/schema.ts'
import { streamBodies } from '~/wire/stream/events.ts'
import { streamTexts } from '~/wire/stream/text.ts'
import { CURRENCIES, PROVIDERS } from './catalogue.ts'
import { answersOf } from './days.ts'
import { SchemaCheck } from './json-schema.ts'

export const LIMITS: AgeLimits = {
  midMaxAgeMs: 72 * HOUR_MS,
  quoteMaxAgeMs: null,
  staleAfterMs: 2 * HOUR_MS,
}

/** As `LIMITS`, where a price far from its mid is suspect. */
export const SUSPECTING: AgeLimits = { ...LIMITS, quoteSuspectPct: 10 }

/** The log of changes that replicas share, with its clock. */
export class SharedLog {
  readonly changes: LoggedChange[] = []
  #ids = 0

  constructor(public nowMs = Date.parse('2026-03-05T14:25:30.500Z')) {
    this.add({ kind: 'catalogue', catalogue: { currencies: CURRENCIES, providers: PROVIDERS } })
  }

  get position(): number {
    return this.changes.at(-1)?.position ?? 0
  }

  add(change: Omit<LoggedChange, 'position' | 'atMs'> & { atMs?: number }, step = 7): void {
    this.changes.push({ position: this.position + step, atMs: this.nowMs, ...change })
  }

  /** Commits quotes; by default a retail quote of USD/KES recorded now. */
  quotes(...quotes: (Partial<Quote> & { providerId: string; rate: number })[]): Quote[] {
    const rows = quotes.map((quote) => ({
      id: ++this.#ids,
      atMs: this.nowMs,
      from: 'USD',
      to: 'KES',
      fee: 0,
      feeCurrency: quote.from ?? 'USD',
      evidence: 'observed' as const,
      offer: null,
      rateType: PROVIDERS.find(({ id }) => id === quote.providerId)!.rateType,
      ...quote,
    }))
    this.add({ kind: 'observations', quotes: rows })
    return rows
  }

  /** Commits a feed's response: units of each currency per US dollar. */
  references(perUsd: Record<string, number>, atMs = this.nowMs): void {
    const references = Object.entries(perUsd).map(([currency, rate]) => ({
      ...{ id: ++this.#ids, atMs, currency, perUsd: rate, source: 'feed' },
    }))
    this.add({ kind: 'references', references })
  }

  /**
   * Advances the time: the hours on the way are opened, then a tick follows. If time is watched
   * there is also one before each hour.
   */
  pass(ms: number, isWatched = true): void {
    const untilMs = this.nowMs + ms
    for (let hourMs = hourStartMs(this.nowMs) + HOUR_MS; hourMs <= untilMs; hourMs += HOUR_MS) {
      this.nowMs = hourMs
      if (isWatched) this.add({ kind: 'tick' })
      this.add({ kind: 'hour', atMs: hourMs })
    }
    this.nowMs = untilMs
    this.add({ kind: 'tick' })
  }
}

/** One process: it has applied part of the log, and has readers. */
export class Replica {
  readonly memory = new Memory()
  readonly live = new LiveMemory(this.memory)
  readonly hub: StreamHub
  #applied: number
  #planned: (() => void)[] = []
  #timers = new Set<() => void>()

  /** A process that loads the current state of the log. */
  constructor(
    readonly log: SharedLog,
    readonly limits: AgeLimits = LIMITS,
  ) {
    this.hub = new StreamHub({
      live: this.live,
      limits,
      texts: streamTexts(BASE_PATH),
      now: () => log.nowMs,
      soon: (work) => void this.#planned.push(work),
      later: (work) => {
        this.#timers.add(work)
        return () => void this.#timers.delete(work)
      },
    })
    this.#applied = log.changes.length
    this.load()
  }

  /** Loads everything up to its position, as at its start and after a gap. */
  load(): void {
    const { memory } = this
    let [atMs, hourMs] = [this.log.changes[0]!.atMs, null as number | null]
    const changes = this.log.changes.slice(0, this.#applied)
    for (const change of changes) {
      if (change.kind === 'tick') atMs = Math.max(atMs, change.atMs)
      if (change.kind === 'hour') hourMs = change.atMs
    }
    const newestMs = Math.max(atMs, hourMs ?? 0)
    for (const { quotes = [], references = [], catalogue } of changes) {
      const added: Publication = { quotes, references, ...(catalogue && { catalogue }) }
      memory.learn(answersOf(this.#references, memory.expect(added)))
      memory.publish(added, newestMs)
    }
    this.live.begin({ position: changes.at(-1)!.position, atMs, hourMs })
    this.live.settle()
  }

  /** Applies the next changes of the log; all of them unless a number is given. */
  async follow(count = Number.POSITIVE_INFINITY): Promise<void> {
    const end = Math.min(this.log.changes.length, this.#applied + count)
    const days = {
      referencesAt: async (probes: Parameters<typeof answersOf>[1]) =>
        answersOf(this.#references, probes),
    }
    while (this.#applied < end) await this.live.apply(this.log.changes[this.#applied++]!, days)
  }

  /** Skips the next change, as if it were too large to report, and loads everything again. */
  skip(): void {
    this.#applied = Math.min(this.log.changes.length, this.#applied + 1)
    this.load()
  }

  /** Runs the readers' turns until nothing is left to do. */
  run(): void {
    while (this.#planned.length > 0) this.#planned.shift()!()
  }

  /** Fires every timer. */
  expire(): void {
    for (const work of [...this.#timers]) {
      this.#timers.delete(work)
      work()
    }
  }

  get #references() {
    return this.log.changes.slice(0, this.#applied).flatMap(({ references = [] }) => references)
  }
}

/** The maximum number of a reader's events that are compared with the documents. */
const CHECKED_MAX = 100

/** An event as a reader gets it. */
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
export type Heard = { readonly id: string | null; readonly name: string; readonly data: any }

/** A reader of a stream that retains its events. */
export class Listener {
  readonly received: Heard[] = []
  readonly reader: StreamReader
  isEnded = false
  /** Says whether there is room for more. */
  hasRoom = true
  #lastId: string | null

  /** Takes a string; returns whether there is room for more. */
  write = (text: string): boolean => {
    for (const block of text.split('\n\n').slice(0, -1)) this.#read(block)
    return this.hasRoom
  }

  constructor(
    { hub }: Replica,
    corridors: string[] | '*',
    { tier = 'realtime', lastEventId = null }: { tier?: Tier; lastEventId?: string | null } = {},
  ) {
    this.#lastId = lastEventId
    const end = () => {
      this.isEnded = true
    }
    const subscription = subscriptionOf(corridors)
    this.reader = hub.open({
      tier,
      subscription,
      lastEventId,
      sink: { write: (text) => this.write(text), end },
    })
  }

  /** The last id received, or the initial one. */
  get lastId(): string | null {
    return this.#lastId
  }

  /** Events after the hello. */
  get events(): Heard[] {
    return this.received.filter(({ name }) => name !== 'hello')
  }

  #read(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null
    const [id, name, data] = [field('id'), field('event'), field('data')]
    if (id !== null) this.#lastId = id
    if (name === null) return
    const event = { id, name, data: JSON.parse(data!) }
    if (this.received.length < CHECKED_MAX) expect(faults(event)).toEqual([])
    this.received.push(event)
  }
}

/** Differences of an event from the documents. */
const faults = ({ name, data }: Heard) =>
  check.faults(components.schema(streamBodies[name as keyof typeof streamBodies]), data)

const components = new Components()
for (const body of Object.values(streamBodies)) components.schema(body)
const check = new SchemaCheck({ components: { schemas: components.schemas } })

function subscriptionOf(corridors: string[] | '*'): Subscription {
  if (corridors === '*') return EVERYWHERE
  return subscriptionTo(
    corridors.map((name) => {
      const [from, to] = name.split('/')
      return { from: from!, to: to! }
    }),
  )
}
