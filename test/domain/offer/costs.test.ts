import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '~/domain/duration.ts'
import { type CostCandidate, costsOf } from '~/domain/offer/costs.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import { roundPercent } from '~/domain/round.ts'
import { offered } from '../../support/offers.ts'

const PAIR = { sourceCountry: 'GB', targetCountry: 'GH' }
const MID = 100

let lastId = 0

/** A live offer for the pair that costs so many percent of any amount. */
const costing = (
  percent: number,
  said: Partial<Offer> = {},
  more: Partial<Quote> = {},
): CostCandidate => ({
  quote: offered(
    { ...PAIR, feePercent: percent, service: `${++lastId}`, ...said },
    { id: lastId, rate: MID, ...more },
  ),
  isStale: false,
  suspect: null,
  midAtQuote: { rate: MID },
  feeMidAtQuote: null,
})

const ask = (amount = 200) => ({ ...PAIR, amount })
const shown = (x: number | null | undefined) => x && roundPercent(x)

describe('costsOf', () => {
  test('offers are sorted by cost, the cheapest first, those without a cost last', () => {
    const [dear, cheap] = [costing(5), costing(1, {}, { rate: 98 })]
    const unstated = costing(0, { feePercent: null })
    const dayless = { ...costing(0), midAtQuote: null }
    const { offers } = costsOf([unstated, dear, dayless, cheap], ask())
    expect(offers.map(({ cost }) => shown(cost?.totalPct))).toEqual([3, 5, undefined, undefined])
    expect(offers.map(({ candidate }) => candidate).slice(0, 2)).toEqual([cheap, dear])
  })

  test('the mean and the median are computed from offers with a cost', () => {
    const list = [costing(9), costing(1), costing(2), costing(0, { feePercent: null })]
    const odd = costsOf(list, ask())
    expect([odd.averagePct, odd.medianPct]).toEqual([4, 2])
    const even = costsOf([...list, costing(4)], ask())
    expect([even.averagePct, even.medianPct]).toEqual([4, 3])
    expect(costsOf([costing(7)], ask())).toMatchObject({ averagePct: 7, medianPct: 7 })
  })

  test('the mean and the median of costs as shown are rounded half up in their sixth decimal', () => {
    const of = (...percents: number[]) => {
      const candidates = percents.map((percent) => costing(percent))
      return costsOf(candidates, ask())
    }
    expect(of(0.001994, 0.001995)).toMatchObject({
      ...{ averagePct: 0.001995, medianPct: 0.001995, averageExcludingSuspectPct: 0.001995 },
    })
    expect(of(1.500002, 1.5, 0.001995, 0.001994).medianPct).toBe(0.750998)
    expect(of(0.1, 0.1, 0.100002).smart?.pct).toBe(0.100001)
  })

  test('without an offer there is no mean and no goal', () => {
    const none = { averagePct: null, medianPct: null, smart: null, meets: null }
    const counts = { averageExcludingSuspectPct: null, suspectCount: 0, outOfRangeCount: 0 }
    expect(costsOf([], ask())).toEqual({ offers: [], ...none, ...counts })
    expect(costsOf([costing(0, { feePercent: null })], ask())).toMatchObject(none)
  })

  test('an offer that does not name both countries, or names others, does not count', () => {
    const named = costing(4)
    const others: CostCandidate[] = [
      costing(1, { targetCountry: 'NG' }),
      costing(1, { sourceCountry: null }),
      costing(1, { targetCountry: null }),
      { ...costing(1), quote: { ...costing(1).quote, offer: null } },
    ]
    expect(costsOf([...others, named], ask()).offers.map((one) => one.candidate)).toEqual([named])
  })

  test('a price at which no money can be moved does not count', () => {
    const kinds = ['official', 'parallel', 'p2p', 'interbank'] as const
    const list = kinds.map((rateType) => costing(1, {}, { rateType }))
    const counted = costsOf(list, ask()).offers.map((one) => one.candidate.quote.rateType)
    expect(counted.sort()).toEqual(['interbank', 'p2p'])
  })

  test('of the bands of an offer it is the exact one, else the nearest, at its own amount', () => {
    const band = (percent: number, amountMin: number, amountMax: number | null) =>
      costing(percent, { amountMin, amountMax, service: 'Express', channel: 'agent' })
    const list = [band(5, 1, 100), band(4, 100.01, 300), band(3, 500, null)]
    const at = (amount: number) => {
      const [one, ...others] = costsOf(list, ask(amount)).offers
      expect(others).toEqual([])
      return [shown(one!.cost!.totalPct), one!.match.match, one!.match.atAmount]
    }
    expect(at(100)).toEqual([5, 'exact', 100])
    expect(at(300)).toEqual([4, 'exact', 300])
    expect(at(301)).toEqual([4, 'nearest', 300])
    expect(at(499)).toEqual([3, 'nearest', 500])
    expect(at(0.5)).toEqual([5, 'nearest', 1])
  })

  test('the cost of the nearest band is that of its own amount, never scaled', () => {
    const said = { amountMin: 200, amountMax: 200, feePercent: null }
    const fixed = costing(0, said, { fee: 5, feeCurrency: 'USD' })
    const [one] = costsOf([fixed], ask(400)).offers
    expect(one!.match.atAmount).toBe(200)
    expect(one!.cost).toEqual({ feePct: 2.5, marginPct: 0, totalPct: 2.5, total: 5 })
  })

  test('of overlapping bands the cheaper is taken, and a stale one only if there is no other', () => {
    const band = (percent: number, isStale = false) => ({
      ...costing(percent, { amountMin: percent, service: 'x' }),
      isStale,
    })
    const chosen = (list: CostCandidate[]) =>
      costsOf(list, ask()).offers.map(({ cost }) => shown(cost!.totalPct))
    expect(chosen([band(4), band(3)])).toEqual([3])
    expect(chosen([band(4), band(3, true)])).toEqual([4])
    expect(chosen([band(3, true), band(4)])).toEqual([4])
    expect(chosen([band(3, true)])).toEqual([3])
  })

  test('an exact band is taken even if only the nearest is fresh', () => {
    const near = costing(1, { amountMax: 199, service: 'x' })
    const exact = { ...costing(2, { amountMin: 200, service: 'x' }), isStale: true }
    expect(costsOf([near, exact], ask()).offers.map((one) => one.candidate)).toEqual([exact])
  })

  test('of bands for other amounts a fresh one is taken even if a stale one is nearer', () => {
    const near = { ...costing(1, { amountMax: 199, service: 'x' }), isStale: true }
    const fresh = costing(2, { amountMax: 150, service: 'x' })
    for (const list of [
      [near, fresh],
      [fresh, near],
    ])
      expect(costsOf(list, ask()).offers.map((one) => one.candidate)).toEqual([fresh])
  })

  test('suspect offers count for the mean and the median, and come after the usual ones', () => {
    const suspect = { ...costing(1), suspect: { offPct: 15, isOfDay: true } }
    const far = costing(0, { amountMin: 401 })
    const [dear, cheap] = [costing(9), costing(5)]
    for (const list of [
      [far, suspect, dear, cheap],
      [cheap, dear, suspect, far],
    ]) {
      const { offers, ...figures } = costsOf(list, ask())
      expect(offers.map(({ candidate }) => candidate)).toEqual([cheap, dear, suspect, far])
      expect(figures).toMatchObject({ averagePct: 5, medianPct: 5, averageExcludingSuspectPct: 7 })
      expect(figures).toMatchObject({ suspectCount: 1, outOfRangeCount: 1 })
    }
  })

  test('offers out of range are sorted by the distance of their amounts, then by rate and by time', () => {
    const from = (amountMin: number, more: Partial<Quote>) => costing(1, { amountMin }, more)
    const near = from(401, { rate: 90, atMs: 1 })
    const [better, newer, older] = [
      from(500, { rate: 99, atMs: 1 }),
      from(500, { rate: 98, atMs: 3 }),
      from(500, { rate: 98, atMs: 2 }),
    ]
    const order = [near, better, newer, older]
    for (const list of [order, order.toReversed(), [newer, older, near, better]])
      expect(costsOf(list, ask()).offers.map(({ candidate }) => candidate)).toEqual(order)
  })

  test('equal costs are sorted by time, then by provider', () => {
    const early = costing(1, {}, { atMs: 1, providerId: 'a' })
    const late = costing(1, {}, { atMs: 2, providerId: 'z' })
    const other = costing(1, {}, { atMs: 2, providerId: 'y' })
    const list = costsOf([early, late, other], ask()).offers
    expect(list.map(({ candidate }) => candidate)).toEqual([other, late, early])
  })
})

