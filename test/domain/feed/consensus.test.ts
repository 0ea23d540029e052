import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { agreementOf } from '~/domain/feed/consensus.ts'

type Said = [source: string, text: string, origin?: string]

const opinionsOf = (said: readonly Said[]) =>
  said.map(([source, text, origin = source]) => ({
    answer: { source, origin },
    text,
    value: Number(text),
  }))

function agreed(...said: Said[]) {
  const agreement = agreementOf(opinionsOf(said))
  return agreement && `${agreement.text} of ${agreement.used.map((one) => one.answer.source)}`
}

describe('two feeds', () => {
  test('agree within 2 % on their mean, in the order of the list', () => {
    expect(agreed(['b', '130'], ['a', '127.5'])).toBe('128.75 of b,a')
    expect(agreed(['a', '100'], ['b', '102'])).toBe('101 of a,b')
  })

  test('do not agree beyond 2 %', () => {
    expect(agreed(['a', '100'], ['b', '102.1'])).toBeNull()
  })

  test('count as one if they have one origin', () => {
    expect(agreed(['ecb', '100'], ['frankfurter', '100', 'ecb'])).toBeNull()
    expect(agreed(['ecb', '100'], ['frankfurter', '500', 'ecb'], ['c', '101'])).toBe(
      '100.5 of ecb,c',
    )
  })

  test('agree on nothing if there are fewer than two', () => {
    expect(agreed(['a', '100'])).toBeNull()
    expect(agreed()).toBeNull()
  })

  test('return a mean in plain digits, however small', () => {
    expect(agreed(['a', '0.0000000010'], ['b', '0.0000000010'])).toBe('0.000000001 of a,b')
  })
})

describe('three feeds and more', () => {
  test('return the exact string of the median', () => {
    expect(agreed(['a', '131.250'], ['b', '131'], ['c', '132'])).toBe('131.250 of a,b,c')
  })

  test('leave out the riyal that BCEAO published at the price of the won', () => {
    const said: Said[] = [
      ['bceao', '1599.9'],
      ['imf', '4.1464'],
      ['sbi', '4.1474'],
      ['boe', '4.1226'],
      ['tcmb', '4.1355'],
    ]
    expect(agreed(...said)).toBe('4.14095 of imf,sbi,boe,tcmb')
  })

  test('keep a feed within ten deviations if feeds differ widely', () => {
    expect(agreed(['a', '100'], ['b', '104'], ['c', '112'])).toBe('104 of a,b,c')
    expect(agreed(['a', '100'], ['b', '100.1'], ['c', '112'])).toBe('100.05 of a,b')
  })

  test('keep a feed at a distance of 5 % from two that agree', () => {
    expect(agreed(['a', '100'], ['b', '100'], ['c', '105'])).toBe('100 of a,b,c')
    expect(agreed(['a', '100'], ['b', '100'], ['c', '105.1'])).toBe('100 of a,b')
    expect(agreed(['a', '95'], ['b', '100'], ['c', '105'])).toBe('100 of a,b,c')
  })

  test('agree on nothing if no two are near each other, or if two pairs are', () => {
    expect(agreed(['a', '100'], ['b', '130'], ['c', '169'])).toBeNull()
    expect(agreed(['a', '100'], ['b', '100'], ['c', '1'], ['d', '1'])).toBeNull()
  })

  test('agree on a wrong value if most of them publish it', () => {
    expect(agreed(['a', '1.31'], ['b', '1.31'], ['c', '131'])).toBe('1.31 of a,b')
  })

  test('report half the range of the used values in basis points', () => {
    const { dispersionBps } = agreementOf(
      opinionsOf([
        ['a', '99'],
        ['b', '100'],
        ['c', '102'],
      ]),
    )!
    expect(dispersionBps).toBeCloseTo(150, 9)
  })
})

