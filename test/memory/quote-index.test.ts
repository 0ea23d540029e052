import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { noState } from '~/domain/feed/state.ts'
import { freshnessAt, hourStartMs, TIERS } from '~/domain/freshness.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import type { Provider, RateType } from '~/domain/provider.ts'
import { newestFirst, type Quote } from '~/domain/quote.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { DayReferences } from '~/memory/day-references.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import { QuoteIndex } from '~/memory/quote-index.ts'
import { ReferenceIndex } from '~/memory/reference-index.ts'
import { View } from '~/memory/view.ts'
import { CURRENCIES, provider } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import { fewRates, quote } from '../support/quotes.ts'
import { BASE_MS, backs, clockSteps, lives, oracleAt, spots } from './histories.ts'

const REALTIME = Number.POSITIVE_INFINITY
const CORRIDORS = [
  ['USD', 'KES'],
  ['GBP', 'NGN'],
] as const
const KINDS: Record<string, RateType> = {
  a: 'retail',
  b: 'retail',
  c: 'p2p',
  d: 'interbank',
  e: 'official',
  f: 'parallel',
}
const IDS = Object.keys(KINDS)
const ORDER: RateType[] = ['retail', 'p2p', 'interbank', 'official', 'parallel']

const catalogueOf = (inactive: readonly string[]) =>
  new CatalogueIndex({
    currencies: CURRENCIES,
    providers: IDS.map((id) =>
      provider(id, { rateType: KINDS[id]!, isActive: !inactive.includes(id) }),
    ),
  })

type Sight = {
  quotes: QuoteIndex
  catalogue: CatalogueIndex
  nowMs: number
  quoteMaxAgeMs: number | null
  staleAfterMs: number | null
}

const viewOf = (
  { quotes, catalogue, nowMs, quoteMaxAgeMs, staleAfterMs }: Sight,
  tier: 'hourly' | 'realtime',
) =>
  new View(
    {
      quotes,
      unloaded: null,
      catalogue,
      references: ReferenceIndex.empty,
      days: DayReferences.empty,
      feeds: noState,
      sources: [],
      connectors: [],
      keys: KeyIndex.empty,
    },
    freshnessAt(tier, nowMs),
    { midMaxAgeMs: HOUR_MS, quoteMaxAgeMs, staleAfterMs },
  )

/** A corridor computed naively: every rule written out over all observations. */
function plainCorridor(
  known: readonly Quote[],
  [from, to]: readonly [string, string],
  { catalogue, nowMs, quoteMaxAgeMs, staleAfterMs, tier }: Omit<Sight, 'quotes'> & { tier: string },
) {
  const cutoffMs = tier === 'hourly' ? hourStartMs(nowMs) : REALTIME
  const thenMs = Math.min(nowMs, cutoffMs)
  const isOld = ({ atMs }: Quote) => staleAfterMs !== null && thenMs - atMs > staleAfterMs
  const live: { quote: Quote; provider: Provider }[] = []
  const offers: Quote[] = []
  for (const owner of catalogue.providers) {
    const own = known.filter((q) => q.providerId === owner.id && q.from === from && q.to === to)
    const latest = Object.values(Object.groupBy(own, (q) => q.offer?.service ?? ''))
      .flatMap((series) => oracleAt(series ?? [], cutoffMs, thenMs) ?? [])
      .filter(({ atMs }) => quoteMaxAgeMs === null || nowMs - atMs <= quoteMaxAgeMs)
    offers.push(...latest)
    const [first] = latest.sort(
      (a, b) => Number(isOld(a)) - Number(isOld(b)) || b.rate - a.rate || newestFirst(a, b),
    )
    if (first) live.push({ quote: first, provider: owner })
  }
  const bestRate = (kind: RateType) =>
    Math.max(...live.filter((row) => row.quote.rateType === kind).map((row) => row.quote.rate))
  const ranked = live
    .map((row) => {
      const best = bestRate(row.quote.rateType)
      return {
        ...row,
        isStale: isOld(row.quote),
        spreadBps: ((best - row.quote.rate) / best) * 10_000,
      }
    })
    .sort(
      (a, b) =>
        ORDER.indexOf(a.quote.rateType) - ORDER.indexOf(b.quote.rateType) ||
        b.quote.rate - a.quote.rate ||
        b.quote.atMs - a.quote.atMs ||
        (a.quote.providerId < b.quote.providerId ? -1 : 1),
    )
  const executable = ranked.filter((row) => ORDER.indexOf(row.quote.rateType) < 3)
  const best = [...executable].sort(
    (a, b) =>
      b.quote.rate - a.quote.rate ||
      b.quote.atMs - a.quote.atMs ||
      (a.quote.providerId < b.quote.providerId ? -1 : 1),
  )[0]
  return { ranked, offers, best: best?.quote ?? null, executable }
}

