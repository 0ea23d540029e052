import { currencyCode } from '~/domain/currency.ts'
import { currencyNamesOf } from '~/domain/naming/currencies.ts'
import { countryOfCity } from '~/domain/naming/regions.ts'
import { COUNTRIES, type Country, countriesUsing, homeOf } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import type { Words } from '~/portal/words/words.ts'
import {
  countriesBeginning,
  countriesNamed,
  countriesNear,
  countryNamed,
  plainName,
} from './names.ts'

/** Source or destination of money. */
export type Place = {
  /** Null if only a currency was named. */
  readonly country: Country | null
  readonly currency: string
}

/** The place in a string that a person wrote, or its error. */
type WrittenPlace =
  | { readonly place: Place; readonly fault: null }
  | { readonly place: null; readonly fault: string }

type Currencies = Pick<View['catalogue'], 'currency' | 'currencies'>

/**
 * The place that a string means: a country by its name, code or flag, a currency by its code, sign
 * or name, or both as `placeText` writes them. Names are understood as the tools for agents do.
 *
 * A country without a stated currency has the first of its own that is known here.
 */
export function writtenPlace(words: Words, text: string, known: Currencies): WrittenPlace {
  if (text.trim() === '') return wrong(words.say('place.choose'))
  const code = codeIn(text, known) ?? currencyNamesOf(known.currencies).signed(text)
  if (code) return right({ country: null, currency: code })
  const [country, ...others] = text.includes(BETWEEN) ? [] : countriesMeant(text)
  if (others.length > 0)
    return wrong(couldBe(words, text, [country!, ...others].map(words.countryName)))
  if (country) return placeIn(words, country, known)
  const asked = { words, text, known }
  return bothIn(text, known) ?? byCurrencyName(asked) ?? wrong(nothingFor(asked))
}

type WrittenEnds = Readonly<Record<'from' | 'to', Pick<WrittenPlace, 'place' | 'fault'>>>

/** The errors of two ends, which must have different currencies. */
export function placeFaults(
  { say }: Words,
  { from, to }: WrittenEnds,
): { from?: string; to?: string } {
  const isSame = from.place !== null && from.place.currency === to.place?.currency
  return {
    ...(from.fault !== null && { from: from.fault }),
    ...(to.fault !== null ? { to: to.fault } : isSame && { to: say('place.same') }),
  }
}

const BETWEEN = ' · '

/** A place as its field shows it, which `writtenPlace` reads again. */
export function placeText(words: Words, place: Place, known: Currencies): string {
  const { country, currency } = place
  if (country) return words.countryName(country) + BETWEEN + currency
  const own = known.currency(currency)
  return own ? currency + BETWEEN + words.currencyName(own) : currency
}

export const homePlace = (currency: string): Place => ({ country: homeOf(currency), currency })

/** The places to choose from: countries by name, and currencies that are no one country's own. */
export function placesFor(words: Words, codes: readonly string[], known: Currencies): Place[] {
  const byItsName = new Intl.Collator(words.locale).compare
  const currencies = codes.filter((code) => known.currency(code))
  const countries = currencies
    .flatMap((currency) => countriesUsing(currency).map((country) => ({ country, currency })))
    .sort(
      (a, b) =>
        byItsName(words.countryName(a.country), words.countryName(b.country)) ||
        rankIn(a) - rankIn(b),
    )
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

function placeIn(words: Words, country: Country, known: Currencies): WrittenPlace {
  const currency = country.currencies.find((code) => known.currency(code))
  if (currency) return right({ country, currency })
  return wrong(words.say('place.no-money', { country: words.inSentence(country) }))
}

const LETTERS_MIN = 3

/** The countries that a string names or has a city of, or else the one whose name begins so. */
function countriesMeant(text: string): Country[] {
  const city = countryOfCity(text)
  const named = city === null ? countriesNamed(text) : [COUNTRIES.get(city)!]
  if (named.length > 0) return named
  const begun = guesses(text)
  return begun.length === 1 ? begun : []
}

const guesses = (text: string): Country[] =>
  plainName(text).length < LETTERS_MIN ? [] : countriesBeginning(text)

function bothIn(text: string, known: Currencies): WrittenPlace | null {
  const [first = '', second = ''] = text.split(BETWEEN.trim())
  const currency = codeIn(second, known)
  const country = currency && countryNamed(first)
  if (country) return right({ country, currency })
  const code = codeIn(first, known)
  return code === null ? null : right({ country: null, currency: code })
}

/** The currency of a sign or a name, or with that word in its name: `naira`. */
function byCurrencyName({ words, text, known }: Written): WrittenPlace | null {
  const meaning = currencyNamesOf(known.currencies).meaning(text)
  if (meaning.kind === 'none') return null
  if (meaning.kind === 'one') return right({ country: null, currency: meaning.id })
  return wrong(couldBe(words, text, codesAndNames(words, meaning.ids, known)))
}

type Written = { readonly words: Words; readonly text: string; readonly known: Currencies }

const codesAndNames = (words: Words, codes: readonly string[], known: Currencies): string[] =>
  codes.map((code) => `${code} (${words.currencyName(known.currency(code)!)})`)

const GUESSES_MAX = 4

function nothingFor(asked: Written): string {
  const { words, text } = asked
  const names = guesses(text).map(words.countryName)
  if (names.length > 1) return couldBe(words, text, names)
  const near = nearTo(asked)
  if (near.length === 0) return words.say('place.unknown', { text })
  return words.say('place.near', { text, near: listed(words, near) })
}

/** Names that a string probably misspells: countries, or else currencies. */
function nearTo({ words, text, known }: Written): string[] {
  const countries = countriesNear(text)
  if (countries.length > 0) return countries.map(words.countryName)
  const meaning = currencyNamesOf(known.currencies).meaning(text)
  return meaning.kind === 'none' ? codesAndNames(words, meaning.near, known) : []
}

const couldBe = (words: Words, text: string, names: readonly string[]): string =>
  words.say('place.could-be', { text, names: listed(words, names) })

/** Words with commas, and `or` before the last; of many only the first few. */
function listed({ say, listText }: Words, names: readonly string[]): string {
  const shown = names.slice(0, GUESSES_MAX)
  if (names.length <= GUESSES_MAX) return listText(shown, 'disjunction')
  return say('place.or-another', { names: shown.join(say('list.comma')) })
}
