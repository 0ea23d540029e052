import { describe, expect, spyOn, test } from 'bun:test'
import { dateIn, isTimeZone, midnightMs, wallMs } from '~/domain/source/zone.ts'

const at = (iso: string) => Date.parse(iso)

describe('midnightMs', () => {
  test('returns the start of the day at the bank', () => {
    expect(midnightMs('2026-05-22', 'Africa/Nairobi')).toBe(at('2026-05-21T21:00:00Z'))
    expect(midnightMs('2026-05-22', 'Africa/Lagos')).toBe(at('2026-05-21T23:00:00Z'))
    expect(midnightMs('2026-05-22', 'Africa/Banjul')).toBe(at('2026-05-22T00:00:00Z'))
  })

  test('follows daylight saving time', () => {
    expect(midnightMs('2026-01-15', 'Africa/Cairo')).toBe(at('2026-01-14T22:00:00Z'))
    expect(midnightMs('2026-07-15', 'Africa/Cairo')).toBe(at('2026-07-14T21:00:00Z'))
  })

  test('returns the first time of a day whose midnight the clocks skip', () => {
    expect(midnightMs('2026-04-24', 'Africa/Cairo')).toBe(at('2026-04-23T22:00:00Z'))
  })

  test('returns null for a string that is not a date', () => {
    expect(midnightMs('2026-02-30', 'Africa/Nairobi')).toBeNull()
    expect(midnightMs('yesterday', 'Africa/Nairobi')).toBeNull()
  })
})

describe('wallMs', () => {
  test('returns the earlier of two times that clocks show the same way', () => {
    const shown = Date.UTC(2026, 9, 29, 23, 30)
    expect(wallMs(shown, 'Africa/Cairo')).toBe(at('2026-10-29T20:30:00Z'))
  })
})

describe('dateIn', () => {
  test('returns the date in the zone', () => {
    expect(dateIn(at('2026-05-21T21:00:00Z'), 'Africa/Nairobi')).toBe('2026-05-22')
    expect(dateIn(at('2026-05-21T20:59:59.999Z'), 'Africa/Nairobi')).toBe('2026-05-21')
  })
})

test('isTimeZone accepts the names of places and UTC, and no abbreviation', () => {
  const names = ['Africa/Nairobi', 'UTC', 'EST', 'Nowhere/City', '']
  expect(names.map(isTimeZone)).toEqual([true, true, false, false, false])
})

test('spellings of one zone do not add up in memory', () => {
  const made = spyOn(Intl, 'DateTimeFormat')
  for (let number = 0; number < 2 ** 11; number++) {
    const signs = [...'africa/lagos'].map((sign, at) =>
      (number >> at) & 1 ? sign.toUpperCase() : sign,
    )
    expect(isTimeZone(signs.join(''))).toBe(true)
  }
  made.mockClear()
  expect(isTimeZone('africa/lagos')).toBe(true)
  expect(made).toHaveBeenCalledTimes(1)
  made.mockRestore()
})
