import { COUNTRIES, type Country, countryCode } from '~/domain/offer/country.ts'

/** Names that people write beside those of the list, and codes that are not of ISO 3166-1. */
const ALSO: Readonly<Record<string, string>> = {
  america: 'US',
  britain: 'GB',
  burma: 'MM',
  'cape verde': 'CV',
  'congo brazzaville': 'CG',
  'congo kinshasa': 'CD',
  'cote d ivoire': 'CI',
  'czech republic': 'CZ',
  'dr congo': 'CD',
  drc: 'CD',
  emirates: 'AE',
  england: 'GB',
  'great britain': 'GB',
  holland: 'NL',
  'northern ireland': 'GB',
  scotland: 'GB',
  swaziland: 'SZ',
  'timor leste': 'TL',
  turkey: 'TR',
  uae: 'AE',
  uk: 'GB',
  'united states of america': 'US',
  us: 'US',
  usa: 'US',
  wales: 'GB',
}

/** A name as it is compared: without case, accents, points and a leading article. */
export const plainName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/^the /, '')

const byName: ReadonlyMap<string, Country> = new Map([
  ...[...COUNTRIES.values()].map((country) => [plainName(country.name), country] as const),
  ...Object.entries(ALSO).map(([name, code]) => [name, COUNTRIES.get(code)!] as const),
])

/** The country of a name, a code or a flag such as 🇬🇭; null where none is meant. */
export function countryNamed(text: string): Country | null {
  const code = flagCode(text) ?? countryCode(text)
  const country = code === null ? byName.get(plainName(text)) : COUNTRIES.get(code)
  return country ?? null
}

/** The countries whose names begin so, in the order of their names. */
export function countriesBeginning(text: string): Country[] {
  const beginning = plainName(text)
  if (beginning === '') return []
  const found = [...byName].filter(([name]) => name.startsWith(beginning))
  return [...new Set(found.map(([, country]) => country))].sort(byItsName)
}

export const byItsName = (a: Country, b: Country): number => a.name.localeCompare(b.name, 'en')

/** The name of a country as it stands in an address: `united-kingdom`. */
export const slugOf = ({ name }: Country): string => plainName(name).replaceAll(' ', '-')

/** A country within a sentence: `the United Kingdom`. */
export const inSentence = ({ name }: Country): string =>
  TAKES_THE.test(name) ? `the ${name}` : name

const TAKES_THE = new RegExp(
  '^(United|Democratic|Republic|Central African|Dominican R|Isle of|Bahamas|British|Comoros|' +
    'French S|Gambia|Maldives|Netherlands|Philippines|U\\.S\\.)|Islands?$',
)

const FLAG_A = 0x1f1e6

/** The flag of a country as the two letters that browsers draw it from. */
export const flagText = ({ code }: Country): string =>
  String.fromCodePoint(...[...code].map((letter) => FLAG_A + letter.charCodeAt(0) - LETTER_A))

const LETTER_A = 65
const FLAG = /^[\u{1f1e6}-\u{1f1ff}]{2}$/u

function flagCode(text: string): string | null {
  if (!FLAG.test(text.trim())) return null
  const letters = [...text.trim()].map((one) => one.codePointAt(0)! - FLAG_A + LETTER_A)
  return countryCode(String.fromCharCode(...letters))
}

/** The address of a country's flag among our own. */
export const flagPath = ({ code }: Country): string => `/flags/${code.toLowerCase()}.svg`
