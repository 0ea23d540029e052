import { difference } from './convert.ts'
import { roundAmount, roundPercent } from './round.ts'

export type Change = {
  /** The end less the start, of the two values as they are shown. */
  readonly abs: number
  /** The same as a percentage of the start. */
  readonly pct: number
}

/** How a positive value moved from `start` to `end`; null when either was not there. */
export function changeOf(span: { start: number | null; end: number | null }): Change | null {
  if (span.start === null || span.end === null) return null
  const start = roundAmount(span.start)
  const end = roundAmount(span.end)
  const abs = difference(end, start)
  return { abs: roundAmount(abs), pct: roundPercent((abs / start) * 100) }
}
