import type { Currency } from '~/domain/currency.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Country } from '~/domain/offer/country.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Language } from './language.ts'

const MINUTE_MS = 60_000
const YEAR_MS = 365.25 * DAY_MS
const MONTH_MS = YEAR_MS / 12
const MINUS = '\u2212'
const NO_BREAK_SPACE = '\u00a0'

/** The locales of numbers and names: Western digits, and the Portuguese of Africa and Portugal. */
const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en',
  fr: 'fr',
  pt: 'pt-PT',
  ar: 'ar-u-nu-latn',
  sw: 'sw',
}

/** The locales of dates and lists if they differ: Portugal's has no short names of months. */
const DATE_LOCALES: Readonly<Partial<Record<Language, string>>> = { en: 'en-GB', pt: 'pt' }

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

const SIGNIFICANT_DIGITS = 5
const RATE_DECIMALS_MIN = 2
const RATE_DECIMALS_MAX = 10
const PERCENT_DECIMALS = 2
const BPS_PER_PERCENT = 100

type Sign = 'negative' | 'exceptZero'
type Money = { readonly code: string; readonly minorUnits: number | null }
type SpanUnit = 'year' | 'month' | 'day' | 'hour' | 'minute'

/** Units of time from which there are at least two; minutes are taken below all of them. */
const UNITS: readonly (readonly [SpanUnit, number])[] = [
  ['year', YEAR_MS],
  ['month', MONTH_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
]

const CODE_OF_THREE = /^[A-Z]{3}$/
const CURRENCY_SIGN = /\p{Sc}/u
const LIST_TYPES = ['conjunction', 'disjunction'] as const

/** The number of decimals that show the smallest of some rates well, one count to align all. */
export function rateDecimals(rates: readonly number[]): number {
  const smallest = Math.min(...rates.filter((rate) => rate > 0))
  if (!Number.isFinite(smallest)) return RATE_DECIMALS_MIN
  const decimals = SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(smallest))
  return Math.min(RATE_DECIMALS_MAX, Math.max(RATE_DECIMALS_MIN, decimals))
}

/** A number without grouping or an exponent, for addresses and the API. */
export const plainNumberText = (value: number): string =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })

/** A currency with as many decimals as ISO 4217 gives it; two if it does not know the code. */
export const moneyOf = (code: string): Money => ({
  code,
  minorUnits: CODE_OF_THREE.test(code)
    ? new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
        .maximumFractionDigits!
    : null,
})

/** Numbers, money, times and names as one language writes them. */
export class Format {
  readonly locale: string
  readonly dateLocale: string
  /** Number formats by their options, created when first requested. */
  readonly #numbers = new Map<string, Intl.NumberFormat>()
  readonly #signs = new Map<string, { text: string; isFirst: boolean } | null>()
  readonly #day: Intl.DateTimeFormat
  readonly #moment: Intl.DateTimeFormat
  readonly #clock: Intl.DateTimeFormat
  readonly #ago: Intl.RelativeTimeFormat
  readonly #regions: Intl.DisplayNames
  readonly #currencies: Intl.DisplayNames
  readonly #lists: Readonly<Record<(typeof LIST_TYPES)[number], Intl.ListFormat>>

