import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { boundariesMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import { Anchors } from '~/domain/price/anchors.ts'
import { ReferenceIndex } from '~/memory/reference-index.ts'
import { currency } from '../support/catalogue.ts'
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
const PEGGED = new Anchors([
  currency('USD'),
  currency('EUR'),
  currency('XOF', { peg: { to: 'EUR', rate: 655.957 } }),
  currency('AED', { peg: { to: 'USD', rate: 3.6725 } }),
])
const indexOf = (...references: Reference[]) => ReferenceIndex.empty.with(references, BASE_MS)

describe('ReferenceIndex', () => {
  test("has the dollar as 1 at the time of the feed's last rate, even if the feed names it", () => {
    const index = indexOf(
      reference('KES', BASE_MS - 9, { id: 1 }),
      reference('USD', BASE_MS + 5, { id: 2, perUsd: 7 }),
    )
    expect(index.reference('USD', REALTIME)).toMatchObject({ perUsd: 1, atMs: BASE_MS + 5 })
    expect(index.reference('USD', BASE_MS)).toMatchObject({ perUsd: 1, atMs: BASE_MS - 9 })
  })

  test('has neither a dollar nor a mid before the first reference', () => {
    expect(ReferenceIndex.empty.reference('USD', REALTIME)).toBeUndefined()
    expect(ReferenceIndex.empty.newest(REALTIME)).toBeUndefined()
    expect(ReferenceIndex.empty.mid('USD', 'KES', REALTIME)).toBeUndefined()
  })

  test('needs both legs at the cutoff for a mid', () => {
    const index = indexOf(
      reference('KES', BASE_MS - 5, { id: 1 }),
      reference('NGN', BASE_MS, { id: 2, perUsd: 1500 }),
    )
    expect(index.mid('KES', 'NGN', REALTIME)).toEqual({
      rate: 15,
      source: 'feed',
      atMs: BASE_MS - 5,
      basis: 'single',
      dispersionBps: null,
    })
    expect(index.mid('KES', 'NGN', BASE_MS - 1)).toBeUndefined()
    expect(index.mid('KES', 'ZAR', REALTIME)).toBeUndefined()
  })

  test('has for a pair with the dollar the time and source of its other leg, however fresh the feed', () => {
    const index = indexOf(
      reference('KES', BASE_MS - 5, { id: 1, source: 'old' }),
      reference('NGN', BASE_MS, { id: 2 }),
    )
    expect(index.mid('USD', 'KES', REALTIME)).toEqual({
      rate: 100,
      source: 'old',
      atMs: BASE_MS - 5,
      basis: 'single',
      dispersionBps: null,
    })
    expect(index.mid('KES', 'USD', REALTIME)).toEqual({
      rate: 0.01,
      source: 'old',
      atMs: BASE_MS - 5,
      basis: 'single',
      dispersionBps: null,
    })
  })

  test('returns the same index when nothing new is added', () => {
    const index = indexOf(reference('KES', BASE_MS))
    expect(index.with([], BASE_MS)).toBe(index)
    expect(index.with([reference('KES', BASE_MS)], BASE_MS)).toBe(index)
  })

  test('derives a pegged currency from its anchor, and keeps its rates from feeds readable', () => {
    const index = indexOf(
      reference('EUR', BASE_MS - 5, { id: 1, perUsd: 0.8 }),
      reference('XOF', BASE_MS, { id: 2, perUsd: 520 }),
    ).anchored(PEGGED)
    const pegged = { atMs: BASE_MS - 5, perUsd: 0.8 * 655.957, source: 'peg:EUR+feed' }
    expect(index.reference('XOF', REALTIME)).toMatchObject({ currency: 'XOF', ...pegged })
    expect(index.said('XOF', REALTIME)).toMatchObject({ perUsd: 520, source: 'feed' })
    expect(index.newest(REALTIME)).toMatchObject({ currency: 'XOF', atMs: BASE_MS })
    expect(index.mid('EUR', 'XOF', REALTIME)).toMatchObject({ rate: 655.957, atMs: BASE_MS - 5 })
    expect(index.size).toBe(2)
  })

  test('dates a currency pegged to the dollar by the other leg, or by any time', () => {
    const index = indexOf(reference('KES', BASE_MS - 1), reference('RWF', BASE_MS)).anchored(PEGGED)
    const backing = { basis: 'peg', dispersionBps: null } as const
    const constant = { rate: 3.6725, source: 'peg:USD', atMs: Number.POSITIVE_INFINITY, ...backing }
    expect(index.mid('USD', 'AED', REALTIME)).toEqual(constant)
    expect(ReferenceIndex.empty.anchored(PEGGED).mid('USD', 'AED', REALTIME)).toEqual(constant)
    expect(index.mid('AED', 'KES', REALTIME)).toMatchObject({
      source: 'peg:USD+feed',
      atMs: BASE_MS - 1,
      basis: 'single',
      dispersionBps: null,
    })
  })

  test('updates requested mids after a peg is set, and after one is removed', () => {
    const plain = indexOf(
      reference('EUR', BASE_MS, { id: 1, perUsd: 0.8 }),
      reference('XOF', BASE_MS, { id: 2, perUsd: 520 }),
    )
    expect(plain.mid('EUR', 'XOF', REALTIME)?.rate).toBe(650)
    const pegged = plain.anchored(PEGGED)
    expect(pegged.mid('EUR', 'XOF', REALTIME)?.rate).toBe(655.957)
    expect(pegged.anchored(PEGGED)).toBe(pegged)
    expect(pegged.pruned(BASE_MS).with([], BASE_MS).mid('EUR', 'XOF', REALTIME)?.rate).toBe(655.957)
    expect(pegged.anchored(new Anchors([])).mid('EUR', 'XOF', REALTIME)?.rate).toBe(650)
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

  test('agrees with plain filters and sorts at every boundary, in any order of references', () => {
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