const seenOf = ({
  quote,
  provider,
  isStale,
}: Pick<RankedQuote, 'quote' | 'provider' | 'isStale'>) => ({
  quote,
  provider,
  isStale,
})

function expectPlain(sight: Sight, known: readonly Quote[]): void {
  for (const tier of TIERS)
    for (const corridor of CORRIDORS) {
      const view = viewOf(sight, tier).corridor(corridor[0], corridor[1])
      const { ranked, offers, best, executable } = plainCorridor(known, corridor, {
        ...sight,
        tier,
      })
      expect(view.quotes.map(seenOf)).toEqual(ranked.map(seenOf))
      view.quotes.forEach((row, i) => {
        expect(row.spreadBps).toBeCloseTo(ranked[i]!.spreadBps, 9)
      })
      expect(view.best?.quote ?? null).toEqual(best)
      expect(idsOf(view.offers.map(({ quote }) => quote))).toEqual(idsOf(offers))
      const isOneOfEach = offers.length === ranked.length
      expect(view.offers === view.quotes).toBe(isOneOfEach)
      const newest = [...ranked].sort((a, b) => newestFirst(a.quote, b.quote))[0]
      expect(view.lastUpdatedMs).toBe(newest?.quote.atMs ?? null)
      const mean = executable.reduce((sum, row) => sum + row.spreadBps, 0) / executable.length
      if (executable.length === 0) expect(view.avgSpreadBps).toBeNull()
      else expect(view.avgSpreadBps).toBeCloseTo(mean, 6)
    }
}

const idsOf = (quotes: readonly Quote[]) => quotes.map(({ id }) => id).sort((a, b) => a - b)

/** Terms of an offer: mostly none, some that distinguish offers, or an end of its own. */
const said = fc.record({ service: fc.constantFrom(null, null, 'Express', 'Slow'), life: lives })

const offerOf = (
  { service, life }: { service: string | null; life: number | null },
  atMs: number,
) =>
  service === null && life === null
    ? null
    : offer({ service, validUntilMs: life === null ? null : atMs + life })

const arrivals = fc.array(
  fc.record({
    said,
    providerId: fc.constantFrom(...IDS),
    corridor: fc.constantFrom(...CORRIDORS),
    rate: fewRates,
    back: backs,
  }),
  { maxLength: 6 },
)
const steps = fc.array(
  fc.record({
    stepMs: clockSteps,
    arrivals,
    isPruned: fc.boolean(),
    isRepeated: fc.boolean(),
    inactive: fc.option(fc.subarray(IDS), { nil: null }),
  }),
  { maxLength: 12 },
)
const maxAges = fc.constantFrom(null, null, 1, HOUR_MS / 2, HOUR_MS, 3 * HOUR_MS)

