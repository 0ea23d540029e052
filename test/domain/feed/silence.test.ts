import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { type Sending, sendingStateOf, silentFromMs } from '~/domain/feed/silence.ts'

const sending = (usualIntervalMs: number | null): Sending => ({
  providerId: 'wise',
  newestMs: 1_000_000,
  usualIntervalMs,
  corridors: 1,
  freshCorridors: 1,
})

describe('sendingStateOf', () => {
  test('silent once more than three of its own intervals have passed, not at three', () => {
    const daily = sending(24 * HOUR_MS)
    const fromMs = 1_000_000 + 72 * HOUR_MS
    expect(silentFromMs(daily)).toBe(fromMs)
    expect([sendingStateOf(daily, fromMs), sendingStateOf(daily, fromMs + 1)]).toEqual([
      'sending',
      'silent',
    ])
  })

  test('never sooner than an hour, however often it sends', () => {
    const often = sending(60_000)
    expect(sendingStateOf(often, 1_000_000 + HOUR_MS)).toBe('sending')
    expect(sendingStateOf(often, 1_000_000 + HOUR_MS + 1)).toBe('silent')
  })

  test('unknown without a habit, however long ago it was', () => {
    expect(sendingStateOf(sending(null), Number.MAX_SAFE_INTEGER)).toBe('unknown')
  })
})
