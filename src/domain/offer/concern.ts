import type { Corridor } from '~/domain/corridor.ts'
import type { Quote } from '~/domain/quote.ts'
import { COUNTRIES } from './country.ts'
import type { OfferFilters } from './filter.ts'

type Sides = Pick<OfferFilters, 'sourceCountry' | 'targetCountry'>

/**
 * Reports whether a corridor concerns the countries requested, each of which is null for any: its
 * currency is one of that country, or an offer names the country.
 *
 * A list of corridors needs this, because offers that name no country fit every one: dirhams to
 * kwanzas would be listed for Tanzania to Uganda.
 */
export function concerns(
  { from, to }: Corridor,
  { sourceCountry, targetCountry }: Sides,
  prices: Iterable<{ readonly quote: Pick<Quote, 'offer'> }>,
): boolean {
  let isSource = sourceCountry === null || isMoneyOf(from, sourceCountry)
  let isTarget = targetCountry === null || isMoneyOf(to, targetCountry)
  if (isSource && isTarget) return true
  for (const {
    quote: { offer },
  } of prices) {
    isSource ||= offer?.sourceCountry === sourceCountry
    isTarget ||= offer?.targetCountry === targetCountry
  }
  return isSource && isTarget
}

const isMoneyOf = (currency: string, country: string): boolean =>
  COUNTRIES.get(country)?.currencies.includes(currency) ?? false
