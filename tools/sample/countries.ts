import { COUNTRIES, countriesUsing } from '~/domain/offer/country.ts'

type Place = { area: string; continent: string }

/** Why the survey's prices to these countries are taken as paid out in US dollars. */
export const PAID_IN_USD: Readonly<Record<string, string>> = {
  LR: 'nearly every margin from the United States is 0, which is dollars for dollars',
  SO: 'the shilling has no rate that anybody pays; margins from the United States are 0',
  SS: 'SSP has no mid one could trust; margins of 0.5 to 5.7 % are those of dollars',
  ZW: 'transfers are paid out in US dollars',
}

const WEST_AFRICA = { area: 'West Africa', continent: 'Africa' }
const EAST_AFRICA = { area: 'East Africa', continent: 'Africa' }
const SOUTHERN_AFRICA = { area: 'Southern Africa', continent: 'Africa' }
const CENTRAL_AFRICA = { area: 'Central Africa', continent: 'Africa' }
const GULF = { area: 'Gulf', continent: 'Asia' }
const EUROPE = { area: 'Europe', continent: 'Europe' }
const NORTH_AMERICA = { area: 'North America', continent: 'North America' }

/** Places of the countries that providers of the sample send from or publish for. */
const PLACES: Readonly<Record<string, Place>> = {
  ...{ BE: EUROPE, DE: EUROPE, ES: EUROPE, FR: EUROPE, GB: EUROPE, IT: EUROPE, NL: EUROPE },
  ...{ PT: EUROPE, SE: EUROPE, CA: NORTH_AMERICA, US: NORTH_AMERICA },
  ...{ AE: GULF, KW: GULF, QA: GULF, SA: GULF },
  ...{ CI: WEST_AFRICA, GH: WEST_AFRICA, GM: WEST_AFRICA, SN: WEST_AFRICA, CM: CENTRAL_AFRICA },
  ...{ KE: EAST_AFRICA, RW: EAST_AFRICA, TZ: EAST_AFRICA, UG: EAST_AFRICA },
  ...{ AO: SOUTHERN_AFRICA, BW: SOUTHERN_AFRICA, MW: SOUTHERN_AFRICA, ZA: SOUTHERN_AFRICA },
  AU: { area: 'Oceania', continent: 'Oceania' },
  JO: { area: 'Middle East', continent: 'Asia' },
}

/** The currency that the survey's prices to or from a country are in; an unknown one throws. */
export function currencyOf(country: string): string {
  const currency = COUNTRIES.get(country)?.currencies[0]
  if (currency === undefined) throw new Error(`no currency is known for ${country}`)
  return currency
}

/** The one country that has a currency; throws where it has none or several. */
export function countryOf(currency: string): string {
  const [country, ...others] = countriesUsing(currency)
  if (country === undefined || others.length > 0)
    throw new Error(`${currency} is not the currency of one country`)
  return country.code
}

const names = new Intl.DisplayNames('en', { type: 'region' })

const nameOf = (country: string): string =>
  country === 'GM' ? 'The Gambia' : names.of(country)!.replace('’', "'")

/**
 * Where a provider sends from, evaluated by the countries that the data prices it in: the smallest of
 * country, area and continent that holds them all, `Global` when none does.
 */
export function regionOf(countries: readonly string[]): string {
  const places = countries.map((country) => {
    const place = PLACES[country]
    if (place === undefined) throw new Error(`no region is known for ${country}`)
    return { country: nameOf(country), ...place }
  })
  for (const level of ['country', 'area', 'continent'] as const) {
    const found = new Set(places.map((place) => place[level]))
    if (found.size === 1) return places[0]![level]
  }
  return 'Global'
}
