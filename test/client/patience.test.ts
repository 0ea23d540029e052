import { describe, expect, test } from 'bun:test'
import { pauseMs, retryAfterSeconds, waited } from '~/client/patience.ts'

const patience = { retries: 2, waitMsMax: 60_000 }
const miss = { earlier: 0, code: 'x', retryAfterSeconds: null, isRepeatable: true }

describe('pauseMs', () => {
  test.each([
    [429, 3, 3000],
    [503, 0, 0],
    [429, 60, 60_000],
    [429, 61, null],
    [503, 86_400, null],
    [500, 1, null],
    [400, 1, null],
  ])('after %p that names %p seconds: %p ms', (status, seconds, ms) => {
    expect(pauseMs({ ...miss, status, retryAfterSeconds: seconds }, patience)).toBe(ms)
  })

  test('no response, and a proxy without its service, mean a growing pause', () => {
    for (const status of [null, 502, 503, 504])
      expect([0, 1].map((earlier) => pauseMs({ ...miss, status, earlier }, patience))).toEqual([
        250, 500,
      ])
    expect(pauseMs({ ...miss, status: 429 }, patience)).toBeNull()
  })

  test('a request that may have been carried out is repeated only if that is safe', () => {
    const once = { ...miss, isRepeatable: false }
    expect(pauseMs({ ...once, status: null }, patience)).toBeNull()
    expect(pauseMs({ ...once, status: 502 }, patience)).toBeNull()
    expect(pauseMs({ ...once, status: 503, retryAfterSeconds: 1 }, patience)).toBeNull()
    expect(pauseMs({ ...once, status: 429, retryAfterSeconds: 1 }, patience)).toBe(1000)
  })

  test('no more retries than allowed are sent, and none after a timeout', () => {
    const named = { ...miss, status: 429, retryAfterSeconds: 1 }
    expect(pauseMs({ ...named, earlier: 1 }, patience)).toBe(1000)
    expect(pauseMs({ ...named, earlier: 2 }, patience)).toBeNull()
    expect(pauseMs(named, { ...patience, retries: 0 })).toBeNull()
    expect(pauseMs({ ...miss, status: null, code: 'timeout' }, patience)).toBeNull()
  })
})

describe('retryAfterSeconds', () => {
  const date = 'Thu, 05 Mar 2026 14:25:30 GMT'

  test.each([
    [{}, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': '120' }, 120],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': 'Thu, 05 Mar 2026 14:26:00 GMT', date }, 30],
    [{ 'retry-after': 'Thu, 05 Mar 2026 14:25:00 GMT', date }, 0],
    [{ 'retry-after': 'Thu, 05 Mar 2026 14:26:00 GMT' }, null],
  ])('of %p: %p', (headers, seconds) => {
    expect(retryAfterSeconds(new Headers(headers as Record<string, string>))).toBe(seconds)
  })
})

describe('waited', () => {
  test('rejects with the reason of a signal, before and while it waits', async () => {
    const reason = new Error('enough')
    await expect(waited(2 ** 40, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = waited(2 ** 40, controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  test('resolves, and leaves no listener on the signal', async () => {
    let listeners = 0
    const counted = {
      aborted: false,
      addEventListener: () => void listeners++,
      removeEventListener: () => void listeners--,
    } as unknown as AbortSignal
    await waited(0, counted)
    expect(listeners).toBe(0)
  })
})
