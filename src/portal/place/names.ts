import { countryNames, localNamesOf } from '~/domain/naming/countries.ts'
import type { Meaning } from '~/domain/naming/names.ts'
import { COUNTRIES, type Country, countryCode } from '~/domain/offer/country.ts'

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

/** The country of a name, a code or a flag such as 🇬🇭; null if none is meant, or several. */
export function countryNamed(text: string): Country | null {
  const [country, ...others] = countriesNamed(text)
  return others.length === 0 ? (country ?? null) : null
}

/** The countries of one name, code or flag. */
export function countriesNamed(text: string): Country[] {
  const code = flagCode(text)
  return code === null ? countriesOf(countryNames.exact(text)) : [COUNTRIES.get(code)!]
}

/** The countries whose name was probably misspelt. */
export function countriesNear(text: string): Country[] {
  const meaning = countryNames.meaning(text)
  return meaning.kind === 'none' ? meaning.near.map((code) => COUNTRIES.get(code)!) : []
}

const countriesOf = (meaning: Meaning): Country[] => {
  if (meaning.kind === 'none') return []
  const codes = meaning.kind === 'one' ? [meaning.id] : meaning.ids
  return codes.map((code) => COUNTRIES.get(code)!)
}

const beginnings = [...COUNTRIES.values()].map((country) => ({
  country,
  names: localNamesOf(country.code).map(plainName),
}))

/** The countries one of whose names begins so, in the order of their names. */
export function countriesBeginning(text: string): Country[] {
  const beginning = plainName(text)
  if (beginning === '') return []
  return beginnings
    .filter(({ names }) => names.some((name) => name.startsWith(beginning)))
    .map(({ country }) => country)
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** The name of a country in an address: `united-kingdom`. */
export const slugOf = ({ name }: Country): string => plainName(name).replaceAll(' ', '-')

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

export const flagPath = ({ code }: Country): string => `/flags/${code.toLowerCase()}.svg`
