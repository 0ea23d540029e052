import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { roundAmount } from '~/domain/round.ts'

const MINUTE_MS = 60_000
const MINUS = '\u2212'

type Sign = 'negative' | 'exceptZero'

/** Number formats by their count of decimals, made when first asked for. */
const formats = new Map<string, Intl.NumberFormat>()

function decimalText(value: number, decimals: number, signDisplay: Sign = 'negative'): string {
  const name = `${decimals} ${signDisplay}`
  let format = formats.get(name)
  if (!format) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    format = new Intl.NumberFormat('en', { ...digits, signDisplay })
    formats.set(name, format)
  }
  return format.format(roundAmount(value)).replace('-', MINUS)
}

const SIGNIFICANT_DIGITS = 5
const RATE_DECIMALS_MIN = 2
const RATE_DECIMALS_MAX = 10

/**
 * How many decimals show the smallest of some rates well; one count for all, so that they align.
 */
export function rateDecimals(rates: readonly number[]): number {
  const smallest = Math.min(...rates.filter((rate) => rate > 0))
  if (!Number.isFinite(smallest)) return RATE_DECIMALS_MIN
  const decimals = SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(smallest))
  return Math.min(RATE_DECIMALS_MAX, Math.max(RATE_DECIMALS_MIN, decimals))
}

export const rateText = (rate: number, decimals = rateDecimals([rate])): string =>
  decimalText(rate, decimals)

/** An amount without the currency's code. */
export const amountText = (amount: number, minorUnits: number | null): string =>
  decimalText(amount, minorUnits ?? 2)

/** A number without grouping or an exponent, for addresses and the API. */
export const plainNumberText = (value: number): string =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })

/** An amount with no more decimals than it was given with. */
export const plainAmountText = (amount: number): string => atLeast(0).format(amount)

/** An amount as money of its currency, with all its decimals: `£1,250.50`, `1,250.50 KES`. */
export const priceText = (amount: number, { code, minorUnits }: Money): string =>
  withCurrency(amountText(amount, minorUnits), code)

/** An amount that somebody asked for, with no digit less: `£1,250`, `£1,250.50`, `£0.0025`. */
export function askedText(amount: number, { code, minorUnits }: Money): string {
  const decimals = Number.isInteger(amount) ? 0 : (minorUnits ?? 2)
  return withCurrency(atLeast(decimals).format(amount), code)
}

const atLeast = (minimumFractionDigits: number) =>
  new Intl.NumberFormat('en', { minimumFractionDigits, maximumFractionDigits: 10 })

/** A currency with as many decimals as ISO 4217 gives it; two where it does not know the code. */
export const moneyOf = (code: string): Money => ({
  code,
  minorUnits: CODE_OF_THREE.test(code)
    ? currencyFormat(code).resolvedOptions().maximumFractionDigits!
    : null,
})

type Money = { readonly code: string; readonly minorUnits: number | null }

function withCurrency(text: string, code: string): string {
  const sign = signOf(code)
  if (sign === null) return `${text} ${code}`
  return text.startsWith(MINUS) ? `${MINUS}${sign}${text.slice(MINUS.length)}` : `${sign}${text}`
}

function signOf(code: string): string | null {
  if (!CODE_OF_THREE.test(code)) return null
  const sign = currencyFormat(code)
    .formatToParts(0)
    .find(({ type }) => type === 'currency')!.value
  return CURRENCY_SIGN.test(sign) ? sign : null
}

const currencyFormat = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency })

const CODE_OF_THREE = /^[A-Z]{3}$/
const CURRENCY_SIGN = /\p{Sc}/u

const PERCENT_DECIMALS = 2

/** Basis points as a percentage; `+` above zero when `isSigned`. */
export const percentText = (bps: number, isSigned = false): string =>
  `${decimalText(bps / 100, PERCENT_DECIMALS, isSigned ? 'exceptZero' : 'negative')}%`

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

export const momentText = (ms: number): string => `${MOMENT.format(ms)} UTC`

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  hour: '2-digit',
  minute: '2-digit',
})

export const clockText = (ms: number): string => `${CLOCK.format(ms)} UTC`

const YEAR_MS = 365.25 * DAY_MS
const MONTH_MS = YEAR_MS / 12

/** A length of time in the largest unit of which there are at least two: `16 days`. */
export function spanText(ms: number): string {
  if (ms >= 2 * YEAR_MS) return `${Math.floor(ms / YEAR_MS)} years`
  if (ms >= 2 * MONTH_MS) return `${Math.floor(ms / MONTH_MS)} months`
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** Two lengths of time in words, their unit once where they share it: `3 to 40 days`. */
export function spansText(leastMs: number, mostMs: number): string {
  const [least, most] = [spanText(leastMs), spanText(mostMs)]
  if (least === most) return least
  const [count, unit] = least.split(' ')
  return most.endsWith(` ${unit}`) ? `${count} to ${most}` : `${least} to ${most}`
}
