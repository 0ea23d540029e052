import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { type Sending, sendingStateOf, silentApart, silentFromMs } from '~/domain/feed/silence.ts'

const sending = (usualIntervalMs: number | null): Sending => ({
  providerId: 'wise',
  newestMs: 1_000_000,
  usualIntervalMs,
  corridors: 1,
  freshCorridors: 1,
  silentCorridors: 2,
  lastSilent: [],
})

describe('sendingStateOf', () => {
  test('is silent after more than three of its usual intervals, not at three', () => {
    const daily = sending(24 * HOUR_MS)
    const fromMs = 1_000_000 + 72 * HOUR_MS
    expect(silentFromMs(daily)).toBe(fromMs)
    expect(silentFromMs({ ...daily, offDays: 2 })).toBe(fromMs + 48 * HOUR_MS)
    expect([sendingStateOf(daily, fromMs), sendingStateOf(daily, fromMs + 1)]).toEqual([
      'sending',
      'silent',
    ])
  })

  test('is not silent within an hour, however often it sends', () => {
    const often = sending(60_000)
    expect(sendingStateOf(often, 1_000_000 + HOUR_MS)).toBe('sending')
    expect(sendingStateOf(often, 1_000_000 + HOUR_MS + 1)).toBe('silent')
  })

  test('has ended after ten of its usual intervals and thirty days, and is silent until then', () => {
    const rare = sending(5 * 24 * HOUR_MS)
    const endMs = 1_000_000 + 50 * 24 * HOUR_MS
    expect([sendingStateOf(rare, endMs), sendingStateOf(rare, endMs + 1)]).toEqual([
      'silent',
      'ended',
    ])
    const often = sending(60_000)
    const monthMs = 1_000_000 + 30 * 24 * HOUR_MS
    expect([sendingStateOf(often, monthMs), sendingStateOf(often, monthMs + 1)]).toEqual([
      'silent',
      'ended',
    ])
  })

  test('is unknown without a usual interval, however long ago it last sent', () => {
    expect(sendingStateOf(sending(null), Number.MAX_SAFE_INTEGER)).toBe('unknown')
  })
})

describe('silentApart', () => {
  test('counts no corridor of a provider that is silent as a whole', () => {
    const daily = sending(24 * HOUR_MS)
    const fromMs = silentFromMs(daily)!
    expect([silentApart(daily, fromMs), silentApart(daily, fromMs + 1)]).toEqual([2, 0])
  })

  test('counts every silent corridor of a provider whose own interval is unknown', () => {
    expect(silentApart(sending(null), Number.MAX_SAFE_INTEGER)).toBe(2)
  })
})
