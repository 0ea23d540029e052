import { getCountryData, type TCountryCode } from 'countries-list'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { Names } from './names.ts'
import { citiesOf, groupNamesOf } from './regions.ts'

/** Common names besides those of the list. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  CD: ['Congo', 'Congo Kinshasa', 'Congo DRC', 'DR Congo'],
  CG: ['Congo', 'Congo Brazzaville'],
  CV: ['Cape Verde'],
  CZ: ['Czech Republic'],
  GB: ['England', 'Scotland', 'Wales', 'Northern Ireland', 'Britain'],
  GR: ['EL'],
  GW: ['Guinea Bissau'],
  MM: ['Burma'],
  NL: ['Holland'],
  ST: ['Sao Tome'],
  SZ: ['Swaziland'],
  TR: ['Turkey'],
  US: ['America'],
}

/** The languages besides English whose names are understood. */
export const UNDERSTOOD = ['fr', 'pt', 'sw', 'ar'] as const

const regions = UNDERSTOOD.map((language) => new Intl.DisplayNames(language, { type: 'region' }))

/**
 * Every country by its code, of two or three letters, and its names in English, its own language,
 * French, Portuguese, Swahili and Arabic. The name of a group such as the EU means each country in
 * it. A misspelt name may also be that of a city: "Lagoss" is not Laos.
 */
export const countryNames = new Names(
  [...COUNTRIES.keys()].map((code) => ({
    id: code,
    names: [...namesOf(code), ...groupNamesOf(code)],
    misspelt: citiesOf(code),
  })),
)

/** Names of a country, its code of three letters included; the list's own name first. */
export function namesOf(code: string): string[] {
  return [...localNamesOf(code), ...regions.map((names) => names.of(code)!)]
}

/** Names of a country in English and in its own language, its code included. */
export function localNamesOf(code: string): string[] {
  const { name, native, alias = [], iso3 } = getCountryData(code as TCountryCode)
  return [name, native, iso3, ...alias, ...(ALSO[code] ?? [])]
}
