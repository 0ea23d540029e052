import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RATE_TYPES } from '~/domain/provider.ts'
import { bestByKind, spreadsBps, vsMidBps } from '~/domain/spread.ts'
import { rates, rateTypes } from '../support/quotes.ts'

const priced = fc.array(fc.record({ rate: rates, rateType: rateTypes }), { maxLength: 30 })

describe('bestByKind', () => {
  test('has the highest rate of each kind that is there', () => {
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

  test('has no best for an empty list', () => {
    expect(bestByKind([]).size).toBe(0)
  })
})

describe('spreadsBps', () => {
  test('is a hundred basis points for one per cent below the best', () => {
    expect(
      spreadsBps([
        { rate: 99, rateType: 'retail' },
        { rate: 100, rateType: 'retail' },
      ]),
    ).toEqual([100, 0])
  })

  test('compares each kind only with its own best', () => {
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

  test('is empty for an empty list', () => {
    expect(spreadsBps([])).toEqual([])
  })

  test('is 0 for the best of each kind and what equals it, and for nothing else', () => {
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

  test('is never negative, stays below 10000, and leads back to the rate', () => {
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

  test('does not change with quotes of another kind', () => {
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
  test('is negative below the mid, zero at it and positive above', () => {
    expect(vsMidBps(99, 100)).toBeCloseTo(-100, 9)
    expect(vsMidBps(100, 100)).toBe(0)
    expect(vsMidBps(101, 100)).toBeCloseTo(100, 9)
    expect(vsMidBps(200, 100)).toBe(10_000)
  })
})
