import { describe, expect, test } from 'bun:test'
import { roundedBeside } from '~/domain/feed/rounding.ts'

/** Values of which `round` have at most two digits, and `fine` have four. */
const rates = (round: number, fine: number) => ({
  perUsd: new Map(
    Array.from({ length: round + fine }, (_, i) => [
      `K${i}`,
      i < round ? ['0.0012', '1300', '7', '1.50'][i % 4]! : '1.234',
    ]),
  ),
})

describe('roundedBeside', () => {
  test('counts the round values of a mostly round response if another response is finer', () => {
    expect(roundedBeside(rates(6, 4), [rates(0, 10)])).toBe(6)
    expect(roundedBeside(rates(10, 0), [rates(10, 0), rates(5, 5)])).toBe(10)
  })

  test('returns 0 if half of the values are finer, or if no other response is', () => {
    expect(roundedBeside(rates(5, 5), [rates(0, 10)])).toBe(0)
    expect(roundedBeside(rates(6, 4), [rates(10, 0), rates(6, 4)])).toBe(0)
    expect(roundedBeside(rates(6, 4), [])).toBe(0)
  })

  test('returns 0 for fewer than ten currencies, which may be round by chance', () => {
    expect(roundedBeside(rates(9, 0), [rates(0, 10)])).toBe(0)
  })
})
