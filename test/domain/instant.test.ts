import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dateMsOf, instantOf } from '~/domain/instant.ts'

const MOMENT_MS = Date.UTC(2026, 2, 5, 14, 25, 30)

/** Every instant that four digits of a year can name. */
const instants = fc.integer({
  min: Date.parse('0000-01-01T00:00:00.000Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
})

describe('instantOf', () => {
  test('reads a UTC time with milliseconds, with seconds and with minutes only', () => {
    expect(instantOf('2026-03-05T14:25:30.500Z')).toBe(MOMENT_MS + 500)
    expect(instantOf('2026-03-05T14:25:30Z')).toBe(MOMENT_MS)
    expect(instantOf('2026-03-05T14:25Z')).toBe(MOMENT_MS - 30_000)
    expect(instantOf('2026-03-05t14:25:30z')).toBe(MOMENT_MS)
  })

  test('subtracts the offset, with and without its colon, across the end of a day and of a year', () => {
    expect(instantOf('2026-03-05T17:25:30+03:00')).toBe(MOMENT_MS)
    expect(instantOf('2026-03-05T17:25:30+0300')).toBe(MOMENT_MS)
    expect(instantOf('2026-03-05T08:55:30-05:30')).toBe(MOMENT_MS)
    expect(instantOf('2026-01-01T00:30:00+01:00')).toBe(Date.UTC(2025, 11, 31, 23, 30))
    expect(instantOf('2025-12-31T23:30:00-01:00')).toBe(Date.UTC(2026, 0, 1, 0, 30))
    expect(instantOf('2026-03-05T14:25:30-00:00')).toBe(MOMENT_MS)
    expect(instantOf('2026-03-06T14:24:30+23:59')).toBe(MOMENT_MS)
  })

  test('requires an offset, and refuses one of a whole day or of 60 minutes', () => {
    for (const offset of ['', '+24:00', '-24:00', '+03:60', '+3:00', '+03', 'UTC', ' Z', 'Z Z'])
      expect(instantOf(`2026-03-05T14:25:30${offset}`)).toBeNull()
  })

  test('reads one to nine fraction digits, and cuts them off after the millisecond', () => {
    expect(instantOf('2026-03-05T14:25:30.5Z')).toBe(MOMENT_MS + 500)
    expect(instantOf('2026-03-05T14:25:30.05Z')).toBe(MOMENT_MS + 50)
    expect(instantOf('2026-03-05T14:25:30,005Z')).toBe(MOMENT_MS + 5)
    expect(instantOf('2026-03-05T14:25:30.0019Z')).toBe(MOMENT_MS + 1)
    expect(instantOf('2026-03-05T14:25:30.999999999Z')).toBe(MOMENT_MS + 999)
    expect(instantOf('2026-03-05T14:25:30.9999999999Z')).toBeNull()
    expect(instantOf('2026-03-05T14:25:30.Z')).toBeNull()
    expect(instantOf('2026-03-05T14:25.5Z')).toBeNull()
  })

  test('checks the calendar, with leap years by the Gregorian rule', () => {
    for (const date of ['2024-02-29', '2000-02-29', '2026-12-31', '2026-01-01', '0001-01-01'])
      expect(instantOf(`${date}T00:00:00Z`)).toBe(Date.parse(`${date}T00:00:00Z`))
    for (const date of [
      '2026-02-29',
      '2100-02-29',
      '2026-02-30',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-01-32',
    ])
      expect(instantOf(`${date}T00:00:00Z`)).toBeNull()
  })

  test('refuses 24:00, minute 60 and leap seconds', () => {
    expect(instantOf('2026-03-05T23:59:59.999Z')).toBe(Date.UTC(2026, 2, 6) - 1)
    for (const time of ['24:00:00', '25:00:00', '23:60:00', '23:59:60', '23:59:61'])
      expect(instantOf(`2026-03-05T${time}Z`)).toBeNull()
  })

  test('returns null for anything else', () => {
    for (const text of [
      '',
      'now',
      '1772720730',
      '2026-03-05',
      '2026-03-05 14:25:30Z',
      '2026-3-5T14:25:30Z',
      '20260305T142530Z',
      '+002026-03-05T14:25:30Z',
      '-2026-03-05T14:25:30Z',
      '12026-03-05T14:25:30Z',
      ' 2026-03-05T14:25:30Z',
      '2026-03-05T14:25:30Z\n',
      '2026-03-05T14:25:30Z\0',
      '２０２６-03-05T14:25:30Z',
    ])
      expect(instantOf(text)).toBeNull()
  })

  test('reads back whatever toISOString writes', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        expect(instantOf(new Date(ms).toISOString())).toBe(ms)
      }),
    )
  })

  test('reads the same time from any offset', () => {
    const offsets = fc.integer({ min: -1439, max: 1439 })
    const inYears = fc.integer({ min: Date.UTC(1970, 0, 2), max: Date.UTC(2100, 0) })
    fc.assert(
      fc.property(inYears, offsets, (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1)
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const two = (n: number) => String(n).padStart(2, '0')
        const offset = `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
        expect(instantOf(`${local}${offset}`)).toBe(ms)
      }),
    )
  })
})

describe('dateMsOf', () => {
  test('returns the UTC midnight that starts the date', () => {
    expect(dateMsOf('2026-03-05')).toBe(Date.UTC(2026, 2, 5))
    expect(dateMsOf('1970-01-01')).toBe(0)
    expect(dateMsOf('2024-02-29')).toBe(Date.UTC(2024, 1, 29))
  })

  test('returns null for a string that is not a date, or not in the calendar', () => {
    for (const text of [
      '',
      '2026-02-29',
      '2026-04-31',
      '2026-00-01',
      '2026-01-00',
      '2026-3-05',
      '2026-03-05T00:00:00Z',
      ' 2026-03-05',
      '2026-03-05\n',
      '05-03-2026',
      '2026/03/05',
    ])
      expect(dateMsOf(text)).toBeNull()
  })
})
