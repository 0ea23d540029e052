import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AHEAD_MS_MAX, nextTryMs, TRYING_MS_MAX } from '~/domain/alert/retries.ts'

const MINUTE = 60_000

/** The pauses of a message that always fails, in minutes, without the random part. */
function pausesOf(random: number): number[] {
  const pauses: number[] = []
  let nowMs = 0
  for (let tries = 1; ; tries++) {
    const nextMs = nextTryMs({ tries, createdMs: 0, nowMs, random })
    if (nextMs === null) return pauses
    pauses.push((nextMs - nowMs) / MINUTE)
    nowMs = nextMs
  }
}

describe('nextTryMs', () => {
  test('grows the pauses from seconds to four hours, and gives up after three days', () => {
    const pauses = pausesOf(0)
    expect(pauses.slice(0, 8)).toEqual([5 / 60, 0.5, 2, 10, 30, 60, 120, 240])
    expect(new Set(pauses.slice(8))).toEqual(new Set([240]))
    const totalMs = pauses.reduce((sum, pause) => sum + pause, 0) * MINUTE
    expect(totalMs).toBeGreaterThan(TRYING_MS_MAX - 240 * MINUTE)
    expect(totalMs).toBeLessThanOrEqual(TRYING_MS_MAX)
  })

  test('makes the last attempt at exactly three days', () => {
    const nowMs = TRYING_MS_MAX + 1000 - 5000
    const asked = { tries: 1, createdMs: 1000, random: 0 }
    expect(nextTryMs({ ...asked, nowMs })).toBe(TRYING_MS_MAX + 1000)
    expect(nextTryMs({ ...asked, nowMs: nowMs + 1 })).toBeNull()
  })

  test('lengthens a pause randomly by at most a fifth, and never shortens it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (tries, random) => {
          const asked = { tries, createdMs: 0, nowMs: 1000 }
          const least = nextTryMs({ ...asked, random: 0 })! - 1000
          const pause = nextTryMs({ ...asked, random })! - 1000
          expect(pause).toBeGreaterThanOrEqual(least)
          expect(pause).toBeLessThanOrEqual(Math.ceil(least * 1.2))
        },
      ),
    )
  })
})

describe('AHEAD_MS_MAX', () => {
  test('exceeds the longest pause after the same number of attempts by a minute', () => {
    expect(AHEAD_MS_MAX.map((ms) => ms / MINUTE)).toEqual([
      ...[1, 1.1, 1.6, 3.4, 13, 37, 73, 145, 289],
    ])
  })
})
