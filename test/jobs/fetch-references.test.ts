import { describe, expect, test } from 'bun:test'
import { FeedError } from '~/domain/feed/feed.ts'
import { GUARD_RULES, trustingRules } from '~/domain/feed/guard.ts'
import { summaryOf } from '~/jobs/feed-records.ts'
import { fetchReferences, runFetchReferences } from '~/jobs/fetch-references.ts'
import { dead, feedOf, HOUR_MS, KNOWN, RATES, worldOf } from './feed-world.ts'

describe('fetchReferences', () => {
  test("records the rates of the first feed, with our time and the feed's", async () => {
    const [a, b] = [feedOf('a', () => RATES), feedOf('b', () => RATES)]
    const world = worldOf([a, b])
    const outcome = await fetchReferences(world)
    expect(outcome).toMatchObject({ source: 'a', held: [], missing: [] })
    expect(world.store.snapshots).toMatchObject([
      { source: 'a', fetchedMs: world.clock.now(), upstreamMs: a.upstreamMs },
    ])
    const { rates } = world.store.snapshots[0]!
    expect(rates.map(({ currency }) => currency)).toEqual(KNOWN.slice(1))
    expect(b.asked).toBe(0)
    expect(outcome!.feeds.map(({ result }) => result)).toEqual(['served', 'not_asked'])
  })

  test('takes currencies that the first feed lacks from the next, under its name and time', async () => {
    const { ETB, MAD, ...rest } = RATES
    const world = worldOf([feedOf('a', () => rest), feedOf('b', () => ({ ETB, XXX: 1 }))])
    const outcome = await fetchReferences(world)
    expect(world.store.snapshots.map(({ source }) => source)).toEqual(['a', 'b'])
    expect(world.store.snapshots[1]!.rates).toMatchObject([{ currency: 'ETB', perUsd: '57.7' }])
    expect(outcome!.missing).toEqual(['MAD'])
    expect(outcome!.feeds.map(({ result }) => result)).toEqual(['served', 'filled'])
    expect(world.store.mid('NGN', 'ETB')!.source).toBe('a+b')
  })

  test('leaves the old value with its old time if the new one is held back', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a])
    await fetchReferences(world)
    const before = world.store.mid('USD', 'ETB')
    world.clock.advance(HOUR_MS)
    a.say = () => ({ ...RATES, ETB: 74.74 })
    const outcome = await fetchReferences(world)
    expect(world.store.mid('USD', 'ETB')).toEqual(before!)
    expect(world.store.mid('USD', 'NGN')!.atMs).toBe(world.clock.now())
    expect(outcome!.held).toMatchObject([{ currency: 'ETB', perUsd: '74.74', standing: 57.7 }])
    world.clock.advance(HOUR_MS)
    const next = await fetchReferences(world)
    expect(world.store.mid('USD', 'ETB')!.rate).toBe(74.74)
    expect(next!.released).toMatchObject([{ currency: 'ETB', ground: 'second_fetch' }])
    expect(world.log.said).toEqual([
      'warn: reference ETB is held back: it moved too far',
      'info: reference ETB is accepted: it was confirmed',
    ])
  })

  test('does not accept a wrong value that is fetched by hand in a row', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a])
    await fetchReferences(world)
    a.say = () =>
      Object.fromEntries(Object.entries(RATES).map(([c, r]) => [c, c === 'USD' ? 1 : r * 10]))
    for (let run = 0; run < 4; run++) {
      const outcome = await fetchReferences(world)
      expect(outcome).toMatchObject({ source: null, snapshots: [], held: [] })
      expect(outcome!.feeds[0]!.message).toBe('moved 10 of 10 currencies at once; not believed')
    }
    const outcome = await fetchReferences({ ...world, rules: trustingRules(GUARD_RULES) })
    expect(outcome!.source).toBe('a')
  })

  test('refuses an implausible response as a whole, and fetches the next feed', async () => {
    const world = worldOf([feedOf('a', () => ({ ...RATES, KES: -131 })), feedOf('b', () => RATES)])
    const outcome = await fetchReferences(world)
    expect(outcome).toMatchObject({ source: 'b' })
    expect(outcome!.feeds[0]).toMatchObject({
      result: 'failed',
      fault: 'implausible',
      message: 'gives a number for KES that is not a valid price',
    })
    expect(world.store.snapshots).toHaveLength(1)
  })

  test('records no snapshot of a short response, but may fill gaps with it', async () => {
    const { ETB, NGN, KES, ...rest } = RATES
    const [short, long] = [feedOf('short', () => ({ NGN, KES })), feedOf('long', () => rest)]
    const world = worldOf([short, long])
    expect(await fetchReferences(world)).toMatchObject({
      source: 'long',
      missing: ['NGN', 'KES', 'ETB'],
    })
    const outcome = await fetchReferences({ ...world, feeds: [long, short] })
    expect(outcome).toMatchObject({ source: 'long', missing: ['ETB'] })
  })

  test('compares with the newest of several current values', async () => {
    const world = worldOf([feedOf('a', () => RATES)])
    await fetchReferences(world)
    const [etb] = (await world.store.live()).filter(({ currency }) => currency === 'ETB')
    const older = { ...etb!, atMs: etb!.atMs - HOUR_MS, perUsd: 577 }
    const live = async () => [etb!, older]
    const outcome = await fetchReferences({
      ...world,
      store: Object.assign(world.store, { live }),
    })
    expect(outcome!.held).toEqual([])
  })

  test('fetches nothing without currencies or without feeds', async () => {
    const a = feedOf('a', () => RATES)
    await runFetchReferences(worldOf([a], { known: () => ['USD'] }))
    await runFetchReferences(worldOf([]))
    expect(a.asked).toBe(0)
  })

  test('skips a feed after an unexpected error, and hides its message', async () => {
    const bug = new TypeError('https://token@host is undefined')
    const world = worldOf([feedOf('a', dead(bug as FeedError)), feedOf('b', () => RATES)])
    const outcome = await fetchReferences(world)
    expect(outcome!.source).toBe('b')
    expect(JSON.stringify([outcome, await world.store.loadState()])).not.toContain('token')
    expect(world.log.said[0]).toBe('error: a reference feed failed because of a bug')
  })

  test('rejects when the store does, and catches up in the next run', async () => {
    const world = worldOf([feedOf('a', () => RATES)])
    world.store.failure = new Error('away')
    await expect(fetchReferences(world)).rejects.toThrow('away')
    world.store.failure = null
    expect(await fetchReferences(world)).toMatchObject({ source: 'a' })
  })
})

