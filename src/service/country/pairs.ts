import type { Corridor } from '~/domain/corridor.ts'
import { offerOf } from '~/domain/offer/choice.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { isExecutable } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import { type CorridorView, corridorView, type RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { emptinessOf } from '~/service/absence.ts'
import {
  type Corridors,
  type CountryOffers,
  corridorsOf,
  everyCorridor,
  type LiveCorridor,
  newestOf,
} from '~/service/corridors.ts'

/** The maximum number of corridors between countries that are listed. */
const COUNTRY_CORRIDORS_MAX = 5000

/** The offers of one corridor that name the same two countries. */
type Between = CountryOffers & {
  readonly providerIds: ReadonlySet<string>
  readonly view: CorridorView
}

type CountryCorridor = LiveCorridor & { readonly countries: Between }

/**
 * The live offers of each list of a corridor by the countries that they name.
 *
 * Cache 11 of a read, see docs/architecture.md.
 */
const known = new WeakMap<readonly RankedQuote[], readonly Between[]>()

/** Groups the offers that name both countries, without prices at which no money can be sent. */
function betweenOf(view: View, offers: readonly RankedQuote[]): readonly Between[] {
  const found = known.get(offers)
  if (found) return found
  const groups = new Map<string, RankedQuote[]>()
  for (const one of offers) {
    const { offer, rateType } = one.quote
    if (!offer?.sourceCountry || !offer.targetCountry || !isExecutable(rateType)) continue
    groups.getOrInsert(`${offer.sourceCountry} ${offer.targetCountry}`, []).push(one)
  }
  const staleBeforeMs = view.staleBeforeMs(view.freshness.cutoffMs)
  const fresh = [...groups].map(([countries, own]) => {
    const [sourceCountry, targetCountry] = countries.split(' ') as [string, string]
    const offerCount = new Set(own.map(offerOf)).size
    const seen = corridorView(own, staleBeforeMs)
    const providerIds = new Set(own.map(({ quote }) => quote.providerId))
    return { sourceCountry, targetCountry, offerCount, providerIds, view: seen }
  })
  known.set(offers, fresh)
  return fresh
}

/** The live corridors of which offers name both countries, once for each two, by the countries. */
function countryCorridors(view: View, selection: Selection): CountryCorridor[] {
  const all = everyCorridor(view, selection).flatMap(({ from, to, view: { offers } }) =>
    betweenOf(view, offers)
      .filter(({ sourceCountry, targetCountry }) => from !== to || sourceCountry !== targetCountry)
      .map((countries) => ({ from, to, view: countries.view, countries })),
  )
  return all.sort(
    ({ countries: a }, { countries: b }) =>
      compareText(a.sourceCountry, b.sourceCountry) ||
      compareText(a.targetCountry, b.targetCountry),
  )
}

/**
 * The corridors of which live offers name both countries, by their prices among those selected: by
 * source and target country, then by source and target currency.
 */
function corridorsByCountry(view: View, selection: Selection): Corridors {
  const all = countryCorridors(view, selection)
  const newestMsOf = (other: Selection) => newestOf(countryCorridors(view, other))
  return {
    corridors: all.slice(0, COUNTRY_CORRIDORS_MAX),
    count: all.length,
    absence: all.length > 0 ? null : emptinessOf(selection, newestMsOf),
  }
}

/** The live corridors, each once or once for each two countries that its offers name. */
export const corridorsBy = (
  view: View,
  by: 'currency' | 'country' | undefined,
  selection: Selection,
): Corridors => (by === 'country' ? corridorsByCountry : corridorsOf)(view, selection)

/** Two countries that live offers name, in whatever currencies. */
export type CountryPair = CountryOffers & {
  /** Sorted by source, then target currency. */
  readonly corridors: readonly Corridor[]
  readonly providerCount: number
  readonly lastUpdatedMs: number
}

/** The pairs of countries that live offers name, by source, then target country. */
export function countryPairs(view: View): CountryPair[] {
  const pairs = Map.groupBy(
    countryCorridors(view, UNSELECTED),
    ({ countries }) => `${countries.sourceCountry} ${countries.targetCountry}`,
  )
  return [...pairs.values()].map((corridors) => {
    const { sourceCountry, targetCountry } = corridors[0]!.countries
    return {
      sourceCountry,
      targetCountry,
      corridors: corridors.map(({ from, to }) => ({ from, to })),
      providerCount: new Set(corridors.flatMap(({ countries }) => [...countries.providerIds])).size,
      offerCount: corridors.reduce((count, { countries }) => count + countries.offerCount, 0),
      lastUpdatedMs: newestOf(corridors) ?? 0,
    }
  })
}
