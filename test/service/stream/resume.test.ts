import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Tier } from '~/domain/freshness.ts'
import { CURRENCIES, PROVIDERS, provider } from '../../support/catalogue.ts'
import { type Event, events } from '../../support/market.ts'
import { offer } from '../../support/offers.ts'
import { type Heard, Listener, Replica, SharedLog, SUSPECTING } from '../../support/replica.ts'
import { Mirror } from './mirror.ts'

const RUNS = 150
/** Changes of the catalogue that the ring retains, at some 2 MB each. */
const MISSED_MAX = 7

/** Times that pass before a commit: mostly none. */
const passes = fc.constantFrom(0, 0, 0, 0, 1, 60_000, HOUR_MS / 2, HOUR_MS, 2 * HOUR_MS + 1)
/** Imports of an earlier time. */
const imports = fc.record({
  kind: fc.constant('import' as const),
  currency: fc.constantFrom('KES', 'NGN', 'GBP', 'EUR'),
  rate: fc.constantFrom(1, 2, 150),
  back: fc.constantFrom(0, 1, 60_000, HOUR_MS, 30 * HOUR_MS),
})
/** Changes of a catalogue; absent parts keep their initial value. */
const catalogues = fc.record({
  kind: fc.constant('apply' as const),
  off: fc.constantFrom(null, 'retail-a', 'p2p-a'),
  currencyOff: fc.constantFrom(null, null, 'KES', 'GBP'),
  peg: fc.constantFrom(null, null, 'EUR', 'USD'),
  name: fc.constantFrom('Provider retail-b', 'Another'),
})
type Told = Event | (typeof imports | typeof catalogues extends fc.Arbitrary<infer T> ? T : never)
const steps = fc.record({
  event: fc.oneof(
    { weight: 3, arbitrary: events },
    { weight: 1, arbitrary: imports },
    { weight: 1, arbitrary: catalogues },
  ),
  passMs: passes,
})
type Step = { event: Told; passMs: number }
const isSoon = (all: readonly { passMs: number }[]) =>
  all.reduce((sum, { passMs }) => sum + passMs, 0) < 2 * HOUR_MS
const subscriptions = fc.constantFrom('*' as const, ['USD/KES'], ['GBP/NGN', 'USD/KES', 'EUR/UGX'])
const tiers = fc.constantFrom<Tier[]>('realtime', 'realtime', 'hourly')

function commit(log: SharedLog, { event, passMs }: Step, isWatched = true): void {
  if (passMs > 0) log.pass(passMs, isWatched)
  if (event.kind === 'quote') {
    const { kind, back, said, ...quote } = event
    const atMs = log.nowMs - back
    const { life = null, ...own } = said ?? {}
    const validUntilMs = life === null ? null : atMs + life
    const terms = said && offer({ ...own, validUntilMs })
    log.quotes({ ...quote, atMs, offer: terms })
  }
  if (event.kind === 'reference') log.references({ [event.currency]: event.rate })
  if (event.kind === 'import') {
    const atMs = log.nowMs - event.back
    log.references({ [event.currency]: event.rate }, atMs)
  }
  if (event.kind === 'apply') {
    const { off, currencyOff, peg, name } = event
    const providers = PROVIDERS.map((one) => ({
      ...one,
      isActive: one.id !== off,
      ...(one.id === 'retail-b' && { name }),
    }))
    const currencies = CURRENCIES.map((one) => ({
      ...one,
      isActive: one.code !== currencyOff,
      ...(one.code === 'NGN' && peg && { peg: { to: peg, rate: 4 } }),
    }))
    log.add({ kind: 'catalogue', catalogue: { currencies, providers } })
  }
  if (event.kind === 'catalogue') {
    const providers = PROVIDERS.map(({ id, rateType }) =>
      provider(id, { rateType, isActive: id !== event.off }),
    )
    log.add({ kind: 'catalogue', catalogue: { currencies: CURRENCIES, providers } })
  }
}

/** Moves of a reader, and events of the processes in between. */
const moves = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), step: steps }) },
  fc.record({
    kind: fc.constant('follow' as const),
    on: fc.nat(2),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('run' as const), on: fc.nat(2) }),
  fc.record({ kind: fc.constant('block' as const) }),
  fc.record({ kind: fc.constant('drain' as const) }),
  fc.record({ kind: fc.constant('start' as const), on: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant('cut' as const), to: fc.nat(2), lost: fc.nat(4) }),
)

const isAfter = (id: string, position: number) => Number(id.split('-')[0]) > position

/** A reader that moves between processes, the events that it received, and its resets. */
class Traveller {
  received: Heard[] = []
  resets: { reason: string; position: number }[] = []
  #listener: Listener
  #given: string | null = null

  constructor(
    on: Replica,
    private readonly corridors: string[] | '*',
    private readonly tier: Tier,
  ) {
    this.#listener = new Listener(on, corridors, { tier })
  }

  get listener(): Listener {
    return this.#listener
  }

  /** Drops the connection and its last `lost` events, and connects to another process. */
  move(to: Replica, lost: number): void {
    const { received } = this.#listener
    const came = received.slice(0, Math.max(1, received.length - lost))
    this.#keep(came)
    const lastEventId = came.findLast(({ id }) => id !== null)?.id ?? this.#given
    this.#given = lastEventId
    this.#listener.reader.close()
    this.#listener = new Listener(to, this.corridors, { tier: this.tier, lastEventId })
  }

  /** Everything received, at the end. */
  close(): void {
    this.#keep(this.#listener.received)
    this.#listener.reader.close()
  }

