import { expect, test } from 'bun:test'
import { NO_ATTEMPTS } from '~/domain/feed/attempts.ts'
import { providerStateOf } from '~/domain/source/silence.ts'
import type { SourceRecord } from '~/domain/source/state.ts'

const at = (iso: string) => Date.parse(iso)

/** Publishes at 09:00 in Nairobi, which is 06:00 UTC, from Monday to Friday; stated a Friday. */
const BANK: SourceRecord = {
  ...NO_ATTEMPTS,
  id: 'cbk',
  providerId: 'central-bank-of-kenya',
  timeZone: 'Africa/Nairobi',
  publishes: { at: '09:00', weekdays: [1, 2, 3, 4, 5] },
  begunMs: at('2026-05-01T00:00:00Z'),
  failures: 0,
  newestMs: at('2026-05-22T00:00:00+03:00'),
  currencies: 1,
  refused: [],
  validators: null,
}
/** A habit of hourly sendings, long over. */
const HABIT = { newestMs: BANK.newestMs!, usualIntervalMs: 60_000 }

test('a bank is silent some hours after a day of publication that it missed, not on its weekend', () => {
  const states = [
    '2026-05-22T12:00:00Z',
    '2026-05-24T12:00:00Z',
    '2026-05-25T06:00:00Z',
    '2026-05-25T08:59:59Z',
    '2026-05-25T09:00:00Z',
  ].map((time) => providerStateOf(HABIT, BANK, at(time)))
  expect(states).toEqual(['sending', 'sending', 'sending', 'sending', 'silent'])
})

test('a day that a bank left out long ago does not make it silent', () => {
  const nowMs = at('2026-05-23T12:00:00Z')
  expect(providerStateOf(HABIT, { ...BANK, gaps: ['2026-05-19'] }, nowMs)).toBe('sending')
})

test('a bank that was never fetched does not count as silent', () => {
  const unasked = { ...BANK, newestMs: null, begunMs: null }
  expect(providerStateOf(HABIT, unasked, at('2026-05-25T12:00:00Z'))).toBe('sending')
})

test('a provider whose bank is not fetched is measured by its own interval', () => {
  expect(providerStateOf(HABIT, undefined, at('2026-05-22T12:00:00Z'))).toBe('silent')
})
