import type { Currency } from '~/domain/currency.ts'
import { COUNTRIES, homeOf } from '~/domain/offer/country.ts'
import { countryNames, namesOf, UNDERSTOOD } from './countries.ts'
import { type Meaning, Names, NOTHING } from './names.ts'

/** Common names of currencies besides their own. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  CNY: ['renminbi', 'RMB'],
  DZD: ['DA'],
  ETB: ['Br'],
  GBP: ['sterling', 'pound sterling', 'quid'],
  KES: ['KSh', 'KShs'],
  MAD: ['DH', 'Dhs'],
  MWK: ['MK'],
  RWF: ['FRw'],
  TND: ['DT'],
  TZS: ['TSh'],
  UGX: ['USh'],
  USD: ['American dollar'],
  XAF: ['FCFA', 'F CFA', 'CFA', 'CFA franc BEAC'],
  XOF: ['FCFA', 'F CFA', 'CFA', 'CFA franc BCEAO'],
  ZAR: ['R'],
  ZMW: ['ZK'],
  ZWG: ['ZiG'],
}

/** Signs, with the letters written next to them; names are compared without signs. */
const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  us$: 'USD',
  '£': 'GBP',
  '€': 'EUR',
  '₦': 'NGN',
  '₵': 'GHS',
  'gh₵': 'GHS',
  'gh¢': 'GHS',
  n$: 'NAD',
  'e£': 'EGP',
  '£e': 'EGP',
  '₹': 'INR',
}

/** Usual meaning first, for a name of several currencies such as pound. */
const MEANT_MOST = ['USD', 'GBP', 'XAF', 'XOF', 'CHF', 'INR']

const placeOf = (code: string): number => {
  const place = MEANT_MOST.indexOf(code)
  return place < 0 ? MEANT_MOST.length : place
}

const languages = ['en', ...UNDERSTOOD].map(
  (language) => new Intl.DisplayNames(language, { type: 'currency' }),
)

/** Names of a currency, whatever a catalogue calls it; its code if unknown. */
const commonNames = (code: string): string[] =>
  code.length === 3 ? languages.map((names) => names.of(code)!) : [code]

/**
 * Finds currencies by code, by sign, by name ("naira", "Ghana cedi", "livre sterling"), or by a
 * country that uses them.
 */
export class CurrencyNames {
  readonly #names: Names
  readonly #codes: ReadonlySet<string>

  constructor(currencies: readonly Pick<Currency, 'code' | 'name'>[]) {
    this.#codes = new Set(currencies.map(({ code }) => code))
    this.#names = new Names(
      currencies
        .toSorted((a, b) => placeOf(a.code) - placeOf(b.code))
        .map(({ code, name }) => {
          const home = homeOf(code)
          const names = [name, ...commonNames(code), ...(ALSO[code] ?? [])]
          return { id: code, names, words: home ? namesOf(home.code) : [] }
        }),
    )
  }

  /** Meaning of a string; a country means its currency, and several countries all of theirs. */
  meaning(text: string): Meaning {
    const signed = this.signed(text)
    if (signed !== null) return { kind: 'one', id: signed }
    const said = this.#names.exact(text)
    if (said.kind !== 'none') return said
    const country = countryNames.exact(text)
    if (country.kind === 'none') return this.#called(text)
    const codes = this.#moneyOf(country.kind === 'one' ? [country.id] : country.ids)
    if (codes.length === 0) return NOTHING
    return codes.length === 1 ? { kind: 'one', id: codes[0]! } : { kind: 'several', ids: codes }
  }

  /** The currency of a sign such as ₦ or GH₵; null for another string. */
  signed(text: string): string | null {
    const code = SIGNS[text.replace(/\s/g, '').toLowerCase()]
    return code !== undefined && this.#codes.has(code) ? code : null
  }

  /**
   * Meaning of a string that names no country. If it is at least as near to the names of countries
   * as to those of currencies, it misspells a country. If one of these has no currency here,
   * nothing is suggested, since another country's currency may be of another continent.
   */
  #called(text: string): Meaning {
    const called = this.#names.meaning(text)
    const country = countryNames.meaning(text)
    if (called.kind !== 'none' || country.kind !== 'none' || country.near.length === 0)
      return called
    if (called.wrong < country.wrong) return called
    const isMoneyKnown = country.near.every((code) => this.#moneyIn(code).length > 0)
    return isMoneyKnown ? { ...country, near: this.#moneyOf(country.near) } : NOTHING
  }

  #moneyOf(countries: readonly string[]): readonly string[] {
    return [...new Set(countries.flatMap((code) => this.#moneyIn(code)))]
  }

  /** A country's own currency if prices there are in it, else all that it uses. */
  #moneyIn(country: string): readonly string[] {
    const used = COUNTRIES.get(country)!.currencies.filter((code) => this.#codes.has(code))
    const [first] = used
    return first !== undefined && homeOf(first)?.code === country ? [first] : used
  }
}

const known = new WeakMap<object, CurrencyNames>()

/** The names of these currencies, put in order once for each list. */
export const currencyNamesOf = (currencies: readonly Pick<Currency, 'code' | 'name'>[]) =>
  known.getOrInsertComputed(currencies, () => new CurrencyNames(currencies))
