import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { believedBests, spreadBps, vsMidBps } from '~/domain/spread.ts'
import { rates, rateTypes } from '../support/quotes.ts'

type Evaluated = Parameters<typeof believedBests>[0][number]

const priced = fc.array(
  fc.record({
    quote: fc.record({ rate: rates, rateType: rateTypes }),
    suspect: fc.constantFrom(null, {}),
  }),
  { maxLength: 30 },
)
const believed = (rate: number, rateType: Evaluated['quote']['rateType']): Evaluated => ({
  quote: { rate, rateType },
  suspect: null,
})

const spreadsBps = (evaluated: readonly Evaluated[]): number[] => {
  const bests = believedBests(evaluated)
  return evaluated.map(({ quote }) => spreadBps(quote, bests))
}

describe('believedBests', () => {
  test('returns the highest rate of each kind that is there', () => {
    const best = believedBests([
      believed(128, 'retail'),
      believed(129, 'retail'),
      believed(130, 'official'),
    ])
    expect([...best].sort()).toEqual([
      ['official', 130],
      ['retail', 129],
    ])
  })

  test('leaves out suspect rates, except for a kind without another', () => {
    const suspect = (rate: number, rateType: 'retail' | 'p2p') => ({
      quote: { rate, rateType },
      suspect: {},
    })
    const all = [suspect(900, 'retail'), believed(1, 'retail'), suspect(7, 'p2p')]
    expect([...believedBests([...all, suspect(8, 'p2p')])].sort()).toEqual([
      ['p2p', 8],
      ['retail', 1],
    ])
  })

  test('returns no best for an empty list', () => {
    expect(believedBests([]).size).toBe(0)
  })
})

describe('spreadBps', () => {
  test('returns a hundred basis points for one per cent below the best', () => {
    expect(spreadsBps([believed(99, 'retail'), believed(100, 'retail')])).toEqual([100, 0])
  })

  test('compares each kind only with its own best', () => {
    expect(
      spreadsBps([
        believed(200, 'parallel'),
        believed(150, 'official'),
        believed(100, 'retail'),
        believed(50, 'p2p'),
        believed(25, 'interbank'),
        believed(75, 'retail'),
      ]),
    ).toEqual([0, 0, 0, 0, 0, 2500])
  })

  test('is 0 for the best of each kind, above it below, and negative only for suspect ones', () => {
    fc.assert(
      fc.property(priced, (evaluated) => {
        const spreads = spreadsBps(evaluated)
        for (const [i, { quote, suspect }] of evaluated.entries()) {
          const own = evaluated.filter((one) => one.quote.rateType === quote.rateType)
          const known = own.filter((one) => one.suspect === null)
          const best = Math.max(...(known.length > 0 ? known : own).map((one) => one.quote.rate))
          expect(spreads[i] === 0).toBe(quote.rate === best)
          expect(spreads[i]!).toBeLessThanOrEqual(10_000)
          if (suspect === null) expect(spreads[i]!).toBeGreaterThanOrEqual(0)
          const again = best * (1 - spreads[i]! / 10_000)
          expect(Math.abs(again - quote.rate)).toBeLessThanOrEqual(Math.max(best, again) * 1e-12)
        }
      }),
    )
  })

  test('does not change with quotes of another kind', () => {
    fc.assert(
      fc.property(priced, rateTypes, (evaluated, kind) => {
        const own = evaluated.filter(({ quote }) => quote.rateType === kind)
        const among = spreadsBps(evaluated).filter((_, i) => evaluated[i]!.quote.rateType === kind)
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
