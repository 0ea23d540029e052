import { describe, expect, test } from 'bun:test'
import { isDoubtful, midRange } from '~/domain/price/mid-range.ts'

describe('midRange', () => {
  test('returns the lowest and the highest quotient of the dollar rates', () => {
    expect(midRange({ least: 0.5, most: 0.8 }, { least: 120, most: 130 })).toEqual({
      least: 150,
      most: 260,
    })
  })
})

describe('isDoubtful', () => {
  const doubtful = (rate: number) => isDoubtful(rate, { least: 100, most: 160 }, 10)

  test('a rate is believed from half the highest mid to the limit above the lowest', () => {
    expect([80, 100, 110].map(doubtful)).toEqual([false, false, false])
    expect([79.99, 110.01].map(doubtful)).toEqual([true, true])
  })
})