describe('QuoteIndex', () => {
  const nowMs = BASE_MS + 1000
  const of = (...quotes: Partial<Quote>[]) =>
    QuoteIndex.empty.with(
      quotes.map((more, i) => quote({ id: i + 1, ...more })),
      nowMs,
    )

  test('has no corridor, no update and no quote when empty', () => {
    expect(QuoteIndex.empty.book('USD', 'KES')).toBeUndefined()
    expect([...QuoteIndex.empty.allBooks()]).toEqual([])
    expect(QuoteIndex.empty.booksOf('a')).toEqual([])
    expect(QuoteIndex.empty.lastUpdatedMs).toBeNull()
  })

  test('distinguishes the directions of a corridor', () => {
    const index = of({ from: 'USD', to: 'KES' })
    expect(index.book('USD', 'KES')?.size).toBe(1)
    expect(index.book('KES', 'USD')).toBeUndefined()
  })

  test('lists each corridor of a provider once, in order of appearance', () => {
    const index = of({ to: 'NGN' }, { to: 'KES' }, { to: 'NGN' }, { to: 'UGX' }).with(
      [quote({ id: 9, to: 'KES', atMs: nowMs }), quote({ id: 10, to: 'ZAR' })],
      nowMs,
    )
    expect(index.booksOf('retail-a').map(({ to }) => to)).toEqual(['NGN', 'KES', 'UGX', 'ZAR'])
  })

  test('returns the same index for known quotes, and for quotes too old to matter', () => {
    const index = of({ id: 7, atMs: BASE_MS - 3 * HOUR_MS })
    expect(index.with([], nowMs)).toBe(index)
    expect(index.with([quote({ id: 7, atMs: BASE_MS - 3 * HOUR_MS })], nowMs)).toBe(index)
    expect(index.with([quote({ id: 8, atMs: BASE_MS - 4 * HOUR_MS })], nowMs)).toBe(index)
  })

  test('never moves the last update back when history is filled in', () => {
    const index = of({ atMs: BASE_MS }).with([quote({ id: 5, to: 'NGN', atMs: 1 })], nowMs)
    expect(index.lastUpdatedMs).toBe(BASE_MS)
  })

  test('keeps the last update, of a quote that expired, when none of its quotes is withdrawn', () => {
    const expired = quote({ atMs: BASE_MS, offer: offer({ validUntilMs: BASE_MS + 1 }) })
    const index = QuoteIndex.empty.with([expired], BASE_MS).pruned(BASE_MS + 5 * HOUR_MS)
    expect([...index.allQuotes()]).toEqual([])
    expect(index.without([quote({ id: 3, to: 'NGN' })]).lastUpdatedMs).toBe(BASE_MS)
  })

  test('keeps the quotes of an offer that are not withdrawn with its newest', () => {
    const index = of({ id: 1, atMs: BASE_MS - HOUR_MS }, { id: 2, atMs: BASE_MS })
    const left = index.without([quote({ id: 2, atMs: BASE_MS })])
    expect([...index.allQuotes()].map(({ id }) => id)).toEqual([2, 1])
    expect([...left.allQuotes()].map(({ id }) => id)).toEqual([1])
  })

  test('has a quote per provider, active or not', () => {
    const book = of({ providerId: 'a', rate: 1 }, { providerId: 'b', rate: 2 }).book('USD', 'KES')
    const held = book?.quotesAt(REALTIME, nowMs).map(({ providerId, rate }) => [providerId, rate])
    expect(held).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    expect(IDS.filter((id) => book?.has(id))).toEqual(['a', 'b'])
  })

  test('has a quote for each offer of a provider, found by everything that distinguishes offers', () => {
    const index = of(
      { rate: 1, atMs: BASE_MS },
      { rate: 2, offer: offer({ feePercent: 3 }), atMs: BASE_MS + 9 },
      { rate: 3, offer: offer({ payIn: ['cash', 'debit_card'] }), atMs: BASE_MS },
      { rate: 4, offer: offer({ payIn: ['debit_card', 'cash'], amountMax: 5 }) },
      { rate: 5, offer: offer({ payIn: ['debit_card', 'cash'] }), atMs: BASE_MS + 9 },
    )
    const quotes = index.book('USD', 'KES')?.quotesAt(REALTIME, nowMs)
    expect(quotes?.map(({ rate }) => rate)).toEqual([2, 5, 4])
    expect(index.booksOf('retail-a')).toHaveLength(1)
  })

  test('stores an offer once that is quoted again unchanged', () => {
    const said = (more: Partial<Offer> = {}) => ({ offer: offer({ service: 'Express', ...more }) })
    const offersOf = (index: QuoteIndex) => index.book('USD', 'KES')!.quotesAt(REALTIME, nowMs)
    const first = of({ atMs: BASE_MS - 9, ...said() })
    const again = first.with([quote({ id: 2, atMs: BASE_MS, rate: 7, ...said() })], nowMs)
    expect(offersOf(again)).toMatchObject([{ id: 2, rate: 7 }])
    expect(offersOf(again)[0]?.offer).toBe(offersOf(first)[0]!.offer)
    const changed = [{ feePercent: 1 }, { deliveryMinMs: 1 }, { deliveryMaxMs: 1 }]
    for (const more of [...changed, { validUntilMs: nowMs }]) {
      const other = first.with([quote({ id: 2, atMs: BASE_MS, ...said(more) })], nowMs)
      expect(offersOf(other)[0]?.offer).toMatchObject(more)
    }
  })

  test('ignores a quote that had expired before it arrived, and its corridor', () => {
    const over = { to: 'NGN', atMs: BASE_MS - 9 * HOUR_MS }
    const index = of({}, { ...over, offer: offer({ validUntilMs: BASE_MS - 8 * HOUR_MS }) })
    expect(index.book('USD', 'NGN')).toBeUndefined()
    expect(index.booksOf('retail-a').map(({ to }) => to)).toEqual(['KES'])
  })

  test('has an empty corridor when all its quotes have expired, and fills it when it is quoted again', () => {
    const index = of({ offer: offer({ validUntilMs: BASE_MS + 5 }) })
    const later = index.pruned(nowMs + 9 * HOUR_MS)
    expect(later.book('USD', 'KES')?.size).toBe(0)
    const again = later.with([quote({ id: 9, atMs: nowMs + 9 * HOUR_MS })], nowMs + 9 * HOUR_MS)
    expect(again.book('USD', 'KES')?.size).toBe(1)
    expect(again.booksOf('retail-a')).toEqual([again.book('USD', 'KES')!])
  })

  test('returns the same index from pruning with nothing to prune', () => {
    const index = of({})
    expect(index.pruned(nowMs)).toBe(index)
    expect(index.pruned(nowMs + 100 * HOUR_MS)).toBe(index)
  })

  test('drops by pruning the quotes that no hour can reach any more, and is small again', () => {
    const index = of({ atMs: BASE_MS - 1 }, { atMs: BASE_MS + 1 })
    expect(index.book('USD', 'KES')?.size).toBe(2)
    expect(index.pruned(nowMs + HOUR_MS).book('USD', 'KES')?.size).toBe(2)
    expect(index.pruned(nowMs + 2 * HOUR_MS).book('USD', 'KES')?.size).toBe(1)
    expect(index.book('USD', 'KES')?.size).toBe(2)
  })
})

