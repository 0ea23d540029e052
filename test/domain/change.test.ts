import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { changeOf } from '~/domain/change.ts'

describe('changeOf', () => {
  test.each([
    [100, 110, 10, 10],
    [130.1, 129.9, -0.2, -0.153728],
    [0.3, 0.1, -0.2, -66.666667],
    [129.5, 129.5, 0, 0],
    [9.99999999999, 10.0000000001, 1.1e-10, 0],
    [1e-12, 2e-12, 1e-12, 100],
    [1e-70, 3e-70, 2e-70, 200],
    // The doubles differ by 0.0055841305865850007, the decimals by the half below it.
    [0.000516255513805, 0.00610038610039, 0.00558413058658, 1081.660232],
  ])('from %p to %p is %p, %p percent', (start, end, abs, pct) => {
    expect(changeOf({ start, end })).toEqual({ abs, pct })
  })

  test('returns null without a start or an end', () => {
    expect(changeOf({ start: null, end: 1 })).toBeNull()
    expect(changeOf({ start: 1, end: null })).toBeNull()
  })

  test('has no more decimals than the numbers it is computed from', () => {
    const prices = fc.integer({ min: 1, max: 99_999_999 }).map((cents) => cents / 100)
    fc.assert(
      fc.property(prices, prices, (start, end) => {
        const { abs } = changeOf({ start, end })!
        expect(abs).toBe(Number(((end * 100 - start * 100) / 100).toFixed(2)) + 0)
      }),
    )
  })
})