describe('replicas', () => {
  test('do nothing while another one fetches', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a])
    const outcomes = await Promise.all([fetchReferences(world), fetchReferences(world)])
    expect(outcomes.map((outcome) => outcome?.source)).toEqual(['a', undefined])
    expect(a.asked).toBe(1)
  })

  test('run once for each scheduled time, even when the run was over before the others began', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a])
    const slotMs = world.clock.now()
    expect(await fetchReferences(world, slotMs)).not.toBeNull()
    world.clock.advance(900)
    expect(await fetchReferences(world, slotMs)).toBeNull()
    world.clock.advance(HOUR_MS)
    expect(await fetchReferences(world, slotMs + HOUR_MS)).not.toBeNull()
    expect(a.asked).toBe(2)
  })

  test('run after a clock was turned back, and not again by one a little behind', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a])
    await fetchReferences(world)
    world.clock.advance(-60_000)
    expect(await fetchReferences(world, world.clock.now())).toBeNull()
    world.clock.advance(-1)
    expect(await fetchReferences(world, world.clock.now())).not.toBeNull()
    expect(a.asked).toBe(2)
  })
})

describe('feed records', () => {
  test('have when each feed last succeeded and failed, and why', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a])
    const firstMs = world.clock.now()
    await fetchReferences(world)
    a.say = dead()
    world.clock.advance(HOUR_MS)
    await fetchReferences(world)
    const { feeds, ranMs } = (await world.store.loadState())!
    expect(ranMs).toBe(world.clock.now())
    expect(feeds).toMatchObject([
      {
        id: 'a',
        succeededMs: firstMs,
        failedMs: world.clock.now(),
        fault: 'http_error',
        message: 'returned 503',
        isFailing: true,
        currencies: 10,
      },
    ])
  })

  test('are logged when they change, not at every run', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([a, feedOf('b', () => RATES)])
    await fetchReferences(world)
    a.say = dead()
    for (let run = 0; run < 3; run++) await fetchReferences(world)
    a.say = () => RATES
    for (let run = 0; run < 3; run++) await fetchReferences(world)
    expect(world.log.said).toEqual([
      'warn: reference feed a returned 503',
      'info: reference feed a works again',
    ])
  })

  test('honour the pause that a feed asked for, for a day at most', async () => {
    const error = new FeedError('rate_limited', 'returned 429', { retryAfterMs: 1_200_000 })
    const a = feedOf('a', dead(error))
    const world = worldOf([a, feedOf('b', () => RATES)])
    await fetchReferences(world)
    world.clock.advance(1_199_999)
    const outcome = await fetchReferences(world)
    expect(a.asked).toBe(1)
    expect(outcome!.feeds[0]!.message).toBe('asked for no requests before 2024-07-29T14:27:00.000Z')
    const { feeds } = (await world.store.loadState())!
    expect(feeds[0]).toMatchObject({ message: 'returned 429', waitUntilMs: world.clock.now() + 1 })
    world.clock.advance(1)
    a.say = dead(new FeedError('rate_limited', 'returned 429', { retryAfterMs: 900 * HOUR_MS }))
    await fetchReferences(world)
    expect(a.asked).toBe(2)
    world.clock.advance(24 * HOUR_MS)
    await fetchReferences(world)
    expect(a.asked).toBe(3)
  })
})

describe('runFetchReferences', () => {
  test('rejects with the result of each feed when none served', async () => {
    const hung = new FeedError('timeout', 'did not respond within 10 s')
    const world = worldOf([feedOf('a', dead()), feedOf('b', dead(hung))])
    await expect(runFetchReferences(world)).rejects.toThrow(
      'no reference feed returned usable rates: a returned 503; b did not respond within 10 s',
    )
  })
})

describe('summaryOf', () => {
  test('is one line with the feed that responded, its values, and what is missing', async () => {
    const a = feedOf('a', () => RATES)
    const world = worldOf([feedOf('z', dead()), a])
    await fetchReferences(world)
    const { MAD, ...rest } = RATES
    a.say = () => ({ ...rest, ETB: 74.74 })
    expect(summaryOf((await fetchReferences(world))!)).toBe(
      'z returned 503; a served 8 currencies of 2024-07-29T12:00:00.000Z; ' +
        'held back: ETB 57.7 to 74.74; missing from every feed: MAD',
    )
  })
})
