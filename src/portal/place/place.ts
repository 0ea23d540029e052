import { type Currency, currencyCode } from '~/domain/currency.ts'
import { type Country, countriesUsing, homeOf } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import { byItsName, countriesBeginning, countryNamed, plainName } from './names.ts'

/** Where money comes from or goes to. */
export type Place = {
  /** Null where only a currency was named. */
  readonly country: Country | null
  readonly currency: string
}

/** The place in a text that a person wrote, or what is wrong with it. */
type WrittenPlace =
  | { readonly place: Place; readonly fault: null }
  | { readonly place: null; readonly fault: string }

type Currencies = Pick<View['catalogue'], 'currency' | 'currencies'>

/**
 * The place that a text means: a country by its name, code or flag, a currency by its code or name,
 * or both as `placeText` writes them.
 *
 * A country that is not said to use a certain currency has the first of its own that is known here.
 */
export function writtenPlace(text: string, known: Currencies): WrittenPlace {
  if (text.trim() === '') return wrong('Choose a country or a currency.')
  const code = codeIn(text, known)
  if (code) return right({ country: null, currency: code })
  const country = countryNamed(text) ?? (text.includes(BETWEEN) ? null : onlyOne(text))
  if (country) return placeIn(country, known)
  return bothIn(text, known) ?? byCurrencyName(text, known) ?? wrong(nothingFor(text))
}

const BETWEEN = ' · '

/** A place as its field shows it, which `writtenPlace` reads again. */
export function placeText({ country, currency }: Place, known: Currencies): string {
  if (country) return country.name + BETWEEN + currency
  const name = known.currency(currency)?.name
  return name === undefined ? currency : currency + BETWEEN + name
}

/** A currency with the country whose own it is. */
export const homePlace = (currency: string): Place => ({ country: homeOf(currency), currency })

/** The places to choose from: countries by name, and currencies that are no one country's own. */
export function placesFor(codes: readonly string[], known: Currencies): Place[] {
  const currencies = codes.filter((code) => known.currency(code))
  const countries = currencies
    .flatMap((currency) => countriesUsing(currency).map((country) => ({ country, currency })))
    .sort((a, b) => byItsName(a.country, b.country) || rankIn(a) - rankIn(b))
  const shared = currencies.filter((code) => !homeOf(code))
  return [...countries, ...shared.map((currency) => ({ country: null, currency }))]
}

const rankIn = ({ country, currency }: Place): number => country?.currencies.indexOf(currency) ?? 0

const right = (place: Place): WrittenPlace => ({ place, fault: null })

const wrong = (fault: string): WrittenPlace => ({ place: null, fault })

function codeIn(text: string, known: Currencies): string | null {
  const code = currencyCode(text)
  return code !== null && known.currency(code) ? code : null
}

function placeIn(country: Country, known: Currencies): WrittenPlace {
  const currency = country.currencies.find((code) => known.currency(code))
  if (currency) return right({ country, currency })
  return wrong(`We have no prices in the money of ${country.name} yet. Choose another country.`)
}

/** The one country whose name begins so. */
function onlyOne(text: string): Country | null {
  const [country, ...others] = guesses(text)
  return others.length === 0 ? (country ?? null) : null
}

const LETTERS_MIN = 3

const guesses = (text: string): Country[] =>
  plainName(text).length < LETTERS_MIN ? [] : countriesBeginning(text)

/** Both parts of a place, of which one is a currency. */
function bothIn(text: string, known: Currencies): WrittenPlace | null {
  const [first = '', second = ''] = text.split(BETWEEN.trim())
  const currency = codeIn(second, known)
  const country = currency && countryNamed(first)
  if (country) return right({ country, currency })
  const code = codeIn(first, known)
  return code === null ? null : right({ country: null, currency: code })
}

/** The currency whose name is that, or has that word: `naira`. */
function byCurrencyName(text: string, known: Currencies): WrittenPlace | null {
  const asked = plainName(text)
  const named = known.currencies.filter(({ name }) => plainName(name).split(' ').includes(asked))
  const same = known.currencies.find(({ name }) => plainName(name) === asked)
  const [found, ...others] = same ? [same] : named
  if (!found) return null
  if (others.length === 0) return right({ country: null, currency: found.code })
  return wrong(`“${text}” could be ${listed([found, ...others].map(codeAndName))}.`)
}

const codeAndName = ({ code, name }: Currency): string => `${code} (${name})`

const GUESSES_MAX = 4

function nothingFor(text: string): string {
  const names = guesses(text).map(({ name }) => name)
  if (names.length > 1) return `“${text}” could be ${listed(names)}.`
  return `“${text}” is no country or currency that we know. Choose one from the list.`
}

/** Words with commas, and `or` before the last; of many only the first few. */
function listed(words: readonly string[]): string {
  const shown = words.slice(0, GUESSES_MAX)
  if (words.length > GUESSES_MAX) return `${shown.join(', ')} or another`
  return `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}
