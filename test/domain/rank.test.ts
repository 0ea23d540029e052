import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isExecutable, KIND_ORDER, RATE_TYPES, type RateType } from '~/domain/provider.ts'
import { newestFirst, type Quote } from '~/domain/quote.ts'
import { bestOf, byRank, compareText, type Ranked, STANDING } from '~/domain/rank.ts'
import { fewRates, quote, rateTypes } from '../support/quotes.ts'

const entry = (
  value: number | null,
  more: Partial<Quote> = {},
  other: Partial<Ranked> = {},
): Ranked => ({
  ...{ quote: quote(more), value, second: null, standing: STANDING.usual, unspecified: [] },
  ...other,
})

const entries = fc.array(
  fc.record({
    value: fc.option(fewRates, { freq: 4 }),
    second: fc.option(fc.integer({ min: 1, max: 2 })),
    standing: fc.constantFrom(...Object.values(STANDING)),
    unspecified: fc.constantFrom([], ['payIn']),
    quote: fc
      .record({
        id: fc.integer({ min: 1, max: 5 }),
        atMs: fc.integer({ min: 1, max: 3 }),
        providerId: fc.constantFrom('a', 'B', 'b', 'ab'),
        rateType: rateTypes,
      })
      .map(quote),
  }),
  { maxLength: 20 },
)

const idsOf = (sorted: readonly Ranked[]) => sorted.map(({ quote: { providerId } }) => providerId)

describe('byRank', () => {
  test('kinds are in the order retail, p2p, interbank, official, parallel', () => {
    const kinds: RateType[] = ['parallel', 'official', 'interbank', 'p2p', 'retail']
    const sorted = kinds.map((rateType, i) => entry(i, { rateType })).sort(byRank)
    expect(sorted.map(({ quote: { rateType } }) => rateType)).toEqual([
      'retail',
      'p2p',
      'interbank',
      'official',
      'parallel',
    ])
  })

  test('within a kind the greatest value comes first and null last, even below negative ones', () => {
    const sorted = [entry(null), entry(-5), entry(0), entry(7)].sort(byRank)
    expect(sorted.map(({ value }) => value)).toEqual([7, 0, -5, null])
  })

  test('the newest of equal values comes first, whatever the provider is called', () => {
    const sorted = [
      entry(1, { providerId: 'a', atMs: 1, id: 9 }),
      entry(1, { providerId: 'z', atMs: 2, id: 1 }),
    ].sort(byRank)
    expect(idsOf(sorted)).toEqual(['z', 'a'])
  })

  test('the smaller provider id comes first among equal values and times, whatever the row id', () => {
    const sorted = [
      entry(1, { providerId: 'b', id: 9 }),
      entry(1, { providerId: 'a', id: 1 }),
      entry(1, { providerId: 'B', id: 5 }),
    ].sort(byRank)
    expect(idsOf(sorted)).toEqual(['B', 'a', 'b'])
  })

  test('entries without a value are ordered too, by the newest, then by provider id', () => {
    const sorted = [
      entry(null, { providerId: 'b', atMs: 1 }),
      entry(null, { providerId: 'a', atMs: 1 }),
      entry(null, { providerId: 'c', atMs: 2 }),
    ].sort(byRank)
    expect(idsOf(sorted)).toEqual(['c', 'a', 'b'])
  })

  test('the order is total: it reverses with its arguments, and every shuffle sorts to the same list', () => {
    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (list, noise) => {
        for (const a of list)
          for (const b of list) expect(Math.sign(byRank(a, b)) + Math.sign(byRank(b, a))).toBe(0)
        const shuffled = list
          .map((item) => ({ item, key: noise.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item)
        expect(shuffled.sort(byRank)).toEqual([...list].sort(byRank))
      }),
    )
  })
})

describe('byRank of suspect and out of range entries', () => {
  test('within a kind suspect prices come after the others, and those out of range come last', () => {
    const usual = entry(1)
    const silent = entry(5, {}, { unspecified: ['payIn'] })
    const unpriced = entry(null)
    const suspect = entry(9, {}, { standing: STANDING.suspect })
    const far = entry(-3, {}, { standing: STANDING.outOfRange })
    const official = entry(99, { rateType: 'official' })
    const all = [official, far, suspect, unpriced, silent, usual]
    expect(all.sort(byRank)).toEqual([usual, unpriced, silent, suspect, far, official])
  })

  test('between equal values the greater second one comes first, then the newest', () => {
    const more = entry(1, { atMs: 1 }, { second: 8 })
    const less = entry(1, { atMs: 2 }, { second: 5 })
    expect([less, more].sort(byRank)).toEqual([more, less])
    expect(bestOf([less, more])).toBe(more)
  })
})

