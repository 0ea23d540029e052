import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { boundariesMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import { ReferenceIndex } from '~/memory/reference-index.ts'
import { BASE_MS, changesOf, oracleAt, spots } from './histories.ts'

const REALTIME = Number.POSITIVE_INFINITY
const reference = (currency: string, atMs: number, more: Partial<Reference> = {}): Reference => ({
  id: 1,
  atMs,
  currency,
  perUsd: 100,
  source: 'feed',
  ...more,
})
const indexOf = (...references: Reference[]) => ReferenceIndex.empty.with(references, BASE_MS)

describe('ReferenceIndex', () => {
  test('the dollar is 1, as of whatever the feed said last, even if the feed names it', () => {
    const index = indexOf(
      reference('KES', BASE_MS - 9, { id: 1 }),
      reference('USD', BASE_MS + 5, { id: 2, perUsd: 7 }),
    )
    expect(index.reference('USD', REALTIME)).toMatchObject({ perUsd: 1, atMs: BASE_MS + 5 })
    expect(index.reference('USD', BASE_MS)).toMatchObject({ perUsd: 1, atMs: BASE_MS - 9 })
  })

  test('before the first reference there is neither a dollar nor a mid', () => {
    expect(ReferenceIndex.empty.reference('USD', REALTIME)).toBeUndefined()
    expect(ReferenceIndex.empty.newest(REALTIME)).toBeUndefined()
    expect(ReferenceIndex.empty.mid('USD', 'KES', REALTIME)).toBeUndefined()
  })

  test('a mid needs both legs at the cutoff', () => {
    const index = indexOf(
      reference('KES', BASE_MS - 5, { id: 1 }),
      reference('NGN', BASE_MS, { id: 2, perUsd: 1500 }),
    )
    expect(index.mid('KES', 'NGN', REALTIME)).toEqual({
      rate: 15,
      source: 'feed',
      atMs: BASE_MS - 5,
    })
    expect(index.mid('KES', 'NGN', BASE_MS - 1)).toBeUndefined()
    expect(index.mid('KES', 'ZAR', REALTIME)).toBeUndefined()
  })

  test('a pair with the dollar has the time and source of its other leg, however fresh the feed', () => {
    const index = indexOf(
      reference('KES', BASE_MS - 5, { id: 1, source: 'old' }),
      reference('NGN', BASE_MS, { id: 2 }),
    )
    expect(index.mid('USD', 'KES', REALTIME)).toEqual({
      rate: 100,
      source: 'old',
      atMs: BASE_MS - 5,
    })
    expect(index.mid('KES', 'USD', REALTIME)).toEqual({
      rate: 0.01,
      source: 'old',
      atMs: BASE_MS - 5,
    })
  })

  test('nothing new gives the very same index', () => {
    const index = indexOf(reference('KES', BASE_MS))
    expect(index.with([], BASE_MS)).toBe(index)
    expect(index.with([reference('KES', BASE_MS)], BASE_MS)).toBe(index)
  })

  test('counts the currencies that have a reference', () => {
    const index = indexOf(
      reference('KES', BASE_MS - 5, { id: 1 }),
      reference('NGN', BASE_MS, { id: 2 }),
      reference('KES', BASE_MS - 1, { id: 3 }),
    )
    expect(index.size).toBe(2)
    expect(index.pruned(BASE_MS + 36_000_000).size).toBe(2)
  })

  test('answers as plain filters and sorts do, at every boundary, however references arrive', () => {
    const currencies = fc.array(fc.constantFrom('KES', 'NGN', 'GBP'), {
      minLength: 25,
      maxLength: 25,
    })
    fc.assert(
      fc.property(changesOf(spots(1)), currencies, (changes, codes) => {
        let index = ReferenceIndex.empty
        const known: Reference[] = []
        changes.forEach(({ nowMs, back, isPruned, isRepeated }, i) => {
          const id = known.length + 1
          known.push(reference(codes[i]!, nowMs - back, { id, perUsd: id }))
          index = index.with(isRepeated ? known : known.slice(-1), nowMs)
          if (isPruned) index = index.pruned(nowMs)
          for (const cutoffMs of boundariesMs(nowMs)) {
            expect(index.newest(cutoffMs)).toEqual(oracleAt(known, cutoffMs))
            for (const code of ['KES', 'NGN', 'GBP'])
              expect(index.reference(code, cutoffMs)).toEqual(
                oracleAt(
                  known.filter(({ currency }) => currency === code),
                  cutoffMs,
                ),
              )
          }
        })
      }),
    )
  })
})
