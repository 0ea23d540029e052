import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AddressLimits } from '~/memory/address-limits.ts'

const MINUTE_MS = 60_000
const START_MS = Date.parse('2026-03-05T14:25:30.500Z')

const limits = (requestsMax: number, addressesMax?: number) =>
  new AddressLimits({ requestsMax, windowMs: MINUTE_MS }, addressesMax)

describe('AddressLimits', () => {
  test('lets the budget through at once and says how long the next caller has to wait', () => {
    const three = limits(3)
    const taken = [1, 2, 3, 4].map(() => three.take('a', START_MS))
    expect(taken).toEqual([0, 0, 0, 20_000])
  })

  test('lets a caller through after the wait it was given, and not a millisecond earlier', () => {
    const three = limits(3)
    for (let i = 0; i < 3; i++) three.take('a', START_MS)
    expect(three.take('a', START_MS + 19_999)).toBe(1)
    expect(three.take('a', START_MS + 20_000)).toBe(0)
    expect(three.take('a', START_MS + 20_000)).toBe(20_000)
  })

  test('charges nothing for a refused request', () => {
    const one = limits(1)
    one.take('a', START_MS)
    for (let i = 0; i < 50; i++) expect(one.take('a', START_MS)).toBe(MINUTE_MS)
    expect(one.take('a', START_MS + MINUTE_MS)).toBe(0)
  })

  test('restores the whole budget after a quiet window, and no more', () => {
    const three = limits(3)
    for (let i = 0; i < 3; i++) three.take('a', START_MS)
    const laterMs = START_MS + 10 * MINUTE_MS
    expect([1, 2, 3, 4].map(() => three.take('a', laterMs))).toEqual([0, 0, 0, 20_000])
  })

  test('delays no address for longer because the clock was turned back', () => {
    const three = limits(3)
    for (let i = 0; i < 3; i++) three.take('a', START_MS)
    const earlierMs = START_MS - 60 * MINUTE_MS
    expect(three.take('a', earlierMs)).toBe(20_000)
    expect(three.take('a', earlierMs + 20_000)).toBe(0)
  })

  test('counts addresses separately', () => {
    const one = limits(1)
    expect([one.take('a', START_MS), one.take('b', START_MS)]).toEqual([0, 0])
  })

  test('gives a /56 four times as much as one of its networks', () => {
    const two = limits(2)
    const take = (network: string) => two.take(`2001:db8:1:${network}::/64`, START_MS)
    expect([take('200'), take('200'), take('200')]).toEqual([0, 0, 30_000])
    expect(['201', '202', '203', '2ff', '2fe', '2fd'].map(take)).toEqual([0, 0, 0, 0, 0, 0])
    expect(take('210')).toBe(7_500)
    expect([take('300'), take('1ff')]).toEqual([0, 0])
  })

  test('stores only the latest addresses, up to its bound', () => {
    const one = limits(1, 2)
    for (const address of ['a', 'b', 'c']) one.take(address, START_MS)
    expect(one.take('b', START_MS)).toBe(MINUTE_MS)
    expect(one.take('a', START_MS)).toBe(0)
  })

  test('lets exactly the budget through at once, whatever the budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), (requestsMax) => {
        const own = limits(requestsMax)
        for (let i = 0; i < requestsMax; i++) expect(own.take('a', START_MS)).toBe(0)
        expect(own.take('a', START_MS)).toBeGreaterThan(0)
      }),
      { numRuns: 50 },
    )
  })
})
