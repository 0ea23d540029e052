import type { Corridor } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { type Costs, costsOf, isOfCountries, type OfferCost } from '~/domain/offer/costs.ts'
import { isUnfiltered, type OfferFilters, unspecifiedOf } from '~/domain/offer/filter.ts'
import { STANDING } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Lack, lackOf } from '~/service/convert.ts'
import { corridorsBetween, type Transfer, usualOf } from './currencies.ts'

/** An amount to send, in the source currency or in US dollars. The other is null. */
type Sum =
  | { readonly amount: number; readonly amountUsd: null }
  | { readonly amount: null; readonly amountUsd: number }

export type CostsQuestion = Transfer & {
  readonly sum: Sum
  readonly filters: OfferFilters
  /** The only provider whose offers count; absent for all. */
  readonly providerId?: string | null
}

export type CountryCosts = Pick<Transfer, 'sourceCountry' | 'targetCountry'> & {
  /** Null if a country has no currency that is active. */
  readonly corridor: Corridor | null
  /** Amount in the source currency; null if dollars cannot be converted to it. */
  readonly amount: number | null
  readonly amountUsd: number | null
  readonly costs: Costs<RankedQuote>
  /** The first of its offers that is neither suspect nor out of range; null without one. */
  readonly cheapest: OfferCost<RankedQuote> | null
  /** Reason why none is the cheapest although there are offers; null otherwise. */
  readonly lack: Lack | null
  /** Says whether offers were filtered, and how many for the countries do not state it. */
  readonly isFiltered: boolean
  readonly silentCount: number
  /** Other currencies of the two countries that have offers for them. */
  readonly others: readonly Corridor[]
}

/**
 * Cost of sending an amount from one country to another, by every live offer for them.
 *
 * Covers one corridor: between the requested currencies, else the first of the countries' own that
 * has such offers. Throws `unsupported_currency`; countries must have been checked already.
 */
export function countryCosts(view: View, question: CostsQuestion): CountryCosts {
  const { sourceCountry, targetCountry, sum, filters, providerId = null } = question
  const corridor = usualOf(corridorsBetween(view, question))
  const amount = corridor && amountOf(view, sum, corridor.from)
  const own = corridorsBetween(view, { ...question, from: null, to: null })
  const isOther = ({ from, to }: Corridor) => from !== corridor?.from || to !== corridor.to
  const all = corridor && amount !== null ? corridor.offers : []
  const asked = all.filter(({ quote }) => (providerId ?? quote.providerId) === quote.providerId)
  const offers = asked.filter((one) => unspecifiedOf(one, filters)?.length === 0)
  const silent = asked.filter(
    (one) => isOfCountries(one.quote, question) && (unspecifiedOf(one, filters)?.length ?? 0) > 0,
  )
  const costs = costsOf(offers, { sourceCountry, targetCountry, amount: amount ?? 0 })
  return {
    sourceCountry,
    targetCountry,
    corridor,
    amount: corridor ? amount : sum.amount,
    amountUsd: sum.amountUsd,
    costs,
    cheapest: costs.offers.find(({ standing }) => standing === STANDING.usual) ?? null,
    lack: lackOf(
      offers,
      costs.offers.map(({ candidate: { quote }, standing }) => ({ quote, standing })),
    ),
    isFiltered: !isUnfiltered(filters),
    silentCount: silent.length,
    others: own.filter((one) => one.offers.length > 0 && isOther(one)),
  }
}

/** The amount in the source currency; null for dollars without a recent mid. */
function amountOf(view: View, { amount, amountUsd }: Sum, from: string): number | null {
  if (amountUsd === null) return amount
  if (from === USD) return amountUsd
  const mid = view.mid(USD, from)
  return mid ? roundAmount(amountUsd * mid.rate) : null
}
