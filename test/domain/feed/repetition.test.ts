import { describe, expect, test } from 'bun:test'
import { repeatedMs, type Said, saidAfter } from '~/domain/feed/repetition.ts'

const CODES = ['EUR', 'GBP', 'KES', 'NGN', 'ZAR']

/** A response with five currencies, whose first value varies. */
const rates = (upstreamMs: number, first: number, codes = CODES) => ({
  upstreamMs,
  perUsd: new Map(codes.map((code, i) => [code, i === 0 ? String(first) : '2'])),
})

const after = (...all: ReturnType<typeof rates>[]): readonly Said[] =>
  all.reduce<readonly Said[]>((said, one) => saidAfter(one, said), [])

describe('saidAfter', () => {
  test('stores the time at which each response was first given, oldest first', () => {
    const said = after(rates(1, 1), rates(2, 1), rates(3, 2))
    expect(said.map(({ atMs }) => atMs)).toEqual([1, 3])
    expect(new Set(said.map(({ digest }) => digest)).size).toBe(2)
  })

  test('stores the last ten responses', () => {
    const said = after(...Array.from({ length: 12 }, (_, i) => rates(i, i)))
    expect(said.map(({ atMs }) => atMs)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  test('treats the same rates in another order as the same response', () => {
    const { upstreamMs, perUsd } = rates(1, 1)
    const turned = { upstreamMs, perUsd: new Map([...perUsd].reverse()) }
    expect(saidAfter(turned, [])).toEqual(saidAfter(rates(1, 1), []))
  })
})

describe('repeatedMs', () => {
  const said = after(rates(1, 1), rates(2, 2), rates(3, 3))

  test('returns the time of an earlier response that recurs under a newer date', () => {
    expect(repeatedMs(rates(4, 1), said)).toBe(1)
    expect(repeatedMs(rates(4, 2), said)).toBe(2)
  })

  test('returns null for the last response again, for a new one, and without a newer date', () => {
    expect(repeatedMs(rates(4, 3), said)).toBeNull()
    expect(repeatedMs(rates(4, 4), said)).toBeNull()
    expect(repeatedMs(rates(1, 1), said)).toBeNull()
    expect(repeatedMs(rates(4, 1), [])).toBeNull()
    const back = after(rates(1, 1), rates(2, 2), rates(3, 1))
    expect(repeatedMs(rates(4, 1), back)).toBeNull()
  })

  test('returns null for fewer than five currencies, which may agree by chance', () => {
    const few = CODES.slice(1)
    const four = after(rates(1, 1, few), rates(2, 2, few))
    expect(repeatedMs(rates(3, 1, few), four)).toBeNull()
  })
})
