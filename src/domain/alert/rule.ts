import { DAY_MS } from '~/domain/duration.ts'
import type { Period } from '~/domain/period.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import { type AlertOp, type Condition, holdsBase, type Standing, type Watched } from './alert.ts'
import { type AlertUnit, fieldOf, fieldsThat } from './field.ts'

/** Value of a field: a number, whether prices are stale, or null if unknown. */
export type Value = number | boolean | null

/** Result of evaluating a value. */
type Evaluation = { readonly standing: Standing; readonly fires: boolean }

/** Share of a threshold, on its other side, from which the condition counts as false again. */
export const MARGIN = 0.001
/** The part of a move below which a move that was large enough counts as over. */
export const MOVE_MARGIN = 0.9

/** The periods over which a move is measured, by their lengths. */
export const MOVE_PERIODS: ReadonlyMap<number | null, Period> = new Map(
  ([1, 7, 30, 90] as const).map((days) => [days * DAY_MS, `${days}d`]),
)

const PERCENT = 100
const VALUE_MAX = 1e15
const MOVE_PCT_MAX = 1000

/**
 * Evaluates a new value of a condition, given its state before.
 *
 * It fires when the condition becomes true, and again only after it was false; to be false again
 * the value has to pass the threshold by a margin. A move that is measured from the last firing
 * starts again there instead. An unknown value changes nothing.
 */
export function evaluated(when: Condition, before: Standing, value: Value): Evaluation {
  if (value === null) return { standing: before, fires: false }
  if (typeof value === 'boolean') return turned(before, value)
  if (holdsBase(when)) return measured(when.value!, before, value)
  return turned(before, isTrueAt(when, before, value))
}

/** State of a condition when it is first evaluated: one that is already true does not fire. */
export const standingAt = (when: Condition, base: number | null, value: Value): Standing =>
  evaluated(when, { isTrue: false, base }, value).standing

const turned = (before: Standing, isTrue: boolean): Evaluation =>
  isTrue === before.isTrue
    ? { standing: before, fires: false }
    : { standing: { ...before, isTrue }, fires: isTrue }

/** A move from where it last fired, which is where the next one starts. */
function measured(atLeast: number, before: Standing, value: number): Evaluation {
  if (before.base === null) return { standing: { isTrue: false, base: value }, fires: false }
  if ((movePct(before.base, value) ?? 0) < atLeast) return { standing: before, fires: false }
  return { standing: { isTrue: false, base: value }, fires: true }
}

function isTrueAt({ op, value }: Condition, { isTrue, base }: Standing, now: number): boolean {
  const threshold = value!
  const margin = isTrue ? Math.abs(threshold) * MARGIN : 0
  if (op === 'above') return now > roundAmount(threshold - margin)
  if (op === 'below') return now < roundAmount(threshold + margin)
  const move = movePct(base, now)
  if (move === null) return isTrue
  return move >= threshold * (isTrue ? MOVE_MARGIN : 1)
}

/** Distance of a value from its base either way, in percent of it; null if that is undefined. */
function movePct(base: number | null, value: number): number | null {
  if (base === null || base === 0) return null
  return roundPercent((Math.abs(value - base) / Math.abs(base)) * PERCENT)
}

type Fault = { readonly name: string; readonly fault: string }

/** Returns the error of a condition, by the name of the field; null if it is valid. */
export function faultOf(watched: Watched): Fault | null {
  const { field, op, value, periodMs } = watched.when
  const { unit, isForAmount, isOfAge } = fieldOf(field)
  if (isForAmount !== (watched.amount !== null))
    return isForAmount
      ? {
          name: 'amount',
          fault: `${field} is evaluated for an amount of the source currency; send it`,
        }
      : { name: 'amount', fault: `${field} is the same for every amount; leave it out` }
  if (unit === null) {
    if (periodMs !== null && !isOfAge)
      return { name: 'when.period', fault: `${field} takes no period; leave it out` }
    if (op === null && value === null) return countryFaultOf(watched)
    const name = op === null ? 'when.value' : 'when.op'
    return { name, fault: `${field} compares nothing; leave op and value out` }
  }
  if (op === null) return { name: 'when.op', fault: 'it must be above, below or moves_pct' }
  if (value === null) return { name: 'when.value', fault: `${op} needs a number` }
  const fault = periodMs === null ? null : periodFaultOf(watched.when)
  if (fault) return fault
  if (!isWithin(watched.when, unit)) return { name: 'when.value', fault: rangeOf(op, unit) }
  return countryFaultOf(watched)
}

function periodFaultOf({ field, op, periodMs }: Condition): Fault | null {
  const name = 'when.period'
  if (op !== 'moves_pct') return { name, fault: `only ${PERIODIC} take a period; leave it out` }
  if (!fieldOf(field).hasPast)
    return { name, fault: `only ${PAST_FIELDS.join(' and ')} have a past; leave it out` }
  if (MOVE_PERIODS.has(periodMs)) return null
  return { name, fault: 'a move is measured over 24h, 7d, 30d or 90d' }
}

const PAST_FIELDS = fieldsThat(({ hasPast }) => hasPast)
const PERIODIC = ['moves_pct', ...fieldsThat(({ isOfAge }) => isOfAge)].join(' and ')

function countryFaultOf({ sourceCountry, targetCountry, when }: Watched): Fault | null {
  if (sourceCountry === null && targetCountry === null) return null
  const name = sourceCountry === null ? 'target_country' : 'source_country'
  if (!fieldOf(when.field).isOfOffers)
    return { name, fault: `${when.field} is the same for every country; leave it out` }
  if (when.op !== 'moves_pct' || when.periodMs === null) return null
  return {
    name,
    fault: 'a move over a period is for all countries; leave the period or the country out',
  }
}

function isWithin({ op, value }: Condition, unit: AlertUnit): boolean {
  if (op === 'moves_pct') return value! > 0 && value! <= MOVE_PCT_MAX
  return Math.abs(value!) <= VALUE_MAX && (mayBeNegative(unit) || value! > 0)
}

function rangeOf(op: AlertOp, unit: AlertUnit): string {
  if (op === 'moves_pct') return `a move is more than 0 and at most ${MOVE_PCT_MAX} percent`
  const least = mayBeNegative(unit) ? `at least -${VALUE_MAX}` : 'more than 0'
  return `it must be ${least} and at most ${VALUE_MAX}`
}

/** A cost is below zero if a price is better than the mid of its day. */
const mayBeNegative = (unit: AlertUnit): boolean => unit === 'percent'
