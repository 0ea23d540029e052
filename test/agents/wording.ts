import type { Random } from '../fuzz/random.ts'

const LANGUAGES = ['fr', 'pt', 'sw'] as const

const namesIn = (language: string, type: 'currency' | 'region') => {
  const names = new Intl.DisplayNames(language, { type })
  return (code: string): string => names.of(code) ?? code
}

const CURRENCIES = new Map(['en', ...LANGUAGES].map((one) => [one, namesIn(one, 'currency')]))
const COUNTRIES = new Map(['en', ...LANGUAGES].map((one) => [one, namesIn(one, 'region')]))

/** Currency signs that are unambiguous for senders of money to Africa. */
const SIGNS: Readonly<Record<string, string>> = {
  EUR: '€',
  GBP: '£',
  GHS: 'GH₵',
  KES: 'KSh',
  NGN: '₦',
  TZS: 'TSh',
  UGX: 'USh',
  USD: 'US$',
  ZAR: 'R',
}

const CITIES: Readonly<Record<string, string>> = {
  FR: 'Paris',
  GB: 'London',
  GH: 'Accra',
  KE: 'Nairobi',
  NG: 'Lagos',
  RW: 'Kigali',
  SN: 'Dakar',
  TZ: 'Dar es Salaam',
  UG: 'Kampala',
  ZA: 'Johannesburg',
  ZM: 'Lusaka',
}

/** The shares of wordings; the rest are codes and English names, half each. */
const FOREIGN_SHARE = 0.3
const SIGN_SHARE = 0.1
const CITY_SHARE = 0.05
const TYPO_SHARE = 0.05
const TYPO_LENGTH_MIN = 6

/** A name of a country as people write it. */
export function countryWord(code: string, random: Random): string {
  const city = CITIES[code]
  if (city !== undefined && random.chance(CITY_SHARE)) return city
  return wordOf(code, COUNTRIES, random)
}

/** A name of a currency as people write it. */
export function currencyWord(code: string, random: Random): string {
  const sign = SIGNS[code]
  if (sign !== undefined && random.chance(SIGN_SHARE)) return sign
  return wordOf(code, CURRENCIES, random)
}

function wordOf(
  code: string,
  names: ReadonlyMap<string, (code: string) => string>,
  random: Random,
): string {
  if (random.chance(FOREIGN_SHARE)) return names.get(random.pick(LANGUAGES))!(code)
  const english = names.get('en')!(code)
  if (english.length >= TYPO_LENGTH_MIN && random.chance(TYPO_SHARE)) return typo(english, random)
  return random.chance(0.5) ? code : english
}

/** A name with two letters swapped, or one missing, after the first. */
function typo(name: string, random: Random): string {
  const at = 1 + random.below(name.length - 2)
  const [before, a, b, after] = [name.slice(0, at), name[at]!, name[at + 1]!, name.slice(at + 2)]
  return random.chance(0.5) ? `${before}${b}${a}${after}` : `${before}${b}${after}`
}
