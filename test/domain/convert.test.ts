import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { convertedAt, netConverted, thirdFeeCurrency } from '~/domain/convert.ts'
import { roundAmount } from '~/domain/round.ts'
import { quote, rates } from '../support/quotes.ts'

/** A net amount as it leaves the service. */
const shown = (net: number | null) => net !== null && roundAmount(net)

/**
 * Reports whether the digits after the twelfth are so near to a half that doubles cannot decide the
 * rounding.
 */
function isNearHalf(digits: bigint): boolean {
  const rest = Number(`0.${String(digits).replace('-', '').slice(12)}`)
  return Math.abs(rest - 0.5) < 0.02
}

const cents = (max: number) => fc.integer({ min: 0, max }).map((n) => n / 100)

describe('netConverted', () => {
  test('returns amount times rate if the fee is absent or zero', () => {
    expect(netConverted(quote({ rate: 130 }), 200, null)).toBe(26_000)
    expect(netConverted(quote({ rate: 130, fee: 0, feeCurrency: 'GBP' }), 200, null)).toBe(26_000)
  })

  test("prices a fee in the source currency at the provider's rate, not the mid", () => {
    const fee = quote({ rate: 130, fee: 5, feeCurrency: 'USD' })
    expect(netConverted(fee, 200, 999)).toBe(25_350)
  })

  test('takes a fee without a currency as one in the source currency', () => {
    expect(netConverted(quote({ rate: 130, fee: 5, feeCurrency: null }), 200, 999)).toBe(25_350)
  })

  test('subtracts a fee in the target currency unchanged', () => {
    expect(netConverted(quote({ rate: 130, fee: 5, feeCurrency: 'KES' }), 200, 999)).toBe(25_995)
  })

  test('prices a fee in a third currency at its mid to the target', () => {
    expect(netConverted(quote({ rate: 130, fee: 4, feeCurrency: 'GBP' }), 200, 165)).toBe(25_340)
  })

  test('returns no net amount for a fee in a third currency without a mid', () => {
    expect(netConverted(quote({ fee: 4, feeCurrency: 'GBP' }), 200, null)).toBeNull()
  })

  test('returns zero for a fee of the whole amount, and less for a larger one', () => {
    const fee = quote({ rate: 130, fee: 5, feeCurrency: 'USD' })
    expect(netConverted(fee, 5, null)).toBe(0)
    expect(netConverted(fee, 4, null)).toBe(-130)
  })

  test('returns exactly zero if the decimal result is zero, without binary noise', () => {
    const dime = quote({ rate: 3, fee: 0.3, feeCurrency: 'KES' })
    expect(0.1 * 3 - 0.3).not.toBe(0)
    expect(netConverted(dime, 0.1, null)).toBe(0)
    const large = quote({ rate: 1, fee: 1e6, feeCurrency: 'KES' })
    expect(netConverted(large, 1_000_000.3, null)).toBe(0.3)
  })

  test.each([
    [1, 999_999_999_999_999, 'USD', 1e15, 1],
    [1, 1e13, 'USD', 10_000_000_000_001.5, 1.5],
    [1.000000000000567, 1e15, 'KES', 1e15, 567],
    [1, 1e9, 'KES', 1_000_000_012.345678, 12.345678],
    [1, 1e6, 'KES', 1_000_000.01234567, 0.01234567],
    [1e-12, 1e-9, 'KES', 1001, 1e-12],
  ])(
    'a rate of %d and a fee of %d %s turn %d into exactly %d',
    (rate, fee, feeCurrency, amount, net) => {
      expect(netConverted(quote({ rate, fee, feeCurrency }), amount, null)).toBe(net)
    },
  )

  test('agrees with integer arithmetic for an amount that is almost wholly the fee', () => {
    const priced = fc.record({
      rate: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      fee: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      more: fc.bigInt({ min: -(10n ** 4n), max: 10n ** 4n }),
    })
    fc.assert(
      fc.property(priced, ({ rate, fee, more }) => {
        fc.pre(fee + more > 0n && !isNearHalf(more * rate))
        const millionths = (units: bigint) => Number(`${units}e-6`)
        const charged = { fee: millionths(fee), feeCurrency: 'USD' }
        const asked = quote({ rate: millionths(rate), ...charged })
        const exact = Number(`${more * rate}e-12`)
        expect(shown(netConverted(asked, millionths(fee + more), null))).toBe(roundAmount(exact))
      }),
    )
  })

  test('shows no more digits of a fee priced by a mid than the mid has', () => {
    const asked = quote({ rate: 2, fee: 60, feeCurrency: 'GBP' })
    expect(netConverted(asked, 100, 10 / 3)).toBe(0)
    const near = quote({ rate: 1, fee: 99.9999999, feeCurrency: 'GBP' })
    expect(netConverted(near, 100.000_000_123_456_79, 1)).toBe(2.2346e-7)
    const nearest = quote({ rate: 1, fee: 100, feeCurrency: 'GBP' })
    expect(netConverted(nearest, 100.000_000_000_01, 1)).toBe(1e-11)
  })

  test('rounds a half of the twelfth digit away from zero, whichever currency the fee is in', () => {
    for (const feeCurrency of ['KES', 'GBP']) {
      const asked = quote({ rate: 9, fee: 2, feeCurrency })
      expect(shown(netConverted(asked, 222.444_444_445, 1))).toBe(2000.000_000_01)
    }
  })

  test('stays finite and keeps its digits for the smallest and the largest amounts', () => {
    expect(netConverted(quote({ rate: 1e12 }), 1e15, null)).toBe(1e27)
    expect(shown(netConverted(quote({ rate: 1e-12 }), 1e-40, null))).toBe(1e-52)
    const taken = quote({ rate: 1e12, fee: 1e15, feeCurrency: 'USD' })
    expect(netConverted(taken, 1e15, null)).toBe(0)
  })

  test('rounds a half of the twelfth digit up in the smallest amounts too', () => {
    expect(roundAmount(convertedAt(1.000_000_000_015, 1e-12))).toBe(1.000_000_000_02e-12)
  })

  test('returns exactly zero for an amount equal to the fee, in either currency of the corridor', () => {
    fc.assert(
      fc.property(rates, cents(1_000_000), (rate, fee) => {
        fc.pre(fee > 0)
        expect(netConverted(quote({ rate, fee, feeCurrency: 'USD' }), fee, null)).toBe(0)
        const inTarget = quote({ rate: 1, fee, feeCurrency: 'KES' })
        expect(netConverted(inTarget, fee, null)).toBe(0)
      }),
    )
  })

  test('agrees with arithmetic in whole cents if the cents fit 12 digits', () => {
    const priced = fc.record({
      rateCents: fc.integer({ min: 1, max: 99_999 }),
      amountCents: fc.integer({ min: 1, max: 9_999_999 }),
      feeCents: fc.integer({ min: 1, max: 1_000_000 }),
    })
    fc.assert(
      fc.property(priced, ({ rateCents, amountCents, feeCents }) => {
        const rate = rateCents / 100
        const fee = feeCents / 100
        const inTarget = quote({ rate, fee, feeCurrency: 'KES' })
        const exactTarget = (amountCents * rateCents - feeCents * 100) / 1e4
        expect(shown(netConverted(inTarget, amountCents / 100, null))).toBe(exactTarget)
        const inSource = quote({ rate, fee, feeCurrency: 'USD' })
        const exactSource = ((amountCents - feeCents) * rateCents) / 1e4
        expect(shown(netConverted(inSource, amountCents / 100, null))).toBe(exactSource)
      }),
      { numRuns: 500 },
    )
  })
})

describe('thirdFeeCurrency', () => {
  test('returns the currency of a fee that is on neither side of the corridor', () => {
    expect(thirdFeeCurrency(quote({ fee: 1, feeCurrency: 'GBP' }))).toBe('GBP')
  })

  test('returns null for every fee that needs no mid', () => {
    expect(thirdFeeCurrency(quote({ fee: 1, feeCurrency: 'USD' }))).toBeNull()
    expect(thirdFeeCurrency(quote({ fee: 1, feeCurrency: 'KES' }))).toBeNull()
    expect(thirdFeeCurrency(quote({ fee: 1, feeCurrency: null }))).toBeNull()
    expect(thirdFeeCurrency(quote({ fee: 0, feeCurrency: 'GBP' }))).toBeNull()
    expect(thirdFeeCurrency(quote({ fee: null, feeCurrency: 'GBP' }))).toBeNull()
  })
})
