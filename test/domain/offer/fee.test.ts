import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { netConverted } from '~/domain/convert.ts'
import { isFeeStated } from '~/domain/offer/fee.ts'
import { costOf } from '~/domain/price/cost.ts'
import { sendAmount } from '~/domain/price/send-amount.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

/** Relative error of doubles that still decides how a number is rounded. */
const NOISE = 1e-13

const shown = (x: number | null): number | null => x && roundAmount(x)

describe('isFeeStated', () => {
  test('a percentage states the fee, and one of 0 states that there is none', () => {
    expect(isFeeStated(offered({ feePercent: 0 }))).toBe(true)
    expect(isFeeStated(quote({ fee: 0 }))).toBe(true)
    expect(isFeeStated(offered({}))).toBe(false)
  })
})

describe('netConverted of an offer', () => {
  test('a percentage alone, and one on top of a fee in all three places', () => {
    expect(netConverted(offered({ feePercent: 1 }, { rate: 130 }), 200, null)).toBe(25_740)
    const net = (feeCurrency: string, fee: number) =>
      netConverted(offered({ feePercent: 1 }, { rate: 130, fee, feeCurrency }), 200, 165)
    expect(net('USD', 5)).toBe(25_090)
    expect(net('KES', 40)).toBe(25_700)
    expect(net('GBP', 4)).toBe(25_080)
  })

  test('a fee and a percentage that use the amount up leave exactly zero', () => {
    const whole = offered({ feePercent: 100 }, { rate: 129.53 })
    expect(netConverted(whole, 0.1, null)).toBe(0)
    const both = offered({ feePercent: 10 }, { rate: 129.53, fee: 0.27, feeCurrency: 'USD' })
    expect(netConverted(both, 0.3, null)).toBe(0)
    const rest = offered({ feePercent: 99.99 }, { rate: 3, fee: 0.09, feeCurrency: 'USD' })
    expect(netConverted(rest, 1000.1, null)).toBe(0.03003)
  })

  test('without a percentage the amount is unchanged', () => {
    const priced = { rate: 129.53, fee: 0.27, feeCurrency: 'USD' }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (cents) => {
        const net = netConverted(quote(priced), cents / 100, null)
        expect(netConverted(offered({}, priced), cents / 100, null)).toBe(net)
      }),
    )
  })

  test('the amount shown agrees with integer arithmetic', () => {
    const parts = fc.record({
      cents: fc.integer({ min: 1, max: 10_000_000 }),
      rateMillionths: fc.integer({ min: 1, max: 2_000_000_000 }),
      percentHundredths: fc.integer({ min: 0, max: 10_000 }),
      feeCents: fc.option(fc.integer({ min: 0, max: 100_000 })),
      isInTarget: fc.boolean(),
    })
    fc.assert(
      fc.property(parts, ({ cents, rateMillionths, percentHundredths, feeCents, isInTarget }) => {
        const rate = rateMillionths / 1e6
        const fee = feeCents === null ? null : feeCents / 100
        const feeCurrency = isInTarget ? 'KES' : 'USD'
        const asked = offered({ feePercent: percentHundredths / 100 }, { rate, fee, feeCurrency })
        const kept = BigInt(cents) * BigInt(10_000 - percentHundredths)
        const charged = BigInt(feeCents ?? 0) * 10_000n
        const units = isInTarget
          ? kept * BigInt(rateMillionths) - charged * 1_000_000n
          : (kept - charged) * BigInt(rateMillionths)
        const exact = Number(`${units}e-12`)
        const near = [-NOISE, 0, NOISE].map((noise) => roundAmount(exact * (1 + noise)) + 0)
        expect(near).toContain(shown(netConverted(asked, cents / 100, null))!)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('costOf an offer', () => {
  test('the percentage is added to the cost unchanged', () => {
    const day = { mid: 131.25, feeMid: null }
    const alone = costOf(offered({ feePercent: 2.5 }, { rate: 128.625 }), 200, day)!
    expect(alone.feePct).toBe(2.5)
    expect(roundPercent(alone.totalPct)).toBe(4.5)
    expect(roundAmount(alone.total)).toBe(9)
    const both = offered({ feePercent: 1 }, { rate: 131.25, fee: 3, feeCurrency: 'USD' })
    expect(costOf(both, 200, day)).toEqual({ feePct: 2.5, marginPct: 0, totalPct: 2.5, total: 5 })
    const target = offered({ feePercent: 1 }, { rate: 100, fee: 262.5, feeCurrency: 'KES' })
    expect(costOf(target, 200, day)!.feePct).toBe(2)
    expect(costOf(offered({}), 200, day)).toBeNull()
  })
})

describe('sendAmount of an offer', () => {
  test('a percentage is added to the amount to arrive', () => {
    expect(sendAmount(offered({ feePercent: 1 }, { rate: 130 }), 25_740, null)).toBe(200)
    const both = offered({ feePercent: 1 }, { rate: 130, fee: 5, feeCurrency: 'USD' })
    expect(sendAmount(both, 25_090, null)).toBe(200)
  })

  test('is null if the percentage is the whole amount', () => {
    expect(sendAmount(offered({ feePercent: 100 }, { rate: 130 }), 1, null)).toBeNull()
    expect(sendAmount(offered({ feePercent: 99.999999 }, { rate: 1 }), 1e15, null)).toBeNull()
  })
})
