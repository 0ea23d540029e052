import { continents, countries, type TCountryCode } from 'countries-list'

/** A country of ISO 3166-1, by its English short name. */
export type Country = {
  /** Alpha-2. */
  readonly code: string
  readonly name: string
  /** ISO 4217; the first is that of a price unless stated otherwise. Antarctica has none. */
  readonly currencies: readonly string[]
}

/** Codes that the list has and ISO 3166-1 has not. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(['AC', 'TA', 'XK'])

/** Units of account among the currencies of ISO 4217, in which no price is paid. */
const NO_MONEY: ReadonlySet<string> = new Set('BOV CHE CHW CLF COU MXV USN UYI UYW'.split(' '))

/**
 * Countries whose transfers are paid out in dollars besides their own money. Dollars come first if
 * the World Bank's survey prices them: its margins there are those of dollars for dollars.
 */
const DOLLAR_COUNTRIES: Readonly<Record<string, readonly string[]>> = {
  CD: ['CDF', 'USD'],
  LR: ['USD', 'LRD'],
  SO: ['USD', 'SOS'],
  SS: ['USD', 'SSP'],
  ZW: ['USD', 'ZWG'],
}

/** All countries by code, in the order of their codes. */
export const COUNTRIES: ReadonlyMap<string, Country> = new Map(
  Object.keys(countries)
    .filter((code) => !NO_COUNTRIES.has(code))
    .map((code) => [code, countryOf(code as TCountryCode)]),
)

function countryOf(code: TCountryCode): Country {
  const { name, currency } = countries[code]
  const own: readonly string[] = currency.filter((money) => !NO_MONEY.has(money))
  return { code, name, currencies: DOLLAR_COUNTRIES[code] ?? own }
}

/** The continent of a country by its code, in English. */
export const continentOf = (code: string): string =>
  continents[countries[code as TCountryCode].continent]

/** The countries where a currency is used, in the order of their codes. */
export const countriesUsing = (currency: string): Country[] =>
  [...COUNTRIES.values()].filter(({ currencies }) => currencies.includes(currency))

/**
 * The country whose money a currency is, by its code: ISO 4217 puts the code of the country first.
 * Null for a currency of several countries, such as EUR or XOF.
 */
export function homeOf(currency: string): Country | null {
  const country = COUNTRIES.get(currency.slice(0, 2))
  return country?.currencies.includes(currency) ? country : null
}

/** The code of a country as stored: trimmed, in upper case; null if it does not exist. */
export function countryCode(text: string): string | null {
  if (text.length > TEXT_LENGTH_MAX) return null
  const code = text.trim().toUpperCase()
  return COUNTRIES.has(code) ? code : null
}

const TEXT_LENGTH_MAX = 64

/** Codes that people write, and the country they mean. */
const MEANT: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' }

/** Returns the error for a string that is not a country's code, to follow the string. */
export function countryFault(text: string): string {
  const meant = text.length > TEXT_LENGTH_MAX ? undefined : MEANT[text.trim().toUpperCase()]
  const fault = 'is not an ISO 3166-1 alpha-2 country code'
  if (meant === undefined) return `${fault}, such as GH`
  return `${fault}; ${COUNTRIES.get(meant)!.name} is ${meant}`
}
