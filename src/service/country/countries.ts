import { COUNTRIES, type Country } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import { currenciesOf } from './currencies.ts'
import { type CountryPair, countryPairs } from './pairs.ts'

export type Countries = {
  /** Each with its active currencies, first the default one of prices. */
  readonly countries: readonly Country[]
  readonly pairs: readonly CountryPair[]
}

/**
 * The countries where an active currency is used, or that a live offer names together with another,
 * by their codes; and the pairs that live offers name.
 */
export function countriesOf(view: View): Countries {
  const pairs = countryPairs(view)
  const named = new Set(
    pairs.flatMap(({ sourceCountry, targetCountry }) => [sourceCountry, targetCountry]),
  )
  const countries = [...COUNTRIES.values()].map(({ code, name }) => ({
    code,
    name,
    currencies: currenciesOf(view, code),
  }))
  return {
    countries: countries.filter(({ code, currencies }) => currencies.length > 0 || named.has(code)),
    pairs,
  }
}
