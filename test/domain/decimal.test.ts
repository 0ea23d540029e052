import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  differenceText,
  isBetween,
  plainDecimal,
  quotientText,
  reaches,
  roundedDifference,
} from '~/domain/decimal.ts'

describe('plainDecimal', () => {
  test.each([
    ['1', '1'],
    ['0', '0'],
    ['-0', '0'],
    ['1.50', '1.5'],
    ['1.00', '1'],
    ['0.000014461219', '0.000014461219'],
    ['1.5e-7', '0.00000015'],
    ['1.50e3', '1500'],
    ['12E+2', '1200'],
    ['-18.30', '-18.3'],
    ['0e5', '0'],
    ['1604.5510000000000001', '1604.5510000000000001'],
  ])('%s is %s', (text, plain) => {
    expect(plainDecimal(text)).toBe(plain)
  })

  test('accepts up to 60 digits on each side of the point', () => {
    expect(plainDecimal(`1.${'0'.repeat(59)}`)).toBe('1')
    expect(plainDecimal('1e60')).toBe(`1${'0'.repeat(60)}`)
    expect(plainDecimal('1e-60')).toBe(`0.${'0'.repeat(59)}1`)
    for (const text of [`1.${'0'.repeat(60)}`, '1e61', '1e-61'])
      expect(plainDecimal(text)).toBe(text)
  })

  test.each(['1e400', '1e-400', 'NaN', 'Infinity', '', '1.', '.5', '0x1', '9'.repeat(61)])(
    '%s comes back unchanged',
    (text) => {
      expect(plainDecimal(text)).toBe(text)
    },
  )

  test('keeps the value of every double', () => {
    const magnitude = fc.double({ min: 1e-20, max: 1e20, noNaN: true })
    fc.assert(
      fc.property(magnitude, (value) => {
        const plain = plainDecimal(String(value))
        expect(plain).toMatch(/^\d+(\.\d*[1-9])?$/)
        expect(Number(plain)).toBe(value)
      }),
    )
  })
})

describe('quotientText', () => {
  test.each([
    ['19.7919', '1.0818', '18.2953410981697'],
    ['1', '1.0818', '0.924385283786282'],
    ['1', '3', '0.333333333333333'],
    ['2', '3', '0.666666666666667'],
    ['1', '8', '0.125'],
    ['100', '1', '100'],
    ['0', '5', '0'],
    ['-1', '8', '-0.125'],
    ['-2', '3', '-0.666666666666667'],
    ['999999999999999.5', '1', '1000000000000000'],
    ['1000000000000005', '10', '100000000000000'],
    ['1000000000000015', '10', '100000000000002'],
    ['1.5e-7', '3', '0.00000005'],
  ])('%s / %s is %s', (a, b, quotient) => {
    expect(quotientText(a, b)).toBe(quotient)
  })

  test.each([
    ['1', '0'],
    ['1', '-2'],
    ['1e400', '1'],
    ['1', ''],
  ])('%s / %s is null', (a, b) => {
    expect(quotientText(a, b)).toBeNull()
  })

  test('differs from the quotient of doubles by no more than their rounding', () => {
    const rate = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(rate, rate, (a, b) => {
        const quotient = Number(quotientText(String(a), String(b)))
        expect(Math.abs(quotient / (a / b) - 1)).toBeLessThan(1e-14)
      }),
    )
  })
})

describe('isBetween', () => {
  const bounds = { min: 1e-12, max: 1e12 }

  test.each([
    ['1e-12', true],
    ['0.000000000001', true],
    ['0.000000000000999999999999999999', false],
    ['0.00000000000100000000000000001', true],
    ['1000000000000', true],
    ['1000000000000.00001', false],
    ['999999999999.99999999', true],
    ['0.5', true],
    ['0.29999999999999999999', true],
    ['5e-13', false],
    ['2e12', false],
    ['1e400', false],
    ['NaN', false],
  ])('of %s is %p', (text, is) => {
    expect(isBetween(text, bounds)).toBe(is)
  })

  test('accepts zero in any form, and nothing that only a double reads as zero', () => {
    const fees = { min: 0, max: 1e15 }
    for (const text of ['0', '-0', '0.000', '0e5']) expect(isBetween(text, fees)).toBe(true)
    for (const text of ['-1e-400', '1e-400']) expect(isBetween(text, fees)).toBe(false)
  })
})

describe('differenceText', () => {
  test.each([
    ['3', '1', '2'],
    ['1', '3', '-2'],
    ['0.3', '0.1', '0.2'],
    ['1.5', '1.50', '0'],
    ['0.00610038610039', '0.000516255513805', '0.005584130586585'],
    ['1e12', '1e-12', '999999999999.999999999999'],
    ['-1', '2.5e-7', '-1.00000025'],
  ])('%s - %s is %s', (a, b, difference) => {
    expect(differenceText(a, b)).toBe(difference)
  })

  test('returns null for a string that is not a decimal', () => {
    expect(differenceText('NaN', '1')).toBeNull()
    expect(differenceText('1', '1e400')).toBeNull()
  })

  test('loses no digit, however far apart the two numbers are', () => {
    const numbers = fc.record({
      digits: fc.bigInt({ min: 1n, max: 999_999_999_999n }),
      exponent: fc.integer({ min: -24, max: 0 }),
    })
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const text = (x: typeof a) => `${x.digits}e${x.exponent}`
        const whole = (x: typeof a) => x.digits * 10n ** BigInt(x.exponent + 24)
        const [units, fraction = ''] = differenceText(text(a), text(b))!.split('.')
        expect(BigInt(units + fraction.padEnd(24, '0'))).toBe(whole(a) - whole(b))
      }),
    )
  })
})

test('roundedDifference and reaches return no result for a number of more than 60 digits', () => {
  for (const [first, other] of [
    [[1, 1e-70], [1]],
    [[1], [2, 1e-70]],
  ] as const) {
    expect(roundedDifference(first, other)).toBeNaN()
    expect(reaches(1, first, other)).toBeNull()
  }
  expect(reaches(1e-70, [1])).toBeNull()
})
