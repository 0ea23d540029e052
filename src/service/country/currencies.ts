import type { Corridor } from '~/domain/corridor.ts'
import { isOfCountries } from '~/domain/offer/costs.ts'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { requireLoaded } from '~/service/absence.ts'
import { supportedCodes } from '~/service/supported.ts'

/** Two countries, and the currencies that are sent and paid out; null for those of the country. */
export type Transfer = {
  readonly sourceCountry: string
  readonly targetCountry: string
  readonly from: string | null
  readonly to: string | null
}

type CountryCorridor = Corridor & { readonly offers: readonly RankedQuote[] }

/** The active currencies of a country, the one first in which prices are unless said otherwise. */
export const currenciesOf = (view: View, country: string): string[] =>
  COUNTRIES.get(country)!.currencies.filter((code) => view.catalogue.currency(code))

/**
 * The corridors between the requested currencies, or else those of the countries, in the order of
 * their currencies. Throws `unsupported_currency`, and `database_unavailable` if one of them could
 * not be loaded.
 */
export function corridorsBetween(view: View, transfer: Transfer): CountryCorridor[] {
  const { sourceCountry, targetCountry } = transfer
  const asked = supportedCodes(view.catalogue, {
    from: transfer.from === null ? [] : [transfer.from],
    to: transfer.to === null ? [] : [transfer.to],
  })
  const sources = transfer.from === null ? currenciesOf(view, sourceCountry) : asked.from
  const targets = transfer.to === null ? currenciesOf(view, targetCountry) : asked.to
  return sources.flatMap((from) =>
    targets.map((to) => {
      requireLoaded(view, { from, to })
      const all = view.offers(from, to)
      return { from, to, offers: all.filter(({ quote }) => isOfCountries(quote, transfer)) }
    }),
  )
}

/** Known sides of a transfer, each by country or currency. */
type Sides = { readonly [side in keyof Transfer]: string | null }

/**
 * The currencies of a transfer: those given, else the usual ones of the countries; null if a
 * country has none that is active. Throws `unsupported_currency`.
 */
export function usualCorridor(
  view: View,
  { sourceCountry, targetCountry, from, to }: Sides,
): Record<'from' | 'to', string | null> {
  const isKnown = sourceCountry !== null && targetCountry !== null
  const between = isKnown ? corridorsBetween(view, { sourceCountry, targetCountry, from, to }) : []
  const usual = usualOf(between)
  return {
    from: from ?? usual?.from ?? usualCurrency(view, sourceCountry!),
    to: to ?? usual?.to ?? usualCurrency(view, targetCountry!),
  }
}

const usualCurrency = (view: View, country: string): string | null =>
  currenciesOf(view, country)[0] ?? null

/** The first of corridors that has offers, else the first; null if there is none. */
export const usualOf = (corridors: readonly CountryCorridor[]): CountryCorridor | null =>
  corridors.find(({ offers }) => offers.length > 0) ?? corridors[0] ?? null
