import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { convertedAt, netConverted } from '~/domain/convert.ts'
import { costOf, feeInSource, marginPct, partOf } from '~/domain/price/cost.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import { quote } from '../../support/quotes.ts'

const day = { mid: 131.25, feeMid: null }

describe('marginPct', () => {
  test('is how far the rate lies below the mid, in percent of the mid', () => {
    expect(marginPct(130, 130)).toBe(0)
    expect(roundPercent(marginPct(127.4, 130))).toBe(2)
    expect(roundPercent(marginPct(131.3, 130))).toBe(-1)
  })
})

describe('costOf', () => {
  test('a fee in the source currency is added to the cost unchanged', () => {
    const cost = costOf(quote({ rate: 128.625, fee: 5, feeCurrency: 'USD' }), 200, day)!
    expect(roundPercent(cost.feePct)).toBe(2.5)
    expect(roundPercent(cost.marginPct)).toBe(2)
    expect(roundPercent(cost.totalPct)).toBe(4.5)
    expect(roundAmount(cost.total)).toBe(9)
  })

  test('a fee without a currency counts in the source currency', () => {
    expect(costOf(quote({ fee: 5, feeCurrency: null }), 200, day)!.feePct).toBe(2.5)
  })

  test('a fee in the target currency is brought to the source at the mid, not at the rate', () => {
    const asked = quote({ rate: 100, fee: 262.5, feeCurrency: 'KES' })
    expect(costOf(asked, 200, day)!.feePct).toBe(1)
  })

  test('a fee in a third currency is priced at the mid of the day', () => {
    const asked = quote({ fee: 4, feeCurrency: 'GBP' })
    expect(costOf(asked, 200, { ...day, feeMid: 1.25 })!.feePct).toBe(2.5)
    expect(costOf(asked, 200, day)).toBeNull()
  })

  test('a fee of zero in a third currency is zero without a mid', () => {
    const free = quote({ fee: 0, feeCurrency: 'GBP' })
    expect(feeInSource(free, day)).toBe(0)
    expect(costOf(free, 200, day)!.feePct).toBe(0)
  })

  test('a fee of zero leaves the margin as cost, and an unstated fee leaves no cost', () => {
    const free = costOf(quote({ rate: 131.25, fee: 0, feeCurrency: 'GBP' }), 200, day)
    expect(free).toEqual({ feePct: 0, marginPct: 0, totalPct: 0, total: 0 })
    expect(costOf(quote({ fee: null, feeCurrency: null }), 200, day)).toBeNull()
  })

  test('a margin that exactly offsets the fee leaves no noise in the total', () => {
    const even = quote({ rate: 132.3, fee: 1.1, feeCurrency: 'USD' })
    const cost = costOf(even, 110, { mid: 132.3 / 1.01, feeMid: null })!
    expect(roundPercent(cost.marginPct)).toBe(-1)
    expect(cost.total).toBe(0)
  })

  test('the shown parts add up to the total, and the total is that part of the amount, to every digit', () => {
    const priced = fc.record({
      rate: fc.integer({ min: 1, max: 1e6 }),
      mid: fc.integer({ min: 1, max: 1e6 }),
      fee: fc.integer({ min: 0, max: 1e6 }),
      cents: fc.integer({ min: 1, max: 1e9 }),
    })
    const millionths = (percent: number) => BigInt(Math.round(percent * 1e6))
    fc.assert(
      fc.property(priced, ({ rate, mid, fee, cents }) => {
        const asked = quote({ rate, fee: fee / 100, feeCurrency: 'USD' })
        const cost = costOf(asked, cents / 100, { mid, feeMid: null })!
        const { feePct, marginPct: margin, totalPct, total } = cost
        if (totalPct < 1e8)
          expect(millionths(totalPct)).toBe(millionths(feePct) + millionths(margin))
        const units = BigInt(cents) * millionths(totalPct)
        const size = units < 0n ? -units : units
        const surplus = Math.max(0, String(size).length - 12)
        const one = 10n ** BigInt(surplus)
        const shown = Number(`${(size + one / 2n) / one}e${surplus - 10}`)
        if (totalPct < 1e8) expect(Math.abs(roundAmount(total))).toBe(shown)
      }),
    )
  })

  test('an exact half in the 12th digit is rounded away from zero', () => {
    expect(convertedAt(0.95319, 5000.0005)).toBe(4765.9504766)
    expect(roundAmount(partOf(100000.00005, 50))).toBe(50000.000025)
    expect(roundAmount(partOf(1000000.00001, -50))).toBe(-500000.000005)
    expect(partOf(10000000.00001, -50)).toBe(-5000000.00001)
    const asked = quote({ rate: 0.95319, fee: 0 })
    expect(roundAmount(netConverted(asked, 5000.0005, null)!)).toBe(4765.9504766)
  })

  test('the amount less the cost, at the mid, is what arrives', () => {
    const priced = fc.record({
      rate: fc.integer({ min: 1, max: 1e6 }),
      mid: fc.integer({ min: 1, max: 1e6 }),
      amount: fc.integer({ min: 1, max: 1e6 }),
    })
    fc.assert(
      fc.property(priced, ({ rate, mid, amount }) => {
        const free = quote({ rate, fee: 0 })
        const { totalPct } = costOf(free, amount, { mid, feeMid: null })!
        const apart = (amount - (totalPct / 100) * amount) * mid - amount * rate
        expect(Math.abs(apart)).toBeLessThan(0.51e-8 * amount * mid + 1e-3)
      }),
    )
  })
})

describe('feeInSource', () => {
  test('is null for an unstated fee and 0 for a fee of zero', () => {
    expect(feeInSource(quote({ fee: null }), day)).toBeNull()
    expect(feeInSource(quote({ fee: 0, feeCurrency: 'GBP' }), day)).toBe(0)
  })
})
