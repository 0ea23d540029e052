import { describe, expect, test } from 'bun:test'
import { summaryOf } from '~/jobs/feed-records.ts'
import { fetchReferences } from '~/jobs/fetch-references.ts'
import { dead, feedOf, HOUR_MS, KNOWN, RATES, worldOf } from './feed-world.ts'

const times = (factor: number) =>
  Object.fromEntries(
    Object.entries(RATES).map(([code, rate]) => [code, code === 'USD' ? 1 : rate * factor]),
  )

function threeFeeds() {
  const feeds = [
    feedOf('a', () => RATES),
    feedOf('b', () => times(1.001)),
    feedOf('c', () => times(0.999)),
  ] as const
  return { feeds, world: worldOf(feeds, { mode: 'consensus' }) }
}

async function nextRun(world: ReturnType<typeof worldOf>) {
  world.clock.advance(HOUR_MS)
  const outcome = (await fetchReferences(world))!
  const support = outcome.support.find(({ currency }) => currency === 'KES')!
  return { outcome, support, mid: world.store.mid('USD', 'KES')! }
}

describe('fetchReferences in the mode consensus', () => {
  test('fetches every feed and records the median under all names', async () => {
    const { feeds, world } = threeFeeds()
    const { outcome, support, mid } = await nextRun(world)
    expect(feeds.map(({ asked }) => asked)).toEqual([1, 1, 1])
    expect(world.store.snapshots).toMatchObject([{ source: 'a,b,c' }])
    expect(mid).toMatchObject({ rate: 131, source: 'a,b,c' })
    expect(support).toMatchObject({ basis: 'consensus', left: [] })
    expect(support.dispersionBps).toBeCloseTo(10, 6)
    expect(outcome.feeds.map(({ result }) => result)).toEqual(['served', 'filled', 'filled'])
  })

  test('one feed that is a hundred times off in one currency is named and left out', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    feeds[0].say = () => ({ ...RATES, KES: 1.31 })
    const { outcome, support, mid } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 131, source: 'b,c' })
    expect(support).toMatchObject({
      basis: 'consensus',
      left: [{ source: 'a', perUsd: '1.31' }],
    })
    expect(outcome.held).toEqual([])
    expect(summaryOf(outcome)).toContain('not used, as feeds disagree: KES 1.31 of a')
    await nextRun(world)
    const named = 'warn: reference KES of a is not used: it disagrees with other feeds'
    expect(world.log.said).toEqual([named])
    feeds[0].say = () => RATES
    await nextRun(world)
    expect(world.log.said).toEqual([named, 'info: reference KES is no longer disputed by a feed'])
  })

  test('two currencies swapped by one feed keep their mids', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    feeds[1].say = () => ({ ...times(1.001), KES: RATES.UGX, UGX: RATES.KES })
    const { mid, support } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 130.9345, source: 'a,c' })
    expect(support.left.map(({ source }) => source)).toEqual(['b'])
  })

  test('a feed a day ahead is refused as a whole, and the others agree', async () => {
    const { feeds, world } = threeFeeds()
    feeds[0].upstreamMs = world.clock.now() + 24 * HOUR_MS
    const { outcome, mid } = await nextRun(world)
    expect(mid.source).toBe('b,c')
    expect(outcome.feeds[0]!.message).toBe('dates its rates in the future')
  })

  test('a re-pricing of 40 % that feeds agree on is accepted in its first run', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const [i, feed] of feeds.slice(0, 2).entries())
      feed.say = () => ({ ...RATES, KES: 183 + i })
    const { mid, outcome } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 183.5, source: 'a,b' })
    expect(outcome.released).toEqual([])
  })

  test('two of three that agree on a wrong value are believed', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const feed of feeds.slice(1)) feed.say = () => ({ ...RATES, KES: 1.31 })
    const { mid, support } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 1.31, source: 'b,c' })
    expect(support).toMatchObject({ basis: 'consensus', left: [{ source: 'a', perUsd: '131' }] })
  })

  test('without two that respond, one counts by the rules for moves', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const feed of feeds.slice(1)) feed.say = dead()
    const { mid, support } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 131, source: 'a' })
    expect(support).toEqual({ currency: 'KES', basis: 'single', dispersionBps: null, left: [] })
    feeds[0].say = () => ({ ...RATES, KES: 1.31 })
    const { mid: kept, outcome } = await nextRun(world)
    expect(kept.rate).toBe(131)
    expect(outcome.held).toMatchObject([{ currency: 'KES', perUsd: '1.31' }])
  })

  test('two that disagree dispute the value, and the first that did not move far counts', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    feeds[2].say = dead()
    feeds[1].say = () => ({ ...RATES, KES: 135 })
    const { mid, support } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 131, source: 'a' })
    expect(support).toMatchObject({ basis: 'disputed', left: [{ source: 'b', perUsd: '135' }] })
    feeds[0].say = () => ({ ...RATES, KES: 1.31 })
    const faulty = await nextRun(world)
    expect(faulty.mid).toMatchObject({ rate: 135, source: 'b' })
    expect(faulty.support).toMatchObject({ left: [{ source: 'a', perUsd: '1.31' }] })
  })

  test('a feed that multiplied everything is refused, and the state survives its JSON', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    feeds[0].say = () => times(100)
    const { outcome, mid } = await nextRun(world)
    expect(outcome.feeds[0]!.message).toBe('moved 10 of 10 currencies at once; not believed')
    expect(mid.source).toBe('b,c')
    expect((await world.store.loadState())!.support).toEqual(outcome.support)
    for (const feed of feeds) feed.say = dead()
    world.clock.advance(HOUR_MS)
    await fetchReferences(world)
    expect((await world.store.loadState())!.support).toEqual(outcome.support)
  })

  test('a feed that repeats its rates of before a move is left out, and named', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const feed of feeds.slice(1)) feed.say = () => ({ ...RATES, KES: 142 })
    const { mid, support } = await nextRun(world)
    expect(mid).toMatchObject({ rate: 142, source: 'b,c', basis: 'consensus' })
    expect(support.left).toEqual([{ source: 'a', perUsd: '131' }])
  })

  test('a feed that rounds to two digits moves nothing beyond the others', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    feeds[0].say = () => ({ ...RATES, KES: 130, EUR: 0.9, NGN: 1600 })
    const { mid } = await nextRun(world)
    expect(mid.rate).toBeGreaterThanOrEqual(131 * 0.999)
    expect(mid.rate).toBeLessThanOrEqual(131 * 1.001)
    expect(world.store.mid('USD', 'EUR')!.rate).toBe(0.91908)
  })

  test('a feed that rounds everything to two digits is not accepted next to finer ones', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    feeds[0].say = () =>
      Object.fromEntries(
        Object.entries(RATES).map(([code, rate]) => [code, Number(rate.toPrecision(2))]),
      )
    const { outcome, mid } = await nextRun(world)
    expect(outcome.feeds[0]!.message).toBe(
      'rounded 10 of 10 currencies to two digits; other feeds have more',
    )
    expect(mid).toMatchObject({ rate: 131, source: 'b,c', basis: 'consensus' })
    for (const feed of feeds.slice(1)) feed.say = dead()
    expect((await nextRun(world)).mid).toMatchObject({ rate: 130, source: 'a', basis: 'single' })
  })

  test("a feed that repeats its rates of days ago under today's date is refused and named", async () => {
    const { feeds, world } = threeFeeds()
    const [a] = feeds
    const sayOn = async (factor: number) => {
      a.upstreamMs += 24 * HOUR_MS
      world.clock.advance(23 * HOUR_MS)
      a.say = () => times(factor)
      return (await nextRun(world)).outcome.feeds[0]!
    }
    for (const factor of [1, 1.002, 1.002, 1.001]) expect((await sayOn(factor)).message).toBeNull()
    const { result, message } = await sayOn(1)
    expect([result, message]).toEqual([
      'failed',
      'repeats its rates of 2024-07-30T12:00:00.000Z under a newer date',
    ])
    expect(world.store.mid('USD', 'KES')!.source).toBe('b,c')
    a.upstreamMs -= 5 * 24 * HOUR_MS
    world.clock.advance(-1)
    expect((await sayOn(1)).message).toBeNull()
  })

  test('one feed alone for a week keeps prices coming, and a re-pricing of 40 % takes two runs', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const feed of feeds.slice(1)) feed.say = dead()
    for (let day = 1; day <= 6; day++) {
      world.clock.advance(23 * HOUR_MS)
      feeds[0].upstreamMs = world.clock.now()
      feeds[0].say = () => ({ ...RATES, KES: 131 + day })
      const { mid } = await nextRun(world)
      expect(mid).toMatchObject({ rate: 131 + day, source: 'a', basis: 'single' })
    }
    feeds[0].say = () => ({ ...RATES, KES: 192 })
    expect((await nextRun(world)).mid.rate).toBe(137)
    expect((await nextRun(world)).mid).toMatchObject({ rate: 192, basis: 'single' })
  })

  test('a feed added, removed or moved in the list changes no value beyond the others', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    const [a, b, c] = feeds
    const rates: number[] = []
    for (const list of [
      [a, b, c, feedOf('d', () => times(1.002))],
      [c, a],
      [feedOf('a2', a.say), c],
    ]) {
      const { mid } = await nextRun({ ...world, feeds: list })
      rates.push(mid.rate)
      expect(mid.basis).toBe('consensus')
      expect(mid.source).toBe(list.map(({ source }) => source).join())
    }
    expect(rates.every((rate) => Math.abs(rate / 131 - 1) <= 0.001)).toBe(true)
    expect((await world.store.loadState())!.feeds.map(({ id }) => id)).toEqual(['a2', 'c'])
  })

  test('a redenomination counts once feeds agree on it, whichever starts', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    const renamed = () => ({ ...RATES, GHS: RATES.GHS * 1000 })
    feeds[2].say = renamed
    const early = await nextRun(world)
    expect(world.store.mid('USD', 'GHS')!.rate).toBeCloseTo(15.4, 1)
    expect(early.outcome.support.find(({ currency }) => currency === 'GHS')!.left).toEqual([
      { source: 'c', perUsd: '15400' },
    ])
    feeds[1].say = renamed
    await nextRun(world)
    expect(world.store.mid('USD', 'GHS')).toMatchObject({ rate: 15400, source: 'b,c' })
  })

  test.each([
    { old: 'SLL', oldRate: 22_700, fresh: 'SLE', rate: 22.7 },
    { old: 'ZWL', oldRate: 66_900, fresh: 'ZWG', rate: 26.8 },
  ])(
    'a new code and the old one, each with its own value, dispute neither: $fresh',
    async (one) => {
      const { old, oldRate, fresh, rate } = one
      const { feeds, world } = threeFeeds()
      const both = { ...RATES, [old]: oldRate, [fresh]: rate }
      for (const feed of feeds.slice(0, 2)) feed.say = () => both
      feeds[2].say = () => ({ ...RATES, [fresh]: oldRate })
      const known = () => [...KNOWN, old, fresh]
      await nextRun({ ...world, known })
      expect(world.store.mid('USD', fresh)).toMatchObject({ rate, source: 'a,b' })
      expect(world.store.mid('USD', old)).toMatchObject({ rate: oldRate, basis: 'consensus' })
    },
  )

  test.each([
    { code: 'SLE', rate: 22.7, oldRate: 22_700 },
    { code: 'ZWG', rate: 26.8, oldRate: 66_900 },
  ])(
    'one feed of two that puts the old value below the new code moves nothing: $code',
    async (one) => {
      const { code, rate, oldRate } = one
      const { feeds, world } = threeFeeds()
      feeds[2].say = dead()
      const known = () => [...KNOWN, code]
      for (const feed of feeds.slice(0, 2)) feed.say = () => ({ ...RATES, [code]: rate })
      await nextRun({ ...world, known })
      for (const wrong of [0, 1] as const) {
        feeds[wrong].say = () => ({ ...RATES, [code]: oldRate })
        feeds[1 - wrong]!.say = () => ({ ...RATES, [code]: rate })
        for (let run = 0; run < 3; run++) {
          await nextRun({ ...world, known })
          expect(world.store.mid('USD', code)!.rate).toBe(rate)
        }
      }
    },
  )

  test('a peg given up is followed if feeds agree, in the values as in the dispersion', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const [i, feed] of feeds.entries()) feed.say = () => ({ ...RATES, XOF: 850 + i })
    await nextRun(world)
    const mid = world.store.mid('USD', 'XOF')!
    expect(mid).toMatchObject({ rate: 851, basis: 'consensus' })
    expect(mid.dispersionBps).toBeCloseTo(11.75, 1)
  })

  test('a move of more than 5 % by one feed alone is remembered for a day', async () => {
    const { feeds, world } = threeFeeds()
    await nextRun(world)
    for (const feed of feeds.slice(1)) feed.say = dead()
    feeds[0].say = () => ({ ...RATES, KES: 131 * 1.06 })
    const movedOf = async () =>
      (await world.store.loadState())!.support!.flatMap(({ currency, moved }) =>
        moved ? [[currency, Math.round(moved.pct)]] : [],
      )
    await nextRun(world)
    expect(await movedOf()).toEqual([['KES', 6]])
    await nextRun(world)
    expect(await movedOf()).toEqual([['KES', 6]])
    world.clock.advance(24 * HOUR_MS)
    await nextRun(world)
    expect(await movedOf()).toEqual([])
  })
})