test('an error of any size in one feed leaves the value between those of the correct feeds', () => {
  const near = fc.double({ min: 0.99, max: 1.01, noNaN: true })
  const fault = fc.oneof(
    fc.constantFrom(0.01, 0.1, 10, 100, 1000),
    fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
    fc.double({ min: 0.9, max: 1.1, noNaN: true }),
  )
  const worth = fc.double({ min: 1e-3, max: 1e5, noNaN: true })
  fc.assert(
    fc.property(
      worth,
      fc.array(near, { minLength: 3, maxLength: 6 }),
      fault,
      fc.nat(),
      (level, factors, wrong, place) => {
        const honest = factors.map((factor) => level * factor)
        const at = place % honest.length
        const said = honest.map((value, i) => (i === at ? value * wrong : value))
        const agreement = agreementOf(
          opinionsOf(said.map((value, i) => [`f${i}`, value.toFixed(12)])),
        )
        const others = honest.filter((_, i) => i !== at)
        const value = Number(agreement!.text)
        expect(value).toBeGreaterThanOrEqual(Math.min(...others) * (1 - 1e-8))
        expect(value).toBeLessThanOrEqual(Math.max(...others) * (1 + 1e-8))
      },
    ),
    { numRuns: 1000 },
  )
})

describe('one error of two feeds that still agree', () => {
  const evaluated = (a: number, b: number) => {
    const { text, dispersionBps } = agreementOf(
      opinionsOf([
        ['a', a.toFixed(12)],
        ['b', b.toFixed(12)],
      ]),
    )!
    return { rate: Number(text), off: (Number(text) * dispersionBps) / 10_000 }
  }

  test('moves their mean by no more than the dispersions before and after together', () => {
    const near = fc.double({ min: 100, max: 102, noNaN: true })
    fc.assert(
      fc.property(near, near, near, (honest, right, wrong) => {
        const [before, after] = [evaluated(honest, right), evaluated(honest, wrong)]
        expect(Math.abs(after.rate - before.rate)).toBeLessThanOrEqual(
          before.off + after.off + 1e-9,
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('can exceed each single dispersion: an error to the other side leaves it unchanged', () => {
    const [before, after] = [evaluated(100, 101), evaluated(100, 99)]
    expect([before.off, after.off]).toEqual([expect.closeTo(0.5, 9), expect.closeTo(0.5, 9)])
    expect(before.rate - after.rate).toBeCloseTo(1, 9)
  })
})

describe('one error among three feeds or more', () => {
  const near = fc.double({ min: 0.995, max: 1.005, noNaN: true })
  const factors = fc.array(near, { minLength: 3, maxLength: 5 })
  const evaluatedBy = (values: readonly number[]) => {
    const { text, dispersionBps, used } = agreementOf(
      opinionsOf(values.map((value, i) => [`f${i}`, value.toFixed(12)])),
    )!
    return { rate: Number(text), dispersionBps, used: used.map(({ answer }) => answer.source) }
  }
  const movedBps = (values: readonly number[], at: number, wrong: number) => {
    const before = evaluatedBy(values)
    const after = evaluatedBy(values.map((value, i) => (i === at ? wrong : value)))
    return {
      move: Math.abs(after.rate / before.rate - 1) * 10_000,
      dispersion: before.dispersionBps,
      isLeftOut: !after.used.includes(`f${at}`),
    }
  }
  const NOISE_BPS = 1e-6

  test('moves the value by no more than its dispersion if far off, or twice that if the feed is used', () => {
    const fault = fc.constantFrom(0.001, 0.01, 0.1, 0.5, 0.9, 1.1, 1.4, 2, 10, 100, 1000)
    fc.assert(
      fc.property(factors, fault, fc.nat(), (values, wrong, place) => {
        const at = place % values.length
        const { move, dispersion, isLeftOut } = movedBps(values, at, values[at]! * wrong)
        const most = isLeftOut ? dispersion : 2 * dispersion * 1.01
        expect(move).toBeLessThanOrEqual(most + NOISE_BPS)
      }),
      { numRuns: 1000 },
    )
  })

  test('moves the value by no more than twice its dispersion if small enough to be believed', () => {
    const fault = fc.double({ min: 0.95, max: 1.05, noNaN: true })
    fc.assert(
      fc.property(factors, fault, fc.nat(), (values, wrong, place) => {
        const at = place % values.length
        const { move, dispersion } = movedBps(values, at, values[at]! * wrong)
        expect(move).toBeLessThanOrEqual(2 * dispersion * 1.01 + NOISE_BPS)
      }),
      { numRuns: 1000 },
    )
  })
})
