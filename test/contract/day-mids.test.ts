import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt, hourStartMs, TIERS } from '~/domain/freshness.ts'
import type { Observation } from '~/domain/observation.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Follower } from '~/jobs/follower.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { View } from '~/memory/view.ts'
import { ChangeListener } from '~/runtime/change-listener.ts'
import { feedStoreOf } from '~/runtime/upstream/feeds.ts'
import { ingest } from '~/service/recording/ingest.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import type { Database } from '~/store/database.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { inArrays, observation, otherHandle } from '../store/samples.ts'
import { currency, provider } from '../support/catalogue.ts'
import { clockAt, type HandClock } from '../support/clock.ts'
import { followerOn, recorderOn } from '../support/followed.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { foundBySql } from './day-mids-oracle.ts'

const TEST_MS_MAX = 240_000
const RUNS = 6
const AT = '2026-03-05T14:25:30.500Z'
const LIMITS = { midMaxAgeMs: 2 * DAY_MS, quoteMaxAgeMs: null, staleAfterMs: null }
const LOG = { debug() {}, info() {}, warn() {}, error() {} }
const _WORK = { historyMax: 2, ingestMax: 4, waitingMax: 20 }

const PEGS = {
  none: {},
  euro: { XOF: { to: 'EUR', rate: 655.957 } },
  chain: { XOF: { to: 'EUR', rate: 655.957 }, EUR: { to: 'GBP', rate: 1.2 } },
  dollar: { XOF: { to: 'USD', rate: 600 }, GBP: { to: 'USD', rate: 0.75 } },
} as const
type Peg = keyof typeof PEGS

const catalogueOf = (name: Peg) => {
  const pegs: Record<string, { to: string; rate: number }> = PEGS[name]
  return [
    ...['USD', 'EUR', 'GBP', 'XOF'].map((code) => currency(code, { peg: pegs[code] ?? null })),
    currency('USDT', { kind: 'stablecoin' }),
  ]
}

/** Ages: few values, so that many share a time. */
const agos = fc.constantFrom(0, 1, HOUR_MS / 2, 3 * HOUR_MS, 4 * HOUR_MS, DAY_MS, 2 * DAY_MS)
const replicas = fc.nat({ max: 1 })
const providers = fc.constantFrom('a', 'b', 'c')
const codes = fc.constantFrom('USD', 'EUR', 'EUR', 'GBP', 'XOF', 'XOF', 'USDT')

const quotes = fc.array(
  fc
    .record({
      provider: providers,
      from: codes,
      to: codes,
      fee: codes,
      isFree: fc.boolean(),
      ago: agos,
    })
    .filter(({ from, to }) => from !== to),
  { minLength: 1, maxLength: 4 },
)
const rates = fc.array(
  fc.record({
    code: fc.constantFrom('EUR', 'GBP', 'XOF'),
    ago: agos,
    per: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 1, maxLength: 4 },
)

const events = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('post' as const), on: replicas, quotes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('import quotes' as const), quotes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('feed' as const), on: replicas, rates }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('import rates' as const), rates }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('peg' as const),
      peg: fc.constantFrom<Peg>('none', 'euro', 'chain', 'dollar'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('switch' as const),
      provider: providers,
      isActive: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), on: replicas }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reload' as const), on: replicas }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), on: replicas }) },
)
type Event = typeof events extends fc.Arbitrary<infer T> ? T : never