  constructor(readonly language: Language) {
    this.locale = LOCALES[language]
    this.dateLocale = DATE_LOCALES[language] ?? this.locale
    const dates = (parts: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(this.dateLocale, { timeZone: 'UTC', ...parts })
    this.#day = dates(DAY)
    this.#moment = dates({ ...DAY, ...CLOCK })
    this.#clock = dates(CLOCK)
    this.#ago = new Intl.RelativeTimeFormat(this.locale)
    this.#regions = new Intl.DisplayNames(this.locale, { type: 'region' })
    this.#currencies = new Intl.DisplayNames(this.locale, { type: 'currency' })
    const [and, or] = LIST_TYPES.map((type) => new Intl.ListFormat(this.dateLocale, { type }))
    this.#lists = { conjunction: and!, disjunction: or! }
  }

  readonly rateText = (rate: number, decimals = rateDecimals([rate])): string =>
    this.#decimalText(rate, decimals)

  /** An amount without the currency's code. */
  readonly amountText = (amount: number, minorUnits: number | null): string =>
    this.#decimalText(amount, minorUnits ?? 2)

  /** An amount with no more decimals than it was given with. */
  readonly plainAmountText = (amount: number): string => this.#atLeast(0).format(amount)

  /** An amount as money of its currency, with all its decimals: `£1,250.50`, `1,250.50 KES`. */
  readonly priceText = (amount: number, { code, minorUnits }: Money): string =>
    this.#withCurrency(this.amountText(amount, minorUnits), code)

  /** An amount that a person entered, with all its digits: `£1,250`, `£1,250.50`, `£0.0025`. */
  readonly askedText = (amount: number, { code, minorUnits }: Money): string => {
    const decimals = Number.isInteger(amount) ? 0 : (minorUnits ?? 2)
    return this.#withCurrency(this.#atLeast(decimals).format(amount), code)
  }

  /** A percentage; `+` above zero when `isSigned`. */
  readonly percentText = (percent: number, isSigned = false): string =>
    this.#decimalText(percent, PERCENT_DECIMALS, { isSigned, isPercent: true })

  readonly bpsText = (bps: number, isSigned = false): string =>
    this.percentText(bps / BPS_PER_PERCENT, isSigned)

  /** A percentage with no more decimals than it was given with: `3%`. */
  readonly plainPercentText = (percent: number): string => this.#plainPercent.format(percent)

  /** The UTC day of a time: `21 Nov 2026`. */
  readonly dayText = (ms: number): string => this.#day.format(ms)

  readonly momentText = (ms: number): string => `${this.#moment.format(ms)} UTC`

  readonly clockText = (ms: number): string => `${this.#clock.format(ms)} UTC`

  /** A length of time in the largest unit of which there are at least two: `16 days`. */
  readonly spanText = (ms: number): string => {
    const { count, unit } = spanOf(ms)
    return this.#number(`unit ${unit}`, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  }

  /** The age of something: `16 days ago`. */
  readonly agoText = (ms: number): string => {
    const { count, unit } = spanOf(ms)
    return this.#ago.format(-count, unit)
  }

  /** Words in a row: `a, b and c`, or with `or` before the last. */
  readonly listText = (
    words: readonly string[],
    type: (typeof LIST_TYPES)[number] = 'conjunction',
  ): string => this.#lists[type].format(words)

  readonly countryName = ({ code, name }: Country): string =>
    this.language === 'en' ? name : this.#regions.of(code)!

  /** A country within a sentence: `the United Kingdom`. */
  readonly inSentence = (country: Country): string => {
    const name = this.countryName(country)
    return this.language === 'en' && TAKES_THE.test(name) ? `the ${name}` : name
  }

  /** The name of a currency; the catalogue's own in English, and if CLDR does not know it. */
  readonly currencyName = ({ code, name }: Pick<Currency, 'code' | 'name'>): string => {
    const known = this.language === 'en' || !CODE_OF_THREE.test(code) ? code : this.#currency(code)
    return known === code ? name : known
  }

  readonly #currency = (code: string): string => this.#currencies.of(code) ?? code

  get #plainPercent(): Intl.NumberFormat {
    const digits = { maximumFractionDigits: 10 }
    return this.#number('plain percent', { style: 'unit', unit: 'percent', ...digits })
  }

  #decimalText(value: number, decimals: number, { isSigned = false, isPercent = false } = {}) {
    const signDisplay: Sign = isSigned ? 'exceptZero' : 'negative'
    const format = this.#number(`${decimals} ${signDisplay} ${isPercent}`, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      signDisplay,
      ...(isPercent && { style: 'unit', unit: 'percent' }),
    })
    return format.format(roundAmount(value)).replace('-', MINUS)
  }

  #atLeast(minimumFractionDigits: number): Intl.NumberFormat {
    const digits = { minimumFractionDigits, maximumFractionDigits: 10 }
    return this.#number(`at least ${minimumFractionDigits}`, digits)
  }

  #number(name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
    const made = () => new Intl.NumberFormat(this.locale, options)
    return this.#numbers.getOrInsertComputed(name, made)
  }

  #withCurrency(text: string, code: string): string {
    const sign = this.#signOf(code)
    const space = this.language === 'en' ? ' ' : NO_BREAK_SPACE
    if (sign === null) return `${text}${space}${code}`
    if (!sign.isFirst) return `${text}${space}${sign.text}`
    const gap = this.language === 'en' ? '' : space
    const isNegative = text.startsWith(MINUS)
    const number = isNegative ? text.slice(MINUS.length) : text
    return `${isNegative ? MINUS : ''}${sign.text}${gap}${number}`
  }

  /** The sign of a currency, and whether it precedes the amount; null if it has none. */
  #signOf(code: string) {
    const known = this.#signs.get(code)
    if (known !== undefined || !CODE_OF_THREE.test(code)) return known ?? null
    const parts = new Intl.NumberFormat(this.locale, {
      style: 'currency',
      currency: code,
    }).formatToParts(0)
    const at = parts.findIndex(({ type }) => type === 'currency')
    const text = parts[at]!.value
    const isFirst = at < parts.findIndex(({ type }) => type === 'integer')
    const sign = CURRENCY_SIGN.test(text) ? { text, isFirst } : null
    this.#signs.set(code, sign)
    return sign
  }
}

function spanOf(ms: number): { count: number; unit: SpanUnit } {
  for (const [unit, unitMs] of UNITS)
    if (ms >= 2 * unitMs) return { count: Math.floor(ms / unitMs), unit }
  return { count: Math.max(0, Math.floor(ms / MINUTE_MS)), unit: 'minute' }
}

const TAKES_THE = new RegExp(
  '^(United|Democratic|Republic|Central African|Dominican R|Isle of|Bahamas|British|Comoros|' +
    'French S|Gambia|Maldives|Netherlands|Philippines|U\\.S\\.)|Islands?$',
)