describe('smart', () => {
  test('is the mean of the three cheapest', () => {
    const { smart } = costsOf([costing(9), costing(3), costing(1), costing(2)], ask())
    expect(smart!.pct).toBe(2)
    expect(smart!.offers.map(({ cost }) => cost!.totalPct)).toEqual([1, 2, 3])
  })

  test('is null with fewer than three that count', () => {
    expect(costsOf([costing(1), costing(2)], ask()).smart).toBeNull()
    const slow = costing(1, { deliveryMaxMs: 5 * DAY_MS + 1 })
    const unstated = costing(1, { feePercent: null })
    expect(costsOf([costing(1), costing(2), slow, unstated], ask()).smart).toBeNull()
  })

  test('an offer that takes longer than five days does not count, and one without a time does', () => {
    const slow = costing(0, { deliveryMaxMs: 6 * DAY_MS })
    const later = costing(0, { deliveryMinMs: 6 * DAY_MS })
    const just = costing(1, { deliveryMaxMs: 5 * DAY_MS })
    const { smart } = costsOf([slow, later, just, costing(2), costing(3)], ask())
    expect(smart!.pct).toBe(2)
  })

  test('names the World Bank conditions that could not be checked', () => {
    const fast = (percent: number) => costing(percent, { deliveryMaxMs: 0 })
    const unchecked = (list: CostCandidate[]) => costsOf(list, ask()).smart!.unchecked
    expect(unchecked([fast(1), fast(2), fast(3), costing(4)])).toEqual(['accessibility'])
    expect(unchecked([fast(1), costing(2), fast(3)])).toEqual(['speed', 'accessibility'])
  })
})

