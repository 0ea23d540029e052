import { describe, expect, test } from 'bun:test'
import { bankDateOf } from '~/domain/source/bank-date.ts'

const dateOf = (
  iso: string,
  timeZone: string | null,
  rateType: 'official' | 'retail' = 'official',
) => bankDateOf({ rateType, atMs: Date.parse(iso) }, { timeZone })

describe('bankDateOf', () => {
  test('is the date at the bank, whose midnight is on the day before in UTC', () => {
    expect(dateOf('2026-05-11T21:00:00Z', 'Africa/Nairobi')).toBe('2026-05-12')
    expect(dateOf('2026-05-12T20:59:59Z', 'Africa/Nairobi')).toBe('2026-05-12')
  })

  test('follows the clocks that a country puts forward', () => {
    expect(dateOf('2026-01-14T22:00:00Z', 'Africa/Cairo')).toBe('2026-01-15')
    expect(dateOf('2026-07-14T21:00:00Z', 'Africa/Cairo')).toBe('2026-07-15')
  })

  test('reads midnight UTC as a date alone if the zone is unknown, and no other time', () => {
    expect(dateOf('2026-05-12T00:00:00Z', null)).toBe('2026-05-12')
    expect(dateOf('2026-05-11T21:00:00Z', null)).toBeNull()
  })

  test('is null for a price of another kind', () => {
    expect(dateOf('2026-05-11T21:00:00Z', 'Africa/Nairobi', 'retail')).toBeNull()
  })
})