  #keep(came: readonly Heard[]): void {
    for (const event of came) {
      if (event.name === 'hello') continue
      if (event.name !== 'reset') this.received.push(event)
      else {
        const { reason, position } = event.data
        this.resets.push({ reason, position })
        this.received = []
      }
    }
  }
}

/**
 * A process that starts shows at once, by the hour, the mid of an import that is dated back. If
 * that mid ends before the hour does, readers that were connected before receive neither.
 */
const isNews = ({ name, data }: Heard): boolean => name !== 'mid' || 'mid_rate' in data

/** An event without its id: one that is left out for a process that begins moves those after it. */
const said = ({ name, data }: Heard) => ({ name, data })

describe('a reader that is cut off and resumes', () => {
  const cases = fc.record({
    start: fc.array(steps, { maxLength: 6 }),
    moves: fc.array(moves, { maxLength: 40 }),
    corridors: subscriptions,
    tier: tiers,
  })

  test('gets the same events as one that stayed, each once, in any process', async () => {
    let resumed = 0
    await fc.assert(
      fc.asyncProperty(cases, async ({ start, moves, corridors, tier }) => {
        const log = new SharedLog()
        for (const step of start) commit(log, step)
        log.pass(1)
        const first = new Replica(log, SUSPECTING)
        const replicas = [first, new Replica(log, SUSPECTING), new Replica(log, SUSPECTING)]
        const stayed = new Listener(first, corridors, { tier })
        const traveller = new Traveller(first, corridors, tier)
        let at = 0
        for (const move of moves) {
          if (move.kind === 'commit') commit(log, move.step)
          if (move.kind === 'follow') await replicas[move.on]!.follow(move.count)
          if (move.kind === 'run') replicas[move.on]!.run()
          if (move.kind === 'block') traveller.listener.hasRoom = false
          if (move.kind === 'drain') {
            traveller.listener.hasRoom = true
            traveller.listener.reader.drained()
          }
          if (move.kind === 'start') {
            const isLost = at === move.on
            replicas[move.on] = new Replica(log, SUSPECTING)
            if (isLost) traveller.move(replicas[move.on]!, 0)
          }
          if (move.kind === 'cut') {
            at = move.to
            traveller.move(replicas[at]!, move.lost)
          }
        }
        log.pass(HOUR_MS)
        traveller.listener.hasRoom = true
        traveller.listener.reader.drained()
        for (const replica of replicas) {
          await replica.follow()
          replica.run()
        }
        traveller.close()
        fc.pre(stayed.events.every(({ name }) => name !== 'reset'))
        const since = traveller.resets.at(-1)
        const expected = stayed.events.filter(({ id }) => !since || isAfter(id!, since.position))
        if (since && tier === 'hourly')
          expect(expected.map(said)).toEqual(
            expect.arrayContaining(traveller.received.filter(isNews).map(said)),
          )
        else expect(traveller.received).toEqual(expected)
        if (moves.some(({ kind }) => kind === 'cut') && !since) resumed++
      }),
      { numRuns: RUNS },
    )
    expect(resumed).toBeGreaterThan(RUNS / 5)
  })

  test('gets a reset only if the process began later', async () => {
    const quiet = fc.record({
      before: fc.array(steps, { maxLength: 4 }),
      missed: fc.array(steps, { minLength: 1, maxLength: MISSED_MAX }),
      corridors: subscriptions,
      tier: tiers,
      lost: fc.nat(3),
    })
    const soon = quiet.filter(({ before, missed }) => isSoon([...before, ...missed]))
    await fc.assert(
      fc.asyncProperty(soon, async ({ before, missed, corridors, tier, lost }) => {
        const log = new SharedLog()
        log.pass(HOUR_MS)
        const [one, other] = [new Replica(log, SUSPECTING), new Replica(log, SUSPECTING)]
        log.pass(HOUR_MS)
        await one.follow()
        await other.follow()
        const traveller = new Traveller(one, corridors, tier)
        for (const step of before) commit(log, step)
        await one.follow()
        one.run()
        for (const step of missed) commit(log, step)
        traveller.move(other, lost)
        await other.follow()
        other.run()
        traveller.close()
        expect(traveller.resets).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
})

describe('a reader that applies every event', () => {
  const cases = fc.record({
    before: fc.array(steps, { maxLength: 6 }),
    after: fc.array(steps, { maxLength: 20 }),
    corridors: subscriptions,
    tier: tiers,
    isWatched: fc.boolean(),
  })

  test('ends with the prices of /rates', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ before, after, corridors, tier, isWatched }) => {
        const log = new SharedLog()
        for (const step of before) commit(log, step)
        if (tier === 'hourly') log.pass(HOUR_MS)
        const replica = new Replica(log, SUSPECTING)
        const mirror = new Mirror(replica, corridors, tier)
        const listener = new Listener(replica, corridors, { tier })
        // The mirror requests the mid of a corridor at its first quote, at once after an hour.
        const count = tier === 'hourly' ? 1 : undefined
        const follow = async () => {
          while (replica.live.position < log.changes.at(-1)!.position) {
            await replica.follow(count)
            replica.run()
            mirror.apply(listener.events)
          }
        }
        for (const step of after) {
          commit(log, step, isWatched)
          await follow()
        }
        log.pass(HOUR_MS, isWatched)
        await follow()
        expect(mirror.known).toEqual(mirror.truth())
      }),
      { numRuns: RUNS },
    )
  })
})
