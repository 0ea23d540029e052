import { describe, expect, test } from 'bun:test'
import { knownRanges, matchOf, nearestRanges, sendingOf } from '~/domain/offer/band.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

const band = (amountMin: number | null, amountMax: number | null) =>
  offered({ amountMin, amountMax }, { rate: 10, fee: 5, feeCurrency: 'USD' })

describe('matchOf', () => {
  test('an amount within the band is matched exactly, both ends included', () => {
    for (const amount of [100, 250, 500])
      expect(matchOf(band(100, 500), amount)).toEqual({
        match: 'exact',
        atAmount: amount,
        ratio: 1,
      })
  })

  test('an end that is not named is open, and an offer without a band covers every amount', () => {
    expect(matchOf(band(100, null), 1e15).match).toBe('exact')
    expect(matchOf(band(null, 500), 1e-9).match).toBe('exact')
    expect(matchOf(band(null, null), 7).match).toBe('exact')
    expect(matchOf(quote(), 7).match).toBe('exact')
    expect(matchOf(band(0, 500), 1e-9).match).toBe('exact')
  })

  test('an amount outside has the nearer end, and the ratio to it on either side', () => {
    expect(matchOf(band(100, 500), 50)).toEqual({ match: 'nearest', atAmount: 100, ratio: 2 })
    expect(matchOf(band(100, 500), 1000)).toEqual({ match: 'nearest', atAmount: 500, ratio: 2 })
    expect(matchOf(band(100, 100), 100.01).match).toBe('nearest')
  })

  test('an amount at exactly twice an end is still near, and one digit beyond is out of range', () => {
    expect(matchOf(band(0.1, 0.3), 0.6).match).toBe('nearest')
    expect(matchOf(band(0.1, 0.3), 0.600000000001).match).toBe('out_of_range')
    expect(matchOf(band(0.1, 0.3), 0.05).match).toBe('nearest')
    expect(matchOf(band(100, 500), 49.9999999999)).toEqual({
      match: 'out_of_range',
      atAmount: 100,
      ratio: 100 / 49.9999999999,
    })
    expect(matchOf(band(100, 500), 1000.00000001).match).toBe('out_of_range')
  })
})

describe('knownRanges', () => {
  const ranges = (...bands: [number | null, number | null][]) =>
    knownRanges(bands.map(([least, most]) => band(least, most))).map(({ least, most }) => [
      least,
      most,
    ])

  test('widens each band by the factor and merges those that meet', () => {
    expect(ranges([380, 380], [150, 150])).toEqual([[75, 760]])
    expect(ranges([100, 100], [1000, 2000], [300, 300])).toEqual([[50, 4000]])
    expect(ranges([100, 100], [400, 400])).toEqual([[50, 800]])
    expect(ranges([100, 100], [1000, 2000])).toEqual([
      [50, 200],
      [500, 4000],
    ])
  })

  test('an end that is not named is open, and no offers are for no amounts', () => {
    expect(ranges([null, 100], [1000, null])).toEqual([
      [0, 200],
      [500, Number.POSITIVE_INFINITY],
    ])
    expect(ranges([null, null], [3, 3])).toEqual([[0, Number.POSITIVE_INFINITY]])
    expect(knownRanges([quote()])).toEqual([{ least: 0, most: Number.POSITIVE_INFINITY }])
    expect(ranges()).toEqual([])
  })

  test('the nearest to an amount are kept, ascending', () => {
    const all = knownRanges([band(1, 1), band(10, 10), band(100, 100), band(1000, 1000)])
    const kept = (amount: number | null) =>
      nearestRanges(all, { amount, max: 2 }).map(({ least }) => least)
    expect(kept(1e6)).toEqual([50, 500])
    expect(kept(4)).toEqual([0.5, 5])
    expect(kept(null)).toEqual([0.5, 5])
  })
})

describe('sendingOf', () => {
  test("the amount needed is sent, if it is within the offer's band", () => {
    expect(sendingOf(band(100, 500), 2000, null)).toEqual({
      sent: 205,
      match: { match: 'exact', atAmount: 205, ratio: 1 },
      isMinimum: false,
    })
    expect(sendingOf(quote({ rate: 10 }), 2000, null)!.sent).toBe(200)
  })

  test('an offer with a minimum sends no less, even if more arrives than was asked', () => {
    expect(sendingOf(band(100, 500), 10, null)).toMatchObject({ sent: 100, isMinimum: true })
    expect(sendingOf(band(100, null), 10, null)!.match.match).toBe('exact')
    expect(sendingOf(band(100, 500), 950, null)).toMatchObject({ sent: 100, isMinimum: false })
  })

  test("an amount beyond the offer's band is sent, and marked as the nearest", () => {
    expect(sendingOf(band(100, 500), 9950, null)).toEqual({
      sent: 1000,
      match: { match: 'nearest', atAmount: 500, ratio: 2 },
      isMinimum: false,
    })
  })

  test('a price surveyed at one amount is the nearest on both sides of it', () => {
    const surveyed = (gets: number) => sendingOf(band(200, 200), gets, null)!
    expect(surveyed(1950)).toMatchObject({ sent: 200, match: { match: 'exact' } })
    expect(surveyed(950)).toMatchObject({ sent: 100, match: { match: 'nearest', atAmount: 200 } })
    expect(surveyed(3950)).toMatchObject({ sent: 400, match: { match: 'nearest', ratio: 2 } })
  })

  test("nothing is sent out of the offer's range, even if its price would suffice", () => {
    expect(sendingOf(band(100, 500), 9950.1, null)).toMatchObject({
      sent: null,
      match: { match: 'out_of_range', atAmount: 500 },
    })
    expect(sendingOf(band(200, 200), 940, null)!.sent).toBeNull()
  })

  test('is null if the fee has no price', () => {
    expect(sendingOf(quote({ fee: 1, feeCurrency: 'GBP' }), 10, null)).toBeNull()
  })
})
