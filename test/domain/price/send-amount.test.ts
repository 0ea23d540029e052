import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sendAmount } from '~/domain/price/send-amount.ts'
import type { Quote } from '~/domain/quote.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

describe('sendAmount', () => {
  test('without a fee it is the amount divided by the rate', () => {
    expect(sendAmount(quote({ rate: 130 }), 26_000, null)).toBe(200)
    expect(sendAmount(quote({ rate: 130, fee: 0, feeCurrency: 'USD' }), 26_000, null)).toBe(200)
  })

  test('a fee in the source, the target or a third currency comes on top', () => {
    expect(sendAmount(quote({ rate: 130, fee: 5, feeCurrency: 'USD' }), 25_350, null)).toBe(200)
    expect(sendAmount(quote({ rate: 130, fee: 5, feeCurrency: 'KES' }), 25_995, null)).toBe(200)
    expect(sendAmount(quote({ rate: 130, fee: 4, feeCurrency: 'GBP' }), 25_340, 165)).toBe(200)
  })

  test('an inexact result is rounded up in the twelfth digit', () => {
    expect(sendAmount(quote({ rate: 3 }), 100, null)).toBe(33.3333333334)
    expect(sendAmount(quote({ rate: 3 }), 200, null)).toBe(66.6666666667)
    expect(sendAmount(quote({ rate: 7 }), 1, null)).toBe(0.142857142858)
  })

  test('a tiny amount with a large fee needs the fee and one unit of the twelfth digit', () => {
    const dear = quote({ rate: 1, fee: 1000, feeCurrency: 'USD' })
    expect(sendAmount(dear, 1e-12, null)).toBe(1000.00000001)
  })

  test('a fee of all but a billionth of the amount leaves exactly that billionth', () => {
    const dear = offered({ feePercent: 99.9999999 }, { rate: 1, fee: null })
    expect(sendAmount(dear, 1, null)).toBe(1e9)
    expect(sendAmount(dear, 3e-5, null)).toBe(30_000)
  })

  test('is null if the fee has no price, and if the amount would be too large', () => {
    expect(sendAmount(quote({ fee: 4, feeCurrency: 'GBP' }), 100, null)).toBeNull()
    expect(sendAmount(quote({ rate: 1 }), 1e15, null)).toBe(1e15)
    expect(sendAmount(quote({ rate: 0.5 }), 1e15, null)).toBeNull()
    expect(sendAmount(quote({ rate: 1e-12 }), 1e15, null)).toBeNull()
  })

  test('the amount suffices, and one unit less in the twelfth digit does not', () => {
    const decimal = (max: number) =>
      fc
        .tuple(fc.integer({ min: 1, max: 999_999_999 }), fc.integer({ min: -12, max }))
        .map(([digits, exponent]) => Number(`${digits}e${exponent}`))
    const priced = fc.record({
      rate: decimal(2),
      fee: fc.option(fc.oneof(fc.constant(0), decimal(0))),
      feeCurrency: fc.constantFrom('USD', 'KES', 'GBP', null),
      feeMid: decimal(2),
      net: decimal(3),
    })
    fc.assert(
      fc.property(priced, ({ net, feeMid, ...terms }) => {
        const asked = quote(terms)
        const amount = sendAmount(asked, net, feeMid)
        if (amount === null) {
          expect(netOf(asked, 1e15, feeMid) < exact(net)).toBe(true)
          return
        }
        expect(amount).toBe(Number(amount.toPrecision(12)))
        expect(netOf(asked, amount, feeMid) >= exact(net)).toBe(true)
        expect(netOf(asked, unitLess(amount), feeMid) < exact(net)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

const SCALE = 60

/** A written number in units of 1e-60. */
function exact(value: number): bigint {
  const [digits, exponent] = value.toExponential().split('e')
  const [whole, fraction = ''] = digits!.split('.')
  return BigInt(whole! + fraction) * 10n ** BigInt(SCALE + Number(exponent) - fraction.length)
}

const product = (a: number, b: number): bigint => (exact(a) * exact(b)) / 10n ** BigInt(SCALE)

/** Net amount in units of 1e-60, in integer arithmetic. */
function netOf(asked: Quote, amount: number, feeMid: number): bigint {
  const { rate, fee, feeCurrency, from, to } = asked
  const inSource = feeCurrency === from || feeCurrency === null
  const price = inSource ? rate : feeCurrency === to ? 1 : feeMid
  return product(amount, rate) - product(fee ?? 0, price)
}

/** The next smaller number of 12 digits. */
function unitLess(amount: number): number {
  const [digits, exponent] = amount.toExponential(11).split('e')
  const units = BigInt(digits!.replace('.', ''))
  return units === 10n ** 11n
    ? Number(`999999999999e${Number(exponent) - 12}`)
    : Number(`${units - 1n}e${Number(exponent) - 11}`)
}
