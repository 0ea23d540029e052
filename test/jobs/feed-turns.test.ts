import { describe, expect, test } from 'bun:test'
import { FeedTurns } from '~/jobs/feed-turns.ts'
import { Memory } from '~/memory/memory.ts'
import { currency } from '../support/catalogue.ts'
import { dead, feedOf, HOUR_MS, RATES, worldOf } from './feed-world.ts'

/** Turns over a memory that is kept in step with the store, as in a service. */
function turnsOf(feeds = [feedOf('a', () => RATES)], codes: readonly string[] = ['USD', 'KES']) {
  const world = worldOf(feeds)
  const { store, clock } = world
  const memory: Memory = new Memory((publication) => turns.note(publication))
  const publishing = Object.assign(store, {
    append: async (snapshot: Parameters<typeof store.append>[0]) => {
      await Object.getPrototypeOf(store).append.call(store, snapshot)
      memory.publish({ references: store.latest }, clock.now())
    },
    saveState: async (state: Parameters<typeof store.saveState>[0]) => {
      await Object.getPrototypeOf(store).saveState.call(store, state)
      memory.publish({ feeds: state }, clock.now())
    },
  })
  const turns = new FeedTurns({ ...world, store: publishing, memory, pattern: '7 * * * *' })
  const know = (known: readonly string[]) =>
    memory.publish(
      { catalogue: { currencies: known.map((code) => currency(code)), providers: [] } },
      clock.now(),
    )
  know(codes)
  let begun = 0
  const start = () => turns.start(() => void begun++)
  return { turns, feeds, world, memory, clock, know, start, begun: () => begun }
}

describe('FeedTurns', () => {
  test('runs once for each time of the pattern, however often it is called', async () => {
    const { turns, feeds, clock } = turnsOf()
    await turns.run()
    await turns.run()
    expect(feeds[0]!.asked).toBe(1)
    clock.advance(HOUR_MS - 1)
    await turns.run()
    expect(feeds[0]!.asked).toBe(1)
    clock.advance(1)
    await turns.run()
    expect(feeds[0]!.asked).toBe(2)
  })

  test('fetches nothing without a currency, and leaves the time to a later run', async () => {
    const { turns, feeds, know } = turnsOf(undefined, ['USD'])
    await turns.run()
    expect(feeds[0]!.asked).toBe(0)
    know(['USD', 'KES'])
    await turns.run()
    expect(feeds[0]!.asked).toBe(1)
  })

  test('requests active fiat currencies only', async () => {
    const { turns, world, memory, clock } = turnsOf()
    const currencies = [
      currency('KES'),
      currency('NGN', { isActive: false }),
      currency('USDT', { kind: 'stablecoin' }),
    ]
    memory.publish({ catalogue: { currencies, providers: [] } }, clock.now())
    await turns.run()
    const [snapshot] = world.store.snapshots
    expect(snapshot!.rates.map((rate) => rate.currency)).toEqual(['KES'])
  })

  test('fetches no feed at a start within the hour of a successful run', async () => {
    const { turns, feeds, clock, start, begun } = turnsOf()
    await turns.run()
    clock.advance(60_000)
    start()
    await turns.run()
    expect([begun(), feeds[0]!.asked]).toEqual([1, 1])
  })

  test('fetches again at a start after a run without success', async () => {
    const { turns, feeds, clock, start } = turnsOf([feedOf('a', dead())])
    await expect(turns.run()).rejects.toThrow('a returned 503')
    clock.advance(60_000)
    feeds[0]!.say = () => RATES
    start()
    await turns.run()
    expect(feeds[0]!.asked).toBe(2)
  })

  test('fetches other feeds at a start', async () => {
    const { world, memory, turns } = turnsOf()
    await turns.run()
    const b = feedOf('b', () => RATES)
    const later = new FeedTurns({ ...world, feeds: [b], memory, pattern: '7 * * * *' })
    world.clock.advance(60_000)
    later.start(() => {})
    await later.run()
    expect(b.asked).toBe(1)
  })

  test('requests a currency that is new to the catalogue at once, and once', async () => {
    const { turns, feeds, clock, know, start, begun } = turnsOf()
    start()
    await turns.run()
    clock.advance(60_000)
    know(['USD', 'KES', 'NGN'])
    expect(begun()).toBe(2)
    await turns.run()
    expect(feeds[0]!.asked).toBe(2)
    know(['USD', 'KES', 'NGN'])
    know(['USD', 'KES'])
    know(['USD', 'KES', 'NGN'])
    expect(begun()).toBe(2)
  })

  test('does not repeat requests for a currency that no feed has', async () => {
    const { turns, know, start, begun } = turnsOf()
    start()
    await turns.run()
    know(['USD', 'KES', 'SLE'])
    await turns.run()
    for (let i = 0; i < 5; i++) know(['USD', 'KES', 'SLE'])
    expect(begun()).toBe(2)
  })

  test('requests a currency that comes during a run right after it', async () => {
    const { turns, feeds, clock, know, start } = turnsOf()
    start()
    const [a] = feeds
    const { promise, resolve } = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const ask = a!.ask
    a!.ask = async () => {
      asked.resolve()
      await promise
      return ask()
    }
    const run = turns.run()
    await asked.promise
    clock.advance(1000)
    know(['USD', 'KES', 'NGN'])
    a!.ask = ask
    resolve()
    await run
    expect(a!.asked).toBe(2)
  })

  test('has the next time of the pattern, or now during a fetch', async () => {
    const { turns, clock } = turnsOf()
    const nextMs = Date.parse('2024-07-29T15:07:00Z')
    expect(turns.nextMs(clock.now())).toBe(nextMs)
    const run = turns.run()
    expect(turns.nextMs(clock.now())).toBe(clock.now())
    await run
    expect(turns.nextMs(clock.now())).toBe(nextMs)
  })
})
