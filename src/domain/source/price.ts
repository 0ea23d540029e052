import { differenceText, plainDecimal, quotientText } from '~/domain/decimal.ts'
import { significantDigits } from '~/domain/observation.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { BankRate } from './day.ts'

/** Price of one unit of the foreign currency, from a bank's rate. */
export type SourcePrice = {
  /** Units of the bank's currency for one unit of the foreign one, as an exact decimal string. */
  readonly rate: string
  readonly evidence: Evidence
  /** Prices as the bank states them, both sides included. */
  readonly notes: string
}

const PRICE = /^\d{1,15}(\.\d{1,30})?$/
const PRICE_DIGITS_MAX = 18
const UNIT_MAX = 1_000_000
/** Distance of a side from the price in the middle, as a share of that, at most. */
const SIDE_MAX = 0.25

/**
 * The price in a bank's rate: the central one, or the mean of both sides, which is then derived.
 * Returns a sentence that follows the bank's name if the rate is impossible.
 *
 * Divided by the unit exactly, rounded once to 15 significant digits.
 */
export function priceOf(rate: BankRate, currency: string): SourcePrice | string {
  const { currency: foreign, unit, buying, central, selling } = rate
  const prices = [buying, central, selling].filter((price) => price !== null)
  if (!prices.every(isPrice)) return `gives a number for ${foreign} that is not a valid price`
  if (!Number.isSafeInteger(unit) || unit < 1 || unit > UNIT_MAX)
    return `gives ${foreign} for a number of units that cannot be`
  const total = central === null && buying !== null && selling !== null && sumOf(buying, selling)
  const text = central ?? total
  if (!text) return `gives neither a central rate nor both sides of ${foreign}`
  const perUnit = quotientText(text, String(central === null ? 2 * unit : unit))
  if (perUnit === null) return `gives a number for ${foreign} that is not a valid price`
  const middle = Number(perUnit) * unit
  if (!isOrdered([buying, middle, selling])) return `gives sides of ${foreign} that are apart`
  return {
    rate: plainDecimal(perUnit),
    evidence: central === null ? 'derived' : 'observed',
    notes: notesOf(rate, currency),
  }
}

const isPrice = (text: string): boolean =>
  PRICE.test(text) && Number(text) > 0 && significantDigits(text)! <= PRICE_DIGITS_MAX

const sumOf = (a: string, b: string): string | null => differenceText(a, `-${b}`)

/** Reports whether both sides are near the middle, and the bank sells no cheaper than it buys. */
function isOrdered([buying, middle, selling]: [string | null, number, string | null]): boolean {
  const sides = [buying, selling].filter((side) => side !== null).map(Number)
  const isNear = sides.every((side) => Math.abs(side - middle) <= middle * SIDE_MAX)
  return isNear && (buying === null || selling === null || Number(buying) <= Number(selling))
}

function notesOf(rate: BankRate, currency: string): string {
  const { currency: foreign, unit, buying, central, selling, stated } = rate
  const sides = [buying && `buying ${buying}`, selling && `selling ${selling}`].filter(Boolean)
  const parts =
    central === null ? [`mean of ${sides.join(' and ')}`] : [`central ${central}`, ...sides]
  const turned = stated ? `; stated as ${stated}` : ''
  return `${parts.join(', ')} ${currency} for ${unit} ${foreign}${turned}`
}
