import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOf, overshootMax, type Share, type ShareAsk, type UsageCount } from '~/domain/quota.ts'
import type { DayShare } from '~/memory/day-share.ts'
import { type Reservation, UsageMeter } from '~/memory/usage-meter.ts'
import { UsageShares } from '~/memory/usage-shares.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const DAY = dayOf(NOW_MS)
const clock = { now: () => NOW_MS }

/** The tables of one account's day, with the naive behaviour of `share-store.ts`. */
class Tables {
  used = 0
  /** Shares of each process that does not count as dead, by its slot. */
  readonly held = new Map<number, number>()
  readonly wanted: number[] = []

  join(): number {
    let slot = 0
    while (this.held.has(slot)) slot++
    this.held.set(slot, 0)
    return slot
  }

  settle(slot: number, batch: Batch, limit: number): Answer {
    for (const { requests } of batch.counts) this.used += requests
    const shares = batch.asks.flatMap(({ held, isMore, accountId, day }): Share[] => {
      if (!this.held.has(slot)) return []
      const others = [...this.held].reduce((sum, [at, units]) => sum + (at === slot ? 0 : units), 0)
      const free = limit - this.used - others - held
      const more = isMore && free > 0 ? Math.ceil(free / (2 * this.held.size)) : 0
      this.held.set(slot, held + more)
      if (isMore && free <= 0 && others > 0 && this.used < limit) this.wanted.push(slot)
      return [{ accountId, day, units: held + more, isWithin: free >= 0 }]
    })
    return { shares, totals: [this.total()] }
  }

  total(): UsageCount {
    return { accountId: 'a', keyId: 'k', day: DAY, requests: this.used }
  }
}

type Batch = { counts: readonly UsageCount[]; asks: readonly ShareAsk[] }
type Answer = { shares: readonly Share[]; totals: readonly UsageCount[] }

/** A replica with a share, whose turns begin, commit and return one step at a time. */
class Replica {
  readonly shares = new UsageShares(clock, 3000)
  readonly meter = new UsageMeter(this.shares)
  readonly slot: number
  readonly units: Reservation[] = []
  taken = 0
  isOver = false
  #share: DayShare | null = null
  #batch: Batch | null = null
  #answer: Answer | null = null
  /** Units of this replica in the database. */
  #written = 0

  constructor(
    private readonly tables: Tables,
    private readonly limit: number,
  ) {
    this.slot = tables.join()
    this.shares.joined(this.slot, NOW_MS)
    this.receive()
  }

  take(): void {
    const request = { accountId: 'a', keyId: 'k', limit: this.limit, nowMs: NOW_MS }
    const unit = this.meter.reserve(request)
    this.isOver = unit === null
    if (unit === null || unit instanceof Promise) return
    this.#share = (unit as unknown as { usage: { share: DayShare } }).usage.share
    this.taken += 1
    this.units.push(unit)
  }

  giveBack(): void {
    const unit = this.units.pop()
    if (!unit) return
    this.meter.giveBack(unit)
    this.taken -= 1
  }

