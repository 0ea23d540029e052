import { describe, expect, test } from 'bun:test'
import { spreadsThen } from '~/domain/history.ts'
import { quote } from '../support/quotes.ts'

describe('spreadsThen', () => {
  const a = quote({ id: 1, atMs: 1, rate: 100 })
  const b = quote({ id: 2, atMs: 2, rate: 80, providerId: 'retail-b' })
  const worse = quote({ id: 3, atMs: 3, rate: 60 })

  test('judges each by what stood of its kind when it was said', () => {
    const official = quote({ id: 4, atMs: 3, rate: 500, rateType: 'official', providerId: 'o' })
    const spreads = spreadsThen([], [a, b, worse, official])
    expect([...spreads]).toEqual([
      [1, 0],
      [2, 2000],
      [3, 2500],
      [4, 0],
    ])
  })

  test('is the same for a page and the one behind it, in any order', () => {
    const whole = spreadsThen([], [a, b, worse])
    expect([...spreadsThen([a], [worse, b])]).toEqual([...whole].slice(1))
  })

  test('takes those of one time in the order they were recorded', () => {
    const same = quote({ id: 5, atMs: 2, rate: 160, providerId: 'retail-c' })
    expect(spreadsThen([a], [same, b]).get(2)).toBe(2000)
    expect(spreadsThen([a], [same, b]).get(5)).toBe(0)
  })

  test('is empty for nothing', () => {
    expect(spreadsThen([a], []).size).toBe(0)
  })
})
