import { COUNTRIES } from '~/domain/offer/country.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import type { Provider } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import type { View } from '~/memory/view.ts'
import type { Pair } from '~/portal/place/pair.ts'
import {
  type RankedPair,
  type RankingAsk,
  rankedPairs,
  rankedProviders,
} from '~/service/country/ranking.ts'
import type { RankingQuery } from './query.ts'

/** Amount that the World Bank's survey prices, in US dollars. */
export const AMOUNT_USD = 200

export type Row = {
  readonly pct: number
  /** The number of offers of a pair, or pairs of a provider, that it is the average of. */
  readonly count: number
  /** Further costs of a pair of countries; null for a provider. */
  readonly pair: (Pair & { readonly found: RankedPair['found'] }) | null
  readonly provider: Provider | null
}

type Known = { readonly cutoffMs: number; readonly rows: Map<RankingQuery['of'], readonly Row[]> }

/** Costs of a generation as of an hour: 70 ms of work that most readers of the page need. */
const known = new WeakMap<View['generation'], Known>()

/** The pairs or providers with a known cost, in the requested order, ties by name. */
export function rankingOf(view: View, query: RankingQuery): Row[] {
  const sign = query.order === 'lowest' ? 1 : -1
  const rows = isOfAll(query) ? rowsOfAll(view, query) : rowsOf(view, query)
  return rows.toSorted((a, b) => sign * (a.pct - b.pct) || compareText(keyOf(a), keyOf(b)))
}

const isOfAll = ({ source, target }: RankingQuery): boolean => source === null && target === null

function rowsOfAll(view: View, query: RankingQuery): readonly Row[] {
  const { cutoffMs } = view.freshness
  let held = known.get(view.generation)
  if (held?.cutoffMs !== cutoffMs) {
    held = { cutoffMs, rows: new Map() }
    known.set(view.generation, held)
  }
  return held.rows.getOrInsertComputed(query.of, () => rowsOf(view, query))
}

function rowsOf(view: View, query: RankingQuery): readonly Row[] {
  const asked: RankingAsk = {
    sourceCountries: query.source && [query.source.code],
    targetCountries: query.target && [query.target.code],
    ...{ providerId: null, filters: NO_FILTERS, amountUsd: AMOUNT_USD },
  }
  return query.of === 'pairs' ? pairRows(view, asked) : providerRows(view, asked)
}

const keyOf = ({ pair, provider }: Row): string =>
  provider?.id ?? `${pair?.source.code} ${pair?.target.code}`

const pairRows = (view: View, asked: RankingAsk): Row[] =>
  rankedPairs(view, 'average', asked).flatMap(({ pct, found }) => {
    const source = COUNTRIES.get(found.sourceCountry)
    const target = COUNTRIES.get(found.targetCountry)
    if (pct === null || !source || !target) return []
    const count = found.costs.offers.filter(({ cost }) => cost !== null).length
    return [{ pct, count, pair: { source, target, found }, provider: null }]
  })

const providerRows = (view: View, asked: RankingAsk): Row[] =>
  rankedProviders(view, 'average', asked).map(({ provider, pct, pairs }) => ({
    ...{ pct, provider },
    count: pairs,
    pair: null,
  }))

type GoalKey = 'sdg3' | 'sdg5' | 'g20'

export const countWithin = (rows: readonly Row[], goal: GoalKey): number =>
  rows.filter(({ pair }) => pair?.found.costs.meets?.[goal]).length
