import { differenceText } from './decimal.ts'
import { roundAmount, roundPercent } from './round.ts'

export type Change = {
  /** The end less the start, of the two values as they are shown. */
  readonly abs: number
  /** The same as a percentage of the start. */
  readonly pct: number
}

/**
 * How a positive value moved from `start` to `end`; null when either was not there.
 *
 * What is shown has twelve digits, so the difference is taken of decimals: that of two doubles may
 * lie on the other side of a half, and round to another last digit.
 */
export function changeOf(span: { start: number | null; end: number | null }): Change | null {
  if (span.start === null || span.end === null) return null
  const start = roundAmount(span.start)
  const end = roundAmount(span.end)
  const abs = Number(differenceText(String(end), String(start)) ?? end - start)
  return { abs: roundAmount(abs), pct: roundPercent((abs / start) * 100) }
}