describe('the view of a corridor', () => {
  test('agrees with the plain rules for any history: late rows, ties, both tiers, prunes, ageing', () => {
    fc.assert(
      fc.property(
        spots(1),
        steps,
        maxAges,
        maxAges,
        (startMs, course, quoteMaxAgeMs, staleAfterMs) => {
          let nowMs = startMs
          let quotes = QuoteIndex.empty
          let catalogue = catalogueOf([])
          const known: Quote[] = []
          for (const step of course) {
            nowMs += step.stepMs
            const batch = step.arrivals.map((row, i) => {
              const { providerId, rate } = row
              const atMs = nowMs - row.back
              const [from, to] = row.corridor
              const own = { providerId, from, to, rate, rateType: KINDS[providerId]! }
              return quote({
                ...own,
                id: known.length + i + 1,
                atMs,
                offer: offerOf(row.said, atMs),
              })
            })
            known.push(...batch)
            quotes = quotes.with(step.isRepeated ? [...known].reverse() : batch, nowMs)
            if (step.isPruned) quotes = quotes.pruned(nowMs)
            if (step.inactive) catalogue = catalogueOf(step.inactive)
            expectPlain({ quotes, catalogue, nowMs, quoteMaxAgeMs, staleAfterMs }, known)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('is cached as long as it shows the same', () => {
    const quotes = QuoteIndex.empty.with([quote({ providerId: 'a', atMs: BASE_MS - 5 })], BASE_MS)
    const ages = { quoteMaxAgeMs: HOUR_MS, staleAfterMs: HOUR_MS }
    const sight = { quotes, catalogue: catalogueOf([]), nowMs: BASE_MS, ...ages }
    const later = { ...sight, nowMs: BASE_MS + HOUR_MS - 6 }
    for (const tier of TIERS) {
      const first = viewOf(sight, tier).corridor('USD', 'KES')
      expect(viewOf(sight, tier).corridor('USD', 'KES')).toBe(first)
      expect(viewOf(later, tier).corridor('USD', 'KES')).toBe(first)
    }
  })

  test('is cached for each tier', () => {
    const quotes = QuoteIndex.empty.with([quote({ providerId: 'a', atMs: BASE_MS - 5 })], BASE_MS)
    const ages = { quoteMaxAgeMs: null, staleAfterMs: null }
    const sight = { quotes, catalogue: catalogueOf([]), nowMs: BASE_MS, ...ages }
    const hourly = viewOf(sight, 'hourly').corridor('USD', 'KES')
    const realtime = viewOf(sight, 'realtime').corridor('USD', 'KES')
    expect(viewOf(sight, 'hourly').corridor('USD', 'KES')).toBe(hourly)
    expect(viewOf(sight, 'realtime').corridor('USD', 'KES')).toBe(realtime)
    expect(hourly).not.toBe(realtime)
  })

  test('shows a quote of exactly the greatest age, and not a millisecond later', () => {
    const quotes = QuoteIndex.empty.with([quote({ providerId: 'a', atMs: BASE_MS })], BASE_MS)
    const catalogue = catalogueOf([])
    const at = (nowMs: number) =>
      viewOf(
        { quotes, catalogue, nowMs, quoteMaxAgeMs: 1000, staleAfterMs: null },
        'realtime',
      ).corridor('USD', 'KES')
    expect(at(BASE_MS).quotes).toHaveLength(1)
    expect(at(BASE_MS + 1000).quotes).toHaveLength(1)
    expect(at(BASE_MS + 1001).quotes).toHaveLength(0)
    expect(at(BASE_MS + 1000).quotes).toHaveLength(1)
  })

  test('shows a quote up to its own last millisecond, then the previous one again', () => {
    const ends = [null, BASE_MS + 1000].map((validUntilMs, i) =>
      quote({ id: i + 1, providerId: 'a', atMs: BASE_MS + i, offer: offer({ validUntilMs }) }),
    )
    const quotes = QuoteIndex.empty.with(ends, BASE_MS)
    const sight = { quotes, catalogue: catalogueOf([]), quoteMaxAgeMs: null, staleAfterMs: null }
    const shown = (nowMs: number, tier: 'hourly' | 'realtime') =>
      viewOf({ ...sight, nowMs }, tier)
        .corridor('USD', 'KES')
        .quotes.map((one) => one.quote.id)
    for (const [afterMs, id] of [
      [1000, 2],
      [1001, 1],
      [1000, 2],
    ] as const)
      expect(shown(BASE_MS + afterMs, 'realtime')).toEqual([id])
    const hours = [1, HOUR_MS + 1].map((ms) => shown(BASE_MS + ms, 'hourly'))
    expect(hours).toEqual([[1], [1]])
  })

  test('has a quote of exactly the age as current, and a millisecond later as stale, in each tier', () => {
    const quotes = QuoteIndex.empty.with([quote({ providerId: 'a', atMs: BASE_MS })], BASE_MS)
    const ages = { quoteMaxAgeMs: null, staleAfterMs: HOUR_MS }
    const sight = { quotes, catalogue: catalogueOf([]), ...ages }
    const isStale = (nowMs: number, tier: 'hourly' | 'realtime') =>
      viewOf({ ...sight, nowMs }, tier).corridor('USD', 'KES').best?.isStale
    for (const order of [0, 1, 0])
      expect(isStale(BASE_MS + HOUR_MS + order, 'realtime')).toBe(order === 1)
    const hours = [1, 2, 1].map((hour) => isStale(BASE_MS + hour * HOUR_MS + 1, 'hourly'))
    expect(hours).toEqual([false, true, false])
  })

  test('agrees with a fresh index, whatever was read before, in any order of clocks', () => {
    const looks = fc.array(
      fc.record({ nowMs: spots(3), tier: fc.constantFrom(...TIERS), inactive: fc.subarray(IDS) }),
      { maxLength: 15 },
    )
    const history = fc.array(
      fc.record({ atMs: spots(2), providerId: fc.constantFrom(...IDS), rate: fewRates, said }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(history, looks, maxAges, maxAges, (rows, course, quoteMaxAgeMs, staleAfterMs) => {
        const loadedMs = BASE_MS + 2 * HOUR_MS
        const all = rows.map((row, i) =>
          quote({
            ...row,
            id: i + 1,
            rateType: KINDS[row.providerId]!,
            offer: offerOf(row.said, row.atMs),
          }),
        )
        const looked = QuoteIndex.empty.with(all, loadedMs)
        const catalogues = new Map<string, CatalogueIndex>()
        for (const { nowMs, tier, inactive } of course) {
          const catalogue = catalogues.get(inactive.join()) ?? catalogueOf(inactive)
          catalogues.set(inactive.join(), catalogue)
          const sight = { catalogue, nowMs, quoteMaxAgeMs, staleAfterMs }
          const fresh = { ...sight, quotes: QuoteIndex.empty.with(all, loadedMs) }
          expect(viewOf({ ...sight, quotes: looked }, tier).corridor('USD', 'KES')).toEqual(
            viewOf(fresh, tier).corridor('USD', 'KES'),
          )
        }
      }),
      { numRuns: 200 },
    )
  })
})