describe('meets', () => {
  const meets = (percent: number) => costsOf([costing(percent)], ask()).meets
  test('is true for a mean of exactly the goal, as it is shown', () => {
    expect(meets(1)).toEqual({ sdg3: true, sdg5: true, g20: true })
    expect(meets(1.000001)).toEqual({ sdg3: true, sdg5: true, g20: false })
    expect(meets(3.0000001)).toEqual({ sdg3: true, sdg5: true, g20: false })
    expect(meets(5)).toEqual({ sdg3: false, sdg5: true, g20: false })
    expect(meets(5.1)).toEqual({ sdg3: false, sdg5: false, g20: false })
  })

  test('is true for every goal above one that is met, in any order of the offers', () => {
    const percents = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(percents, fc.boolean(), (list, isReversed) => {
        const candidates = list.map((hundredths) => costing(hundredths / 100))
        const costs = costsOf(candidates, ask())
        const { g20, sdg3, sdg5 } = costs.meets!
        expect((!g20 || sdg3) && (!sdg3 || sdg5)).toBe(true)
        expect(costsOf(isReversed ? candidates.toReversed() : candidates, ask())).toEqual(costs)
        const hundredths = list.toSorted((a, b) => a - b).slice(0, 3)
        const millionths = hundredths.reduce((sum, one) => sum + one * 10_000, 0)
        if (list.length < 3) expect(costs.smart).toBeNull()
        else expect(costs.smart!.pct).toBe(Math.round(millionths / 3) / 1e6)
      }),
    )
  })
})