/** Simultaneous events, and the time that passes before. */
const rounds = fc.array(
  fc.record({
    passesMs: fc.constantFrom(0, 0, 1, HOUR_MS / 2, HOUR_MS, DAY_MS),
    events: fc.array(events, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 10, maxLength: 14 },
)

/** One process of the service: its memory, and all that keeps it in step. */
class Replica {
  readonly memory = new Memory()
  readonly #follower: Follower
  readonly #changes: ChangeListener
  readonly #store: ReturnType<typeof recorderOn>

  private constructor(
    readonly database: Database,
    private readonly clock: HandClock,
  ) {
    const meter = new UsageMeter()
    const follower = followerOn(database, { memory: this.memory, clock, log: LOG })
    const refresher = { note() {} }
    this.#follower = follower
    this.#changes = new ChangeListener({ database, refresher, follower, meter, log: LOG })
    this.#store = recorderOn(database, { follower })
  }

  static async start(fresh: FreshDatabase, clock: HandClock): Promise<Replica> {
    const replica = new Replica(otherHandle(fresh), clock)
    await replica.#changes.start()
    await replica.#follower.begin()
    return replica
  }

  async post(observations: readonly Observation[]): Promise<void> {
    await ingest({ store: this.#store }, { observations, idempotency: null })
  }

  /** Records a feed's current response, and one for an earlier time. */
  async feed(said: readonly { code: string; per: number; fetchedMs: number }[]): Promise<void> {
    const served = () => this.#follower.caughtUp()
    const store = feedStoreOf(this.database, { publish() {}, served })
    for (const { code, per, fetchedMs } of said)
      await store.append({
        source: 'feed',
        fetchedMs,
        upstreamMs: fetchedMs,
        rates: [{ currency: code, perUsd: String(per) }],
      })
  }

  /** Opens the hour of the clock, as each second does. */
  async openHour(): Promise<void> {
    const hourMs = hourStartMs(this.clock.now())
    const { position } = this.memory.positions
    await createChangeStore(this.database).logTime('hour', hourMs, position)
    await this.caughtUp()
  }

  async reload(): Promise<void> {
    await this.#follower.check()
  }

  async caughtUp(): Promise<void> {
    await this.#follower.caughtUp()
  }

  async stop(): Promise<void> {
    this.#follower.stop()
    this.#changes.stop()
    await this.#follower.settled()
    await this.database.close()
  }
}

/** Two replicas on one database, and an operator. */
class Scene {
  readonly #replicas: Replica[] = []
  readonly #clock = clockAt(AT)
  readonly #catalogue: ReturnType<typeof createCatalogueStore>

  private constructor(private readonly operator: FreshDatabase) {
    this.#catalogue = createCatalogueStore(operator)
  }

  static async open(): Promise<Scene> {
    const scene = new Scene(await freshDatabase())
    await scene.#catalogue.apply({
      currencies: catalogueOf('euro'),
      providers: ['a', 'b', 'c'].map((id) => provider(id)),
    })
    for (let i = 0; i < 2; i++)
      scene.#replicas.push(await Replica.start(scene.operator, scene.#clock))
    return scene
  }

  async close(): Promise<void> {
    for (const replica of this.#replicas) await replica.stop()
    await this.operator.close()
  }

  /** Runs events concurrently, and waits until every replica serves their results. */
  async round(passesMs: number, all: readonly Event[]): Promise<void> {
    this.#clock.advance(passesMs)
    for (const replica of this.#replicas) await replica.openHour()
    const restarts = all.filter(({ kind }) => kind === 'restart')
    await Promise.all(all.filter(({ kind }) => kind !== 'restart').map((one) => this.#take(one)))
    for (const one of restarts) await this.#take(one)
    for (const replica of this.#replicas) await replica.caughtUp()
  }

  /** Compares each replica's responses at each tier with the plain statements. */
  async agree(): Promise<void> {
    for (const tier of TIERS) {
      const freshness = freshnessAt(tier, this.#clock.now())
      const maxAgeMs = LIMITS.midMaxAgeMs
      const { cutoffMs } = freshness
      const found = await foundBySql(this.operator, { cutoffMs, maxAgeMs })
      const expected = new Map(found.map(({ of, mid, feeMid }) => [of, rounded(mid, feeMid)]))
      for (const { memory } of this.#replicas) {
        const view = new View(memory.current, freshness, LIMITS)
        const served = new Map(
          [...memory.current.quotes.allBooks()]
            .flatMap((book) => view.viewOf(book).quotes)
            .map(({ quote: { providerId, from, to }, midAtQuote, feeMidAtQuote }) => [
              `${providerId} ${from}/${to}`,
              rounded(midAtQuote, feeMidAtQuote),
            ]),
        )
        expect(served).toEqual(expected)
      }
    }
  }

  async #take(event: Event): Promise<void> {
    const nowMs = this.#clock.now()
    switch (event.kind) {
      case 'post':
        return this.#replicas[event.on]!.post(observationsOf(event.quotes, nowMs))
      case 'import quotes': {
        const rows = inArrays(observationsOf(event.quotes, nowMs))
        await importObservations({ database: this.operator, rows })
        return
      }
      case 'feed':
        return this.#replicas[event.on]!.feed(
          event.rates.map(({ code, per, ago }) => ({ code, per, fetchedMs: nowMs - ago })),
        )
      case 'import rates': {
        const rows = event.rates.map(({ code, per, ago }) => ({
          fetchedMs: nowMs - ago,
          source: 'file',
          currency: code,
          perUsd: String(per),
        }))
        await importReferences({ database: this.operator, rows: inArrays(rows) })
        return
      }
      case 'peg':
        await this.#catalogue.apply({ currencies: catalogueOf(event.peg), providers: [] })
        return
      case 'switch': {
        const { isActive } = event
        const switched = provider(event.provider, { isActive })
        await this.#catalogue.apply({ currencies: [], providers: [switched] })
        return
      }
      case 'prune':
        return this.#replicas[event.on]!.memory.prune(nowMs)
      case 'reload':
        return this.#replicas[event.on]!.reload()
      case 'restart': {
        await this.#replicas[event.on]!.stop()
        this.#replicas[event.on] = await Replica.start(this.operator, this.#clock)
      }
    }
  }
}

type Said = typeof quotes extends fc.Arbitrary<infer T> ? T : never

const observationsOf = (said: Said, nowMs: number): Observation[] =>
  said.map(({ provider: providerId, from, to, fee, isFree, ago }) =>
    observation({
      providerId,
      from,
      to,
      rate: '2',
      fee: isFree ? null : '5',
      feeCurrency: isFree ? null : fee,
      effectiveMs: nowMs - ago,
    }),
  )

const rounded = (mid: { rate: number; atMs: number } | null, feeMid: number | null) => ({
  mid: mid && { rate: roundAmount(mid.rate), atMs: mid.atMs },
  feeMid: feeMid && roundAmount(feeMid),
})

describe("the mids of quotes' own days", () => {
  test(
    'are those of plain SQL on every replica, whatever happens to them, and at once',
    async () => {
      await fc.assert(
        fc.asyncProperty(rounds, async (all) => {
          const scene = await Scene.open()
          try {
            for (const { passesMs, events: some } of all) {
              await scene.round(passesMs, some)
              await scene.agree()
            }
          } finally {
            await scene.close()
          }
        }),
        { numRuns: RUNS, endOnFailure: true },
      )
    },
    TEST_MS_MAX,
  )
})
