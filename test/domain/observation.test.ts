import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { backfillStartMs, significantDigits } from '~/domain/observation.ts'

describe('significantDigits', () => {
  test('does not count zeros at either end, and counts zeros in between', () => {
    const expected: [string, number][] = [
      ['129.5', 4],
      ['0.00120', 2],
      ['1200', 2],
      ['1002', 4],
      ['1.0', 1],
      ['100.0010', 6],
      ['-12', 2],
      ['+12', 2],
      ['007', 1],
    ]
    for (const [text, digits] of expected) expect(significantDigits(text)).toBe(digits)
  })

  test('counts no digits of zero, however it is written', () => {
    for (const text of ['0', '0.0', '-0', '000', '0e5']) expect(significantDigits(text)).toBe(0)
  })

  test('lets an exponent move the point and add no digit', () => {
    expect(significantDigits('1.5e-7')).toBe(2)
    expect(significantDigits('1e+21')).toBe(1)
    expect(significantDigits('1E12')).toBe(1)
    expect(significantDigits('120e300')).toBe(2)
  })

  test('distinguishes 18 from 19 digits, although a double could not', () => {
    expect(significantDigits('123456789012345678')).toBe(18)
    expect(significantDigits('1234567890.123456789')).toBe(19)
    expect(significantDigits('0.000000123456789012345678')).toBe(18)
  })

  test('takes no longer for many zeros than for other digits', () => {
    const startMs = performance.now()
    expect(significantDigits(`1.${'0'.repeat(100_000)}1`)).toBe(100_002)
    expect(performance.now() - startMs).toBeLessThan(1000)
  })

  test('returns null for a string that is not a plain decimal', () => {
    for (const text of [
      '',
      '.',
      '.5',
      '5.',
      '1,5',
      '1e',
      'e5',
      '0x10',
      'NaN',
      'Infinity',
      ' 1',
      '1\n',
      '--1',
      '1_000',
      '1e1234',
      '١',
    ])
      expect(significantDigits(text)).toBeNull()
  })

  test('counts the digits, wherever the point is', () => {
    const digits = fc.stringMatching(/^[1-9]([0-9]{0,16}[1-9])?$/)
    fc.assert(
      fc.property(digits, fc.nat({ max: 30 }), fc.nat({ max: 9 }), (text, place, zeros) => {
        const padded = text.padStart(place + 1, '0')
        const cut = padded.length - place
        const whole = padded.slice(0, cut)
        const fraction = padded.slice(cut) + '0'.repeat(zeros)
        expect(significantDigits(fraction ? `${whole}.${fraction}` : whole)).toBe(text.length)
      }),
    )
  })
})

describe('backfillStartMs', () => {
  const startOf = (text: string) => new Date(backfillStartMs(Date.parse(text))).toISOString()

  test('returns the time five calendar years back, to the millisecond', () => {
    expect(startOf('2026-03-05T14:25:30.500Z')).toBe('2021-03-05T14:25:30.500Z')
    expect(startOf('2026-01-01T00:00:00.000Z')).toBe('2021-01-01T00:00:00.000Z')
  })

  test('returns 1 March from 29 February, in a year without a 29th', () => {
    expect(startOf('2028-02-29T12:00:00.000Z')).toBe('2023-03-01T12:00:00.000Z')
  })
})
