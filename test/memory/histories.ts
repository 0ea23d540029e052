import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { isValidAt, type Passing } from '~/domain/offer/terms.ts'
import { type Dated, newestFirst } from '~/domain/quote.ts'

/** The top of an hour. */
export const BASE_MS = Date.parse('2026-03-05T12:00:00.000Z')

/**
 * Times in the first `hours` after BASE_MS where mistakes would show: the tops of the hours, a
 * millisecond to either side, and a few between. Few enough for ties.
 */
export const spots = (hours: number) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: hours }),
      fc.constantFrom(-1, 0, 1, HOUR_MS / 4, HOUR_MS / 2, HOUR_MS - 2),
    )
    .map(([hour, offset]) => BASE_MS + hour * HOUR_MS + offset)

/** A clock that only moves forward, in steps from nothing to several hours. */
export const clockSteps = fc.constantFrom(
  0,
  0,
  1,
  1000,
  HOUR_MS / 4,
  HOUR_MS / 2,
  HOUR_MS - 1,
  HOUR_MS,
  HOUR_MS + 1,
  5 * HOUR_MS,
)

/** Delay of a value behind the clock: mostly short, sometimes long. */
export const backs = fc.constantFrom(
  0,
  0,
  1,
  2,
  HOUR_MS / 4,
  HOUR_MS / 2,
  HOUR_MS - 1,
  HOUR_MS,
  HOUR_MS + 1,
  2 * HOUR_MS,
  30 * HOUR_MS,
)

/** A course of arrivals on a clock that moves forward from a time in `starts`. */
export const changesOf = (starts: fc.Arbitrary<number>) =>
  fc
    .tuple(
      starts,
      fc.array(
        fc.record({
          stepMs: clockSteps,
          back: backs,
          isPruned: fc.boolean(),
          isRepeated: fc.boolean(),
        }),
        { maxLength: 25 },
      ),
    )
    .map(([startMs, steps]) => {
      let nowMs = startMs
      return steps.map(({ stepMs, ...change }) => {
        nowMs += stepMs
        return { nowMs, ...change }
      })
    })

/** The time that after it took effect a value is valid: mostly for ever. */
export const lives = fc.constantFrom(
  null,
  null,
  1,
  HOUR_MS / 2,
  HOUR_MS,
  HOUR_MS + 1,
  2 * HOUR_MS,
  6 * HOUR_MS,
)

/** Value in force at a cutoff among those valid at a time, computed naively. */
export const oracleAt = <T extends Dated & Passing>(
  values: readonly T[],
  cutoffMs: number,
  validMs = cutoffMs,
): T | undefined =>
  values.filter((value) => value.atMs <= cutoffMs && isValidAt(value, validMs)).sort(newestFirst)[0]
