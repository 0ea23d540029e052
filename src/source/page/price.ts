import { plainDecimal, quotientText } from '~/domain/decimal.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { BankRate } from '~/domain/source/day.ts'

/** Notations of numbers at banks; a comma for a decimal point, or the reverse, fits none. */
const NOTATIONS = {
  /** `2602.0545`, or `2,602.0545` with its thousands grouped. */
  english: /^(?:\d{1,9}(?:\.\d{1,15})?|\d{1,3}(?:,\d{3})+\.\d{1,15})$/,
  /** `1.953,0200`. */
  french: /^\d{1,3}(?:\.\d{3})*,\d{1,15}$/,
} as const

/**
 * A price in plain notation; null if the bank leaves it empty or writes 0, which both mean that it
 * states none. Throws a FeedError for any other string.
 */
export function priceOf(text: string, notation: keyof typeof NOTATIONS = 'english') {
  const written = text.trim()
  if (written === '') return null
  if (!NOTATIONS[notation].test(written))
    throw new FeedError(
      'malformed',
      `gives a price that is not written as ${notation === 'english' ? '2,602.05' : '2.602,05'}`,
    )
  const plain = plainDecimal(
    notation === 'english'
      ? written.replaceAll(',', '')
      : written.replaceAll('.', '').replace(',', '.'),
  )
  return Number(plain) === 0 ? null : plain
}

/** For how many units banks state their prices. */
const UNITS: readonly number[] = [1, 10, 100, 1000]

/** What a table of a bank's own names has for one; a name of every object is not in it. */
export const namedIn = <T>(
  table: Readonly<Record<string, T>>,
  name: string | number,
): T | undefined => (Object.hasOwn(table, name) ? table[name] : undefined)

type Prices = Partial<Pick<BankRate, 'buying' | 'central' | 'selling' | 'unit'>>

/**
 * A rate with the prices that a bank states; null if it states neither a central price nor both
 * sides.
 *
 * Throws a FeedError if the buying price is above the selling price, or the central one lies
 * outside of them, as happens when columns have moved.
 */
export function rateOf(currency: string, prices: Prices): BankRate | null {
  const { unit = 1, buying = null, central = null, selling = null } = prices
  if (central === null && (buying === null || selling === null)) return null
  if (!UNITS.includes(unit))
    throw new FeedError(
      'malformed',
      `gives a price for a number of units that is not a power of ten`,
    )
  const order = [buying, central, selling].flatMap((price) => price ?? [])
  if (order.some((price, index) => index > 0 && Number(price) < Number(order[index - 1])))
    throw new FeedError(
      'malformed',
      'gives prices that do not rise from buying over central to selling',
    )
  return { currency, unit, buying, central, selling }
}

/** The rate of a currency that a bank states the other way round: so much for one of its own. */
export function turnedOver(currency: string, price: string | null, own: string): BankRate | null {
  const central = price === null ? null : quotientText('1', price)
  if (central === null) return null
  const stated = `${price} ${currency} for 1 ${own}`
  return { currency, unit: 1, buying: null, central, selling: null, stated }
}
