import { differenceText } from './decimal.ts'
import { roundAmount, roundPercent } from './round.ts'

export type Change = {
  /** The end minus the start, of the two values as shown. */
  readonly abs: number
  /** The difference as a percentage of the start. */
  readonly pct: number
}

/**
 * Move of a positive value from `start` to `end`; null when either is missing.
 *
 * Shown values have twelve digits, so the difference is computed in decimals: a difference of two
 * doubles may fall on the other side of a half and round to another last digit.
 */
export function changeOf(span: { start: number | null; end: number | null }): Change | null {
  if (span.start === null || span.end === null) return null
  const start = roundAmount(span.start)
  const end = roundAmount(span.end)
  const abs = Number(differenceText(String(end), String(start)) ?? end - start)
  return { abs: roundAmount(abs), pct: roundPercent((abs / start) * 100) }
}
