import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { roundAmount, roundBps, roundPercent } from '~/domain/round.ts'

const doubles = fc.double({ noNaN: true, noDefaultInfinity: true })
const significant = (x: number) => {
  const [mantissa] = Math.abs(x).toExponential().split('e')
  return mantissa!.replace('.', '').length
}
const decimals = (x: number) => /\.(\d+)$/.exec(String(x))?.[1]?.length ?? 0

describe('roundAmount', () => {
  test('agrees with plain rounding of the digits, whatever shortcut it takes', () => {
    const short = fc
      .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 8 }))
      .map(([units, places]) => units / 10 ** places)
    const noisy = short.map((x) => x * (1 + 2 * Number.EPSILON))
    const products = fc.tuple(short, short).map(([a, b]) => a * b)
    const halves = fc
      .tuple(fc.integer({ min: 1e11, max: 1e12 - 1 }), fc.integer({ min: -2, max: 23 }))
      .map(([digits, places]) => Number(`${digits}5e${-places - 1}`))
    const powers = fc.integer({ min: -14, max: 14 }).map((exponent) => Number(`1e${exponent}`))
    const beside = powers.map((x) => x * (1 - Number.EPSILON))
    fc.assert(
      fc.property(fc.oneof(short, noisy, products, halves, powers, beside, doubles), (x) => {
        expect(roundAmount(x)).toBe(Number(x.toPrecision(12)) + 0)
      }),
      { numRuns: 20_000 },
    )
  })

  test('removes binary noise', () => {
    expect(roundAmount(0.1 + 0.2)).toBe(0.3)
    expect(roundAmount(110.00000000000001)).toBe(110)
    expect(roundAmount(1.1 * 100)).toBe(110)
    expect(roundAmount(-0.1 - 0.2)).toBe(-0.3)
  })

  test('keeps 12 significant digits, and rounds a 13th', () => {
    expect(roundAmount(123456.789012)).toBe(123456.789012)
    expect(roundAmount(123456.7890124)).toBe(123456.789012)
    expect(roundAmount(123456.7890126)).toBe(123456.789013)
    expect(roundAmount(999999999999.9)).toBe(1e12)
  })

  test('counts digits from the first non-zero one, so small amounts keep theirs', () => {
    expect(roundAmount(1.23456789012345e-12)).toBe(1.23456789012e-12)
    expect(roundAmount(1e-12)).toBe(1e-12)
    expect(roundAmount(1e27)).toBe(1e27)
    expect(roundAmount(Number.MIN_VALUE)).toBe(Number.MIN_VALUE)
  })

  test('zero is 0 and never -0', () => {
    expect(roundAmount(0)).toBe(0)
    expect(roundAmount(-0)).toBe(0)
  })

  test('has at most 12 significant digits, is as near as possible, and rounding again changes nothing', () => {
    fc.assert(
      fc.property(doubles, (x) => {
        const rounded = roundAmount(x)
        expect(Object.is(rounded, -0)).toBe(false)
        fc.pre(Number.isFinite(rounded) && Math.abs(x) > 1e-300)
        expect(significant(rounded)).toBeLessThanOrEqual(12)
        expect(Math.abs(rounded - x)).toBeLessThanOrEqual(Math.abs(x) * 5.0001e-12)
        expect(roundAmount(rounded)).toBe(rounded)
      }),
    )
  })
})

for (const [name, round, places] of [
  ['roundBps', roundBps, 4],
  ['roundPercent', roundPercent, 6],
] as const)
  describe(name, () => {
    const step = 10 ** -places

    test(`keeps ${places} decimals`, () => {
      expect(round(12.34567891)).toBe(places === 4 ? 12.3457 : 12.345679)
      expect(round(-12.34567891)).toBe(places === 4 ? -12.3457 : -12.345679)
      expect(round(100)).toBe(100)
      expect(round(step)).toBe(step)
    })

    test('a number too small to show is 0 and never -0, on either side', () => {
      for (const x of [step / 3, -step / 3, 0, -0, 1e-300, -1e-300]) expect(round(x)).toBe(0)
    })

    test('is within half a step, has no more decimals, and rounding again changes nothing', () => {
      const figures = fc.double({ min: -1e8, max: 1e8, noNaN: true })
      fc.assert(
        fc.property(figures, (x) => {
          const rounded = round(x)
          expect(Object.is(rounded, -0)).toBe(false)
          expect(decimals(rounded)).toBeLessThanOrEqual(places)
          expect(Math.abs(rounded - x)).toBeLessThanOrEqual(step * 0.5 + Math.abs(x) * 1e-15)
          expect(round(rounded)).toBe(rounded)
        }),
      )
    })

    test('numbers too large for their decimals have no binary noise', () => {
      expect(round(3_999_999_999_900.0005)).toBe(3_999_999_999_900)
      expect(round(8_241_917_579_270.883)).toBe(8_241_917_579_270)
      const figures = fc.double({ min: 1e6, max: 1e20, noNaN: true })
      fc.assert(
        fc.property(figures, (x) => {
          const digits = String(round(x))
            .replace(/e.*|\D/g, '')
            .replace(/0+$/, '')
          expect(digits.length).toBeLessThanOrEqual(15)
          expect(round(round(x))).toBe(round(x))
        }),
      )
    })

    test('huge numbers stay finite and unchanged', () => {
      expect(round(1e28)).toBe(1e28)
      expect(Number.isFinite(round(1e300))).toBe(true)
    })
  })