describe('bestOf', () => {
  test('a suspect price and one out of range are never the best', () => {
    const suspect = entry(9, {}, { standing: STANDING.suspect })
    const far = entry(9, {}, { standing: STANDING.outOfRange })
    const usual = entry(1)
    expect(bestOf([suspect, far, usual])).toBe(usual)
    expect(bestOf([suspect, far])).toBeNull()
  })

  test('an entry with all requested fields comes before a better one without them', () => {
    const silent = entry(9, {}, { unspecified: ['payIn'] })
    const usual = entry(1)
    expect(bestOf([silent, usual])).toBe(usual)
    expect(bestOf([silent])).toBe(silent)
  })

  test('official and parallel are never the best, however good', () => {
    const best = bestOf([
      entry(900, { rateType: 'official' }),
      entry(999, { rateType: 'parallel' }),
      entry(1, { rateType: 'interbank', providerId: 'bank' }),
    ])
    expect(best?.quote.providerId).toBe('bank')
  })

  test('is the best of all executable kinds together', () => {
    for (const rateType of ['retail', 'p2p', 'interbank'] as const) {
      const others = ['retail', 'p2p', 'interbank'] as const
      const list = others.map((kind) => entry(kind === rateType ? 2 : 1, { rateType: kind }))
      expect(bestOf(list)?.quote.rateType).toBe(rateType)
    }
  })

  test('is null if nothing is executable, if nothing has a value, and for an empty list', () => {
    expect(bestOf([entry(1, { rateType: 'official' })])).toBeNull()
    expect(bestOf([entry(null)])).toBeNull()
    expect(bestOf([])).toBeNull()
  })

  test('a tie goes to the newest, then to the smaller provider id', () => {
    const older = entry(1, { providerId: 'a', atMs: 1, rateType: 'p2p' })
    const newer = entry(1, { providerId: 'z', atMs: 2, rateType: 'interbank' })
    expect(bestOf([older, newer])).toBe(newer)
    expect(bestOf([newer, older])).toBe(newer)
    const twin = entry(1, { providerId: 'b', atMs: 2 })
    expect(bestOf([newer, twin])).toBe(twin)
  })

  test('is no worse than any executable entry, and leads its own kind', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const best = bestOf(list)
        const candidates = list.filter(
          ({ value, standing, quote: { rateType } }) =>
            value !== null &&
            standing === STANDING.usual &&
            ['retail', 'p2p', 'interbank'].includes(rateType),
        )
        expect(best === null).toBe(candidates.length === 0)
        if (!best) return
        const isSilent = best.unspecified.length > 0
        for (const { value, unspecified } of candidates)
          if (isSilent || unspecified.length === 0)
            expect(best.value!).toBeGreaterThanOrEqual(value!)
        const own = list.filter(
          ({ value, quote: { rateType } }) => value !== null && rateType === best.quote.rateType,
        )
        expect(own.sort(byRank)[0]).toEqual(best)
      }),
    )
  })
})

describe('isExecutable', () => {
  test('interbank, retail and p2p are executable, and official and parallel are not', () => {
    const executable = RATE_TYPES.filter(isExecutable)
    expect([...executable].sort()).toEqual(['interbank', 'p2p', 'retail'])
  })

  test('executable kinds come first in every list', () => {
    const shown = RATE_TYPES.toSorted((a, b) => KIND_ORDER[a] - KIND_ORDER[b])
    expect(shown.findIndex((kind) => !isExecutable(kind))).toBe(shown.filter(isExecutable).length)
  })

  test('every kind has its own place', () => {
    expect(new Set(Object.values(KIND_ORDER)).size).toBe(RATE_TYPES.length)
  })
})

describe('newestFirst', () => {
  test('orders by time, then by the order of recording', () => {
    const dated = [
      { id: 1, atMs: 5 },
      { id: 3, atMs: 5 },
      { id: 2, atMs: 9 },
    ]
    expect(dated.sort(newestFirst).map(({ id }) => id)).toEqual([2, 3, 1])
  })
})

describe('compareText', () => {
  test('orders by code units: capitals first, accents last, a prefix before a longer word', () => {
    expect(['é', 'b', 'a', 'B', 'ab', 'a'].sort(compareText)).toEqual([
      'B',
      'a',
      'a',
      'ab',
      'b',
      'é',
    ])
  })
})
