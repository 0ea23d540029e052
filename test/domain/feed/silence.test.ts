import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { type Sending, silentFromMs, voiceOf } from '~/domain/feed/silence.ts'

const sending = (usualIntervalMs: number | null): Sending => ({
  providerId: 'wise',
  newestMs: 1_000_000,
  usualIntervalMs,
  corridors: 1,
  freshCorridors: 1,
})

describe('voiceOf', () => {
  test('silent once more than three of its own intervals have passed, not at three', () => {
    const daily = sending(24 * HOUR_MS)
    const fromMs = 1_000_000 + 72 * HOUR_MS
    expect(silentFromMs(daily)).toBe(fromMs)
    expect([voiceOf(daily, fromMs), voiceOf(daily, fromMs + 1)]).toEqual(['sending', 'silent'])
  })

  test('never sooner than an hour, however often it sends', () => {
    const often = sending(60_000)
    expect(voiceOf(often, 1_000_000 + HOUR_MS)).toBe('sending')
    expect(voiceOf(often, 1_000_000 + HOUR_MS + 1)).toBe('silent')
  })

  test('unknown without a habit, however long ago it was', () => {
    expect(voiceOf(sending(null), Number.MAX_SAFE_INTEGER)).toBe('unknown')
  })
})
