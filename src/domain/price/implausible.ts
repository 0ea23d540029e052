import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'

/** Distance from its mid that a rate must reach once turned or shifted, as a factor. */
const NEAR = 1.25
/** The maximum number of places by which a decimal separator is moved either way. */
const PLACES_MAX = 6

/**
 * Returns a message if an executable rate is more than `times` times the mid of its day, or less
 * than that part of it, and suggests the reason. Null for a plausible rate, for another kind of
 * price, and if `times` is null, which turns the rule off.
 */
export function implausibleFault(
  { rate, rateType, from, to }: Pick<Quote, 'rate' | 'rateType' | 'from' | 'to'>,
  mid: number | null,
  times: number | null,
): string | null {
  if (mid === null || times === null || !isExecutable(rateType)) return null
  if (rate / mid <= times && mid / rate <= times) return null
  const reason = reasonOf(rate, mid)
  return (
    `rate ${rate} is ${shown(rate / mid, 3)} times the mid of its day, ${shown(mid, 6)} ${to} ` +
    `for one ${from}${reason ? `: ${reason}` : ''}; correct it, or set accept_implausible to ` +
    'true to record it as suspect'
  )
}

const shown = (value: number, digits: number): number => Number(value.toPrecision(digits))

function reasonOf(rate: number, mid: number): string | null {
  if (isNear(1 / rate, mid)) return 'are from and to swapped?'
  for (let places = 1; places <= PLACES_MAX; places++) {
    const shift = 10 ** places
    if (isNear(rate * shift, mid) || isNear(rate / shift, mid))
      return 'is the decimal separator different?'
  }
  return null
}

const isNear = (a: number, b: number): boolean => a / b <= NEAR && b / a <= NEAR
