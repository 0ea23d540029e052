import { getCountryData, type TCountryCode } from 'countries-list'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { Names } from './names.ts'

/** What people say besides the names and other names of the list. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  CD: ['Congo', 'Congo Kinshasa'],
  CG: ['Congo', 'Congo Brazzaville'],
  GB: ['England', 'Scotland', 'Wales', 'Northern Ireland'],
  GR: ['EL'],
  GW: ['Guinea Bissau'],
  ST: ['Sao Tome'],
}

/** Every country by its code, of two or three letters, and its names in English and its own. */
export const countryNames = new Names(
  [...COUNTRIES.keys()].map((code) => ({ id: code, names: namesOf(code) })),
)

/** What a country is called, its code of three letters included; the list's own name first. */
export function namesOf(code: string): string[] {
  const { name, native, alias = [], iso3 } = getCountryData(code as TCountryCode)
  return [name, native, iso3, ...alias, ...(ALSO[code] ?? [])]
}
