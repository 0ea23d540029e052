import { describe, expect, test } from 'bun:test'
import { heldAt, heldKey, lasting } from '~/domain/offer/held.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

/** A quote of the plain offer from a time on, until another. */
const held = (id: number, atMs: number, validUntilMs: number | null = null) =>
  offered({ validUntilMs }, { id, atMs })

const idsOf = (quotes: readonly { readonly id: number }[]) => quotes.map(({ id }) => id)

describe('heldKey', () => {
  test('differs by provider and by offer, and ignores the terms and an offer without fields', () => {
    const plain = heldKey(quote())
    expect(heldKey(held(1, 0, 5))).toBe(plain)
    expect(heldKey(quote({ providerId: 'retail-b' }))).not.toBe(plain)
    expect(heldKey(offered({ service: 'a' }))).not.toBe(plain)
  })
})

describe('heldAt', () => {
  test('returns the newest valid quote of each offer, in any order of quotes', () => {
    const quotes = [held(1, 10), held(3, 20), held(2, 20), held(4, 30, 39)]
    for (const order of [quotes, quotes.toReversed()]) {
      expect(idsOf(heldAt(order, 40))).toEqual([3])
      expect(idsOf(heldAt(order, 39))).toEqual([4])
    }
    const other = offered({ service: 'a' }, { id: 9 })
    expect(idsOf(heldAt([held(1, 10), other], 40))).toEqual([1, 9])
    expect(heldAt([], 40)).toEqual([])
  })
})

describe('lasting', () => {
  test('leaves out quotes that expire no later than a newer one, newest first', () => {
    expect(idsOf(lasting([held(1, 10), held(2, 20)]))).toEqual([2])
    expect(idsOf(lasting([held(1, 10), held(2, 20, 99)]))).toEqual([2, 1])
    expect(idsOf(lasting([held(1, 10, 99), held(2, 20, 99)]))).toEqual([2])
    expect(idsOf(lasting([held(1, 10, 98), held(2, 20, 97), held(3, 30, 98)]))).toEqual([3])
    expect(idsOf(lasting([held(1, 10), offered({ service: 'a' }, { id: 9, atMs: 5 })]))).toEqual([
      ...[1, 9],
    ])
  })
})