  begin(): void {
    if (this.#batch) return
    this.#batch = { asks: this.meter.takeAsks(), counts: this.meter.takePending() }
  }

  commit(): void {
    if (!this.#batch || this.#answer) return
    this.#answer = this.tables.settle(this.slot, this.#batch, this.limit)
    this.#written += this.#batch.counts.reduce((sum, { requests }) => sum + requests, 0)
  }

  answer(): void {
    if (!this.#answer) return
    const { totals, shares } = this.#answer
    this.#batch = null
    this.#answer = null
    this.meter.settle(totals, shares)
    this.shares.retry()
  }

  fail(): void {
    if (!this.#batch || this.#answer) return
    this.#batch = null
    this.meter.putBack()
  }

  /** Loads the counted totals, unless its own counts are being written. */
  receive(): void {
    if (!this.#batch) this.meter.load([this.tables.total()])
  }

  release(): void {
    this.meter.release(['a'])
  }

  /** Asserts that it holds no more units than the tables say. */
  assertCovered(): void {
    if (!this.#share || this.#batch) return
    const { granted, spent } = this.#share
    expect(this.unwritten + granted - spent).toBeLessThanOrEqual(this.tables.held.get(this.slot)!)
  }

  /** Units that are lost with it. */
  get unwritten(): number {
    return this.taken - this.#written
  }
}

/** Some replicas on one account, any of which may die and be replaced. */
class Cluster {
  readonly tables = new Tables()
  readonly all: Replica[]
  readonly #dead: number[] = []
  #past = 0

  constructor(
    count: number,
    readonly limit: number,
  ) {
    this.all = Array.from({ length: count }, () => new Replica(this.tables, limit))
  }

  /** Served units, except for the lost ones of dead replicas. */
  get served(): number {
    return this.all.reduce((sum, { taken }) => sum + taken, this.#past)
  }

  do({ kind, at }: Step): void {
    const i = at % this.all.length
    if (kind === 'crash') this.#crash(i)
    else if (kind === 'expire') this.tables.held.delete(this.#dead.shift() ?? -1)
    else if (kind === 'deliver') this.deliver()
    else if (kind === 'flood') for (let units = 0; units < 9; units++) this.all[i]!.take()
    else this.all[i]![kind]()
  }

  deliver(): void {
    for (const from of this.tables.wanted.splice(0))
      for (const replica of this.all) if (replica.slot !== from) replica.release()
  }

  /** Runs all replicas, each taking what it gets, until none gets anything. */
  exhaust(): void {
    for (const slot of this.#dead.splice(0)) this.tables.held.delete(slot)
    for (const replica of this.all) replica.isOver = false
    for (let round = 0; round < 1000 && !this.all.every(({ isOver }) => isOver); round++)
      for (const replica of this.all) {
        replica.take()
        replica.begin()
        replica.commit()
        replica.answer()
        for (let i = 0; i < 3; i++) replica.take()
        this.deliver()
      }
  }

  #crash(i: number): void {
    const replica = this.all[i]!
    this.#past += replica.taken - replica.unwritten
    this.#dead.push(replica.slot)
    this.all[i] = new Replica(this.tables, this.limit)
  }
}

const KINDS = ['begin', 'commit', 'answer', 'fail', 'receive', 'deliver', 'giveBack'] as const
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('take' as const, 'flood' as const),
      at: fc.nat(9),
    }),
  },
  { weight: 14, arbitrary: fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('crash' as const, 'expire' as const),
      at: fc.nat(9),
    }),
  },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const steps = fc.array(step, { maxLength: 300, size: 'max' })
const LIMITS = [0, 1, 4, 10, 20, 50]
const RUNS = { numRuns: 300 }

describe('UsageShares', () => {
  test('ask again on request for what the last response did not bring', () => {
    const shares = new UsageShares(clock, 3000)
    shares.joined(0, NOW_MS)
    const meter = new UsageMeter(shares)
    const request = { accountId: 'a', keyId: 'k', limit: 10, nowMs: NOW_MS }
    expect(meter.reserve(request)).not.toBeInstanceOf(Promise)
    expect(meter.reserve(request)).toBeInstanceOf(Promise)
    meter.takeAsks()
    meter.settle([], [{ accountId: 'a', day: DAY, units: 0, isWithin: false }])
    expect([shares.isDry, shares.isAsking]).toEqual([true, false])
    shares.retry()
    expect([shares.isDry, shares.isAsking]).toEqual([false, true])
  })

  test('ask again at once without a share in the response, and after another limit', () => {
    const shares = new UsageShares(clock, 3000)
    shares.joined(0, NOW_MS)
    const meter = new UsageMeter(shares)
    const request = { accountId: 'a', keyId: 'k', nowMs: NOW_MS }
    void meter.reserve({ ...request, limit: 10 })
    void meter.takeAsks()
    meter.settle([], [])
    expect([shares.isJoined, shares.isAsking]).toEqual([false, true])
    expect(meter.takeAsks().map(({ limit }) => limit)).toEqual([10])
    void meter.reserve({ ...request, limit: 20 })
    meter.settle([], [{ accountId: 'a', day: DAY, units: 5, isWithin: true }])
    expect(meter.takeAsks().map(({ limit }) => limit)).toEqual([20])
  })

  test('ask for those of 150 accounts at once, and for the others the next time', () => {
    const shares = new UsageShares(clock, 3000)
    shares.joined(0, NOW_MS)
    const meter = new UsageMeter(shares)
    for (let i = 0; i < 151; i++)
      void meter.reserve({ accountId: `a${i}`, keyId: `k${i}`, limit: 10, nowMs: NOW_MS })
    const asks = meter.takeAsks()
    expect([asks.length, shares.isAsking]).toEqual([150, true])
    meter.settle(
      [],
      asks.map(({ accountId, day }) => ({ accountId, day, units: 1, isWithin: true })),
    )
    expect(meter.takeAsks().map(({ accountId }) => accountId)).toEqual(['a150'])
    expect(shares.isAsking).toBe(false)
  })

  test('never exceed the limit by more than a tenth together, whichever dies when', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.constantFrom(...LIMITS),
        steps,
        (n, limit, course) => {
          const cluster = new Cluster(n, limit)
          for (const one of course) {
            cluster.do(one)
            expect(cluster.served).toBeLessThanOrEqual(limit + overshootMax(limit))
          }
          cluster.exhaust()
          expect(cluster.served).toBeGreaterThanOrEqual(limit)
          expect(cluster.served).toBeLessThanOrEqual(limit + overshootMax(limit))
        },
      ),
      RUNS,
    )
  })

  test('give exactly the limit when alone', () => {
    const lives = fc.array(
      step.filter(({ kind }) => kind !== 'crash'),
      { maxLength: 300, size: 'max' },
    )
    fc.assert(
      fc.property(fc.constantFrom(...LIMITS), lives, (limit, course) => {
        const cluster = new Cluster(1, limit)
        for (const one of course) {
          cluster.do(one)
          expect(cluster.served).toBeLessThanOrEqual(limit)
        }
        cluster.exhaust()
        expect(cluster.served).toBe(limit)
      }),
      RUNS,
    )
  })
})
