import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RATE_TYPES } from '~/domain/provider.ts'
import { bestByKind, spreadsBps, vsMidBps } from '~/domain/spread.ts'
import { rates, rateTypes } from '../support/quotes.ts'

const priced = fc.array(fc.record({ rate: rates, rateType: rateTypes }), { maxLength: 30 })

describe('bestByKind', () => {
  test('the highest rate of each kind, and no kind that is not there', () => {
    const best = bestByKind([
      { rate: 128, rateType: 'retail' },
      { rate: 129, rateType: 'retail' },
      { rate: 130, rateType: 'official' },
    ])
    expect([...best].sort()).toEqual([
      ['official', 130],
      ['retail', 129],
    ])
  })

  test('nothing is the best of nothing', () => {
    expect(bestByKind([]).size).toBe(0)
  })
})

describe('spreadsBps', () => {
  test('one per cent below the best is a hundred basis points', () => {
    expect(
      spreadsBps([
        { rate: 99, rateType: 'retail' },
        { rate: 100, rateType: 'retail' },
      ]),
    ).toEqual([100, 0])
  })

  test('each kind is measured against its own best only', () => {
    expect(
      spreadsBps([
        { rate: 200, rateType: 'parallel' },
        { rate: 150, rateType: 'official' },
        { rate: 100, rateType: 'retail' },
        { rate: 50, rateType: 'p2p' },
        { rate: 25, rateType: 'interbank' },
        { rate: 75, rateType: 'retail' },
      ]),
    ).toEqual([0, 0, 0, 0, 0, 2500])
  })

  test('empty in, empty out', () => {
    expect(spreadsBps([])).toEqual([])
  })

  test('the best of each kind is 0, and only what equals it', () => {
    fc.assert(
      fc.property(priced, (quotes) => {
        const spreads = spreadsBps(quotes)
        expect(spreads).toHaveLength(quotes.length)
        for (const kind of RATE_TYPES) {
          const own = quotes
            .map(({ rate, rateType }, i) => ({ rate, rateType, spread: spreads[i]! }))
            .filter(({ rateType }) => rateType === kind)
          const best = Math.max(...own.map(({ rate }) => rate))
          for (const { rate, spread } of own) expect(spread === 0).toBe(rate === best)
        }
      }),
    )
  })

  test('a spread is never negative, stays below 10000, and tells the rate it was made of', () => {
    fc.assert(
      fc.property(priced, (quotes) => {
        const best = bestByKind(quotes)
        spreadsBps(quotes).forEach((spread, i) => {
          const { rate, rateType } = quotes[i]!
          expect(spread).toBeGreaterThanOrEqual(0)
          expect(spread).toBeLessThanOrEqual(10_000)
          const again = best.get(rateType)! * (1 - spread / 10_000)
          expect(Math.abs(again - rate)).toBeLessThanOrEqual(best.get(rateType)! * 1e-12)
        })
      }),
    )
  })

  test('quotes of another kind change nothing', () => {
    fc.assert(
      fc.property(priced, rateTypes, (quotes, kind) => {
        const own = quotes.filter(({ rateType }) => rateType === kind)
        const among = spreadsBps(quotes).filter((_, i) => quotes[i]!.rateType === kind)
        expect(among).toEqual(spreadsBps(own))
      }),
    )
  })
})

describe('vsMidBps', () => {
  test('negative is below the mid, zero at it, positive above', () => {
    expect(vsMidBps(99, 100)).toBeCloseTo(-100, 9)
    expect(vsMidBps(100, 100)).toBe(0)
    expect(vsMidBps(101, 100)).toBeCloseTo(100, 9)
    expect(vsMidBps(200, 100)).toBe(10_000)
  })
})
