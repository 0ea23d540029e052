import type { TSchema } from '@sinclair/typebox'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { countryNames } from '~/domain/naming/countries.ts'
import { currencyNamesOf } from '~/domain/naming/currencies.ts'
import type { Meaning, Names } from '~/domain/naming/names.ts'
import { providerNames } from '~/domain/naming/providers.ts'
import { countryOfCity, isGroup } from '~/domain/naming/regions.ts'
import { COUNTRIES, continentOf, homeOf } from '~/domain/offer/country.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { neededCountry } from '~/wire/offer/selection.ts'

/** Reads one item of an argument; returns the string that REST takes instead. */
export type Reading = (text: string, asked: Asked) => string

type Asked = {
  readonly name: string
  readonly catalogue: CatalogueIndex
  readonly nowMs: number
  /** Says whether the argument is a list, in which a group of countries is all of them. */
  readonly isList: boolean
  /** Collects notes for the caller on how a string was read. */
  readonly said: string[]
}

/** The key of a schema's reading; documents leave it out, as JSON has no symbols. */
export const READING = Symbol('reading')

export const readBy = <T extends TSchema>(reading: Reading, schema: T): T => ({
  ...schema,
  [READING]: reading,
})

const known = new WeakMap<CatalogueIndex, Names>()

/** The names of the providers of a catalogue, put in order once. */
const providersOf = (catalogue: CatalogueIndex): Names =>
  known.getOrInsertComputed(catalogue, ({ providers }) => providerNames(providers))

/** The code of a currency by its code, its name, or a country of its own. */
export const currencyText: Reading = (given, asked) => {
  const { name, catalogue } = asked
  if (catalogue.currency(given)) return given
  const text = withoutCity(given, asked)
  const nameOf = (code: string) => catalogue.currency(code)!.name
  const meaning = currencyNamesOf(catalogue.currencies).meaning(text)
  if (meaning.kind === 'none' && meaning.near.length === 0) return text
  if (meaning.kind === 'none')
    throw new ServiceError(
      'unsupported_currency',
      `${name}: ${quoted(text)} is not a supported currency; ${suggested(meaning.near, nameOf)}`,
      { parameter: name, supported_currencies: catalogue.supportedCodes },
    )
  if (meaning.kind === 'several' && asked.isList && isGroup(text))
    return groupOf(meaning, text, asked.said)
  return onlyOne(meaning, { text, name, nameOf })
}

/** All that a group has, as an item of a list, which is reported to the caller. */
function groupOf({ ids }: { readonly ids: readonly string[] }, text: string, said: string[]) {
  said.push(`${quoted(text)} was read as ${ids.join(', ')}`)
  return ids.join(',')
}

/** The country of a city by name, which is reported to the caller; other strings unchanged. */
function withoutCity(text: string, { said }: Asked): string {
  const code = countryOfCity(text)
  if (code === null) return text
  const { name } = COUNTRIES.get(code)!
  said.push(`${quoted(text)} was read as ${name}: prices are for countries, not for cities`)
  return name
}

/** The code of a country by its code or its name. */
export const countryText: Reading = (given, asked) => {
  const { name, isList, said } = asked
  const text = withoutCity(given, asked)
  const nameOf = (code: string) => COUNTRIES.get(code)!.name
  const meaning = countryNames.meaning(text)
  if (meaning.kind === 'several' && isList && isGroup(text)) return groupOf(meaning, text, said)
  if (meaning.kind !== 'none') return onlyOne(meaning, { text, name, nameOf })
  if (meaning.near.length === 0) return neededCountry(name, text)
  throw invalidParameter({
    name,
    fault: `${quoted(text)} is not a country; ${suggested(meaning.near, nameOf)}`,
  })
}

export const providerText: Reading = (text, { name, catalogue }) => {
  const id = text.trim()
  if (catalogue.anyProvider(id)) return id
  const nameOf = (one: string) => quoted(catalogue.provider(one)!.name)
  const meaning = providersOf(catalogue).meaning(text)
  if (meaning.kind !== 'none') return onlyOne(meaning, { text, name, nameOf })
  const advice =
    meaning.near.length === 0 ? 'list_providers finds them' : didYouMean(meaning.near, nameOf)
  throw invalidParameter({ name, fault: `no provider is called ${quoted(text)}; ${advice}` })
}

type Said = { readonly text: string; readonly name: string; nameOf(id: string): string }

/** The maximum number of meanings of a string that are listed. */
const MEANINGS_MAX = 6

function onlyOne(meaning: Exclude<Meaning, { kind: 'none' }>, { text, name, nameOf }: Said) {
  if (meaning.kind === 'one') return meaning.id
  const fault = `${quoted(text)} may be ${oneOf(meaning.ids, nameOf)}; say which`
  throw invalidParameter({ name, fault })
}

/** The things with these ids, of which one is meant. */
function oneOf(ids: readonly string[], nameOf: Said['nameOf']): string {
  const shown = ids.slice(0, MEANINGS_MAX).map((id) => `${id} (${nameOf(id)})`)
  const rest = ids.length - shown.length
  const all = rest > 0 ? [...shown, `${rest} more`] : shown
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

const didYouMean = (ids: readonly string[], nameOf: Said['nameOf']): string =>
  `did you mean ${oneOf(ids, nameOf)}?`

const suggested = (ids: readonly string[], nameOf: Said['nameOf']): string =>
  didYouMean(ids, placed(ids, nameOf))

/** Names with their continents if the countries or currencies lie on several. */
function placed(ids: readonly string[], nameOf: Said['nameOf']): Said['nameOf'] {
  const continentIn = (id: string) => {
    const code = COUNTRIES.has(id) ? id : homeOf(id)?.code
    return code === undefined ? null : continentOf(code)
  }
  if (new Set(ids.map(continentIn)).size === 1) return nameOf
  return (id) => [nameOf(id), continentIn(id) ?? 'several countries'].join(', ')
}

const ECHO_LENGTH_MAX = 40

const quoted = (text: string): string => JSON.stringify(text.slice(0, ECHO_LENGTH_MAX))
