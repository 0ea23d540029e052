import { meanOf, medianOf } from '~/domain/offer/costs.ts'
import type { OfferFilters } from '~/domain/offer/filter.ts'
import type { Provider } from '~/domain/provider.ts'
import { compareText, STANDING } from '~/domain/rank.ts'
import type { View } from '~/memory/view.ts'
import { type CountryCosts, countryCosts } from './costs.ts'
import { countryPairs } from './pairs.ts'

/** Metrics for ranking costs; `pairs` is the number of pairs that a provider prices. */
export const FIGURES = ['average', 'median', 'smart', 'cheapest', 'pairs'] as const
type Figure = (typeof FIGURES)[number]

/** Pairs of countries and their offers to rank. Null selects all. */
export type RankingAsk = {
  readonly sourceCountries: readonly string[] | null
  readonly targetCountries: readonly string[] | null
  readonly providerId: string | null
  /** Only offers that state these conditions count. */
  readonly filters: OfferFilters
  readonly amountUsd: number
}

/** A pair of countries by what sending between them costs, in percent; null if unknown. */
export type RankedPair = { readonly pct: number | null; readonly found: CountryCosts }

/** A provider by its cheapest offers of all pairs. */
export type RankedProvider = {
  readonly provider: Provider
  readonly pct: number
  readonly pairs: number
  /** The number of pairs in which its price is stale. */
  readonly stale: number
}

/** Pairs of countries with matching offers, each with a metric of `countryCosts`, by country. */
export function rankedPairs(view: View, by: Figure, asked: RankingAsk): RankedPair[] {
  return costsOfPairs(view, asked).map((found) => ({ pct: figureOf(found, by), found }))
}

function costsOfPairs(view: View, asked: RankingAsk): CountryCosts[] {
  const { sourceCountries, targetCountries, amountUsd } = asked
  return countryPairs(view)
    .filter(
      ({ sourceCountry, targetCountry }) =>
        (sourceCountries?.includes(sourceCountry) ?? true) &&
        (targetCountries?.includes(targetCountry) ?? true),
    )
    .map(({ sourceCountry, targetCountry }) =>
      countryCosts(view, {
        ...{ sourceCountry, targetCountry, from: null, to: null },
        sum: { amount: null, amountUsd },
        ...{ filters: asked.filters, providerId: asked.providerId },
      }),
    )
    .filter(({ costs }) => costs.offers.length > 0)
}

function figureOf({ costs, cheapest }: CountryCosts, by: Figure): number | null {
  if (by === 'cheapest') return cheapest?.cost?.totalPct ?? null
  if (by === 'smart') return costs.smart?.pct ?? null
  return by === 'median' ? costs.medianPct : costs.averagePct
}

/**
 * The providers with a matching price for a pair, by id: the mean, median or smallest cost of their
 * cheapest offer in each pair. Offers that are suspect or out of range do not count.
 */
export function rankedProviders(view: View, by: Figure, asked: RankingAsk): RankedProvider[] {
  const cheapest = costsOfPairs(view, asked).flatMap(({ costs }) => {
    const usual = costs.offers.flatMap(({ candidate, cost, standing }) =>
      cost && standing === STANDING.usual ? [{ candidate, pct: cost.totalPct }] : [],
    )
    const own = Map.groupBy(usual, ({ candidate }) => candidate.provider.id)
    return [...own.values()].map(([first]) => first!)
  })
  const own = Map.groupBy(cheapest, ({ candidate }) => candidate.provider.id)
  return [...own.values()]
    .map((all) => ({
      provider: all[0]!.candidate.provider,
      pct: overPairs(
        by,
        all.map(({ pct }) => pct).sort((a, b) => a - b),
      ),
      pairs: all.length,
      stale: all.filter(({ candidate }) => candidate.isStale).length,
    }))
    .sort((a, b) => compareText(a.provider.id, b.provider.id))
}

/** The metric of percentages in ascending order, of which there is at least one. */
function overPairs(by: Figure, percents: readonly number[]): number {
  if (by === 'cheapest') return percents[0]!
  return by === 'median' ? medianOf(percents)! : meanOf(percents)!
}
