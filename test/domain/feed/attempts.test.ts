import { describe, expect, test } from 'bun:test'
import {
  type Attempts,
  failed,
  isWaiting,
  NO_ATTEMPTS,
  refuseWaiting,
  succeeded,
} from '~/domain/feed/attempts.ts'
import { untriedConnector } from '~/domain/feed/connector.ts'
import { FeedError } from '~/domain/feed/feed.ts'

const NOW_MS = Date.parse('2026-03-05T14:00:00Z')
const DAY_MS = 86_400_000

const failure = (retryAfterMs: number | null) =>
  failed({ fault: 'rate_limited', message: 'is busy', retryAfterMs }, NOW_MS)

describe('attempts', () => {
  test('have the time and the reason of a failure, even after the next success', () => {
    const after: Attempts = { ...NO_ATTEMPTS, ...failure(null) }
    expect(after).toEqual({
      ...{ triedMs: NOW_MS, succeededMs: null, failedMs: NOW_MS, waitUntilMs: null },
      ...{ fault: 'rate_limited', message: 'is busy', isFailing: true },
    })
    const again: Attempts = { ...after, ...succeeded(NOW_MS + 1) }
    expect(again).toEqual({
      ...after,
      ...{ triedMs: NOW_MS + 1, succeededMs: NOW_MS + 1, isFailing: false },
    })
  })

  test('wait as long as the upstream asks, but at most a day', () => {
    expect(failure(60_000).waitUntilMs).toBe(NOW_MS + 60_000)
    expect(failure(DAY_MS + 1).waitUntilMs).toBe(NOW_MS + DAY_MS)
    const waiting = { ...NO_ATTEMPTS, ...failure(60_000) }
    expect([59_999, 60_000].map((ms) => isWaiting(waiting, NOW_MS + ms))).toEqual([true, false])
    expect(isWaiting({ ...waiting, ...succeeded(NOW_MS) }, NOW_MS)).toBe(false)
    expect(isWaiting(untriedConnector('wise'), NOW_MS)).toBe(false)
  })

  test('do not wait for longer than a day and a minute, as after a clock was turned back', () => {
    const waiting = { ...NO_ATTEMPTS, ...failure(DAY_MS) }
    const before = (ms: number) => isWaiting(waiting, NOW_MS - ms)
    expect([60_000, 60_001].map(before)).toEqual([true, false])
  })

  test('are refused until the time that the upstream asked for, without a hint to retry sooner', () => {
    const waiting = { ...NO_ATTEMPTS, ...failure(60_000) }
    let refusal: unknown
    try {
      refuseWaiting(waiting, NOW_MS)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(FeedError)
    expect(refusal).toMatchObject({
      ...{ fault: 'rate_limited', isTransient: false, retryAfterMs: null, status: null },
      message: 'asked for no requests before 2026-03-05T14:01:00.000Z',
    })
    expect(() => refuseWaiting(waiting, NOW_MS + 60_000)).not.toThrow()
  })
})
