import { describe, expect, test } from 'bun:test'
import { matchOf, sendingOf } from '~/domain/offer/band.ts'
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
})

describe('sendingOf', () => {
  test('what is needed is sent, if the offer is for that', () => {
    expect(sendingOf(band(100, 500), 2000, null)).toEqual({
      sent: 205,
      match: { match: 'exact', atAmount: 205, ratio: 1 },
    })
    expect(sendingOf(quote({ rate: 10 }), 2000, null)!.sent).toBe(200)
  })

  test('an offer from an amount on sends no less, even if more arrives than was asked', () => {
    expect(sendingOf(band(100, 500), 10, null)!.sent).toBe(100)
    expect(sendingOf(band(100, null), 10, null)!.match.match).toBe('exact')
  })

  test('more than the offer is for is sent all the same, and told as the nearest', () => {
    expect(sendingOf(band(100, 500), 9950, null)).toEqual({
      sent: 1000,
      match: { match: 'nearest', atAmount: 500, ratio: 2 },
    })
  })

  test('a price surveyed at one amount is the nearest on both sides of it', () => {
    const surveyed = (gets: number) => sendingOf(band(200, 200), gets, null)!
    expect(surveyed(1950)).toMatchObject({ sent: 200, match: { match: 'exact' } })
    expect(surveyed(950)).toMatchObject({ sent: 100, match: { match: 'nearest', atAmount: 200 } })
    expect(surveyed(3950)).toMatchObject({ sent: 400, match: { match: 'nearest', ratio: 2 } })
  })

  test('is null if the fee has no price', () => {
    expect(sendingOf(quote({ fee: 1, feeCurrency: 'GBP' }), 10, null)).toBeNull()
  })
})
