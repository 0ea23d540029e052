import { describe, expect, test } from 'bun:test'
import { Misread, type Notation, numberIn, timeIn } from '~/wire/row/notation.ts'
import { WrittenNumber } from '~/wire/row/values.ts'

const notation = (more: Partial<Notation> = {}): Notation => ({
  ...{ decimal: '.', dates: 'dd/MM/yyyy', timeZone: 'Africa/Lagos' },
  settingOf: (name, value) => `${name}=${value}`,
  ...more,
})

const numberOf = (text: string, more: Partial<Notation>) => {
  const read = numberIn(text, notation(more))
  return read instanceof WrittenNumber ? read.text : read.fault
}
const timeOf = (text: string, more: Partial<Notation> = {}) => {
  const read = timeIn(text, notation(more))
  return read instanceof Misread ? read.fault : read
}

describe('numberIn', () => {
  test.each([
    ['1 284.50', '.', ' ', '1284.50'],
    ['1\u00A0284\u202F000.5', '.', ' ', '1284000.5'],
    ["-1'284", '.', "'", '-1284'],
    ['1,284.50', '.', ',', '1284.50'],
    ['1.284,50', ',', '.', '1284.50'],
    ['1.284', ',', '.', '1284'],
    ['1284,5', ',', '.', '1284.5'],
  ] as const)('reads %p with a decimal %p and %p between thousands', (text, decimal, group, is) => {
    expect(numberOf(text, { decimal, group })).toBe(is)
  })

  test('refuses other grouping, and shows the right one', () => {
    for (const text of ['1 28.50', '1,284.50', '12 84', '', '1 284.5.0'])
      expect(numberOf(text, { group: ' ' })).toStartWith(
        'must be a number written as 1 284.50, not ',
      )
    expect(numberOf('1 284.50', {})).toBe('1 284.50')
  })

  test('refuses a sign that is neither the decimal one nor between thousands', () => {
    for (const group of [' ', "'"] as const)
      for (const text of ['1,284', '1_284', `1${group}284,5`])
        expect(numberOf(text, { group })).toStartWith('must be a number written as 1')
    expect(numberOf('1_284', { group: ',' })).toStartWith('must be a number written as 1,284.50')
  })
})

describe('timeIn', () => {
  test('reads local times by the zone, with hours up to 24 or counted from noon', () => {
    expect(timeOf('5/3/2026 14:30')).toBe('2026-03-05T13:30:00.000Z')
    expect(timeOf('05-03-2026 02:30:15 pm')).toBe('2026-03-05T13:30:15.000Z')
    expect(timeOf('2026/03/05 12:30 am')).toBe('2026-03-04T23:30:00.000Z')
    expect(timeOf('5 Mar 2026 12:30PM')).toBe('2026-03-05T11:30:00.000Z')
    expect(timeOf('3/5/2026 1:00 am', { dates: 'MM/dd/yyyy' })).toBe('2026-03-05T00:00:00.000Z')
  })

  test('refuses an hour that is on neither clock', () => {
    for (const text of ['5/3/2026 13:30 pm', '5/3/2026 0:30 am', '5/3/2026 24:30', '31/2/2026'])
      expect(timeOf(text)).toBe(`"${text}" is not on the calendar`)
  })

  test('reads a date as the start of that day, even if clocks skip midnight', () => {
    expect(timeOf('5/3/2026')).toBe('2026-03-04T23:00:00.000Z')
    expect(timeOf('24/4/2026', { timeZone: 'Africa/Cairo' })).toBe('2026-04-23T22:00:00.000Z')
  })

  test('refuses a time that clocks skip, and takes midnight and the earlier of two', () => {
    const timeZone = 'Europe/London'
    expect(timeOf('29/3/2026 01:30', { timeZone })).toBe(
      '"29/3/2026 01:30" does not exist in Europe/London: its clocks were put forward over it',
    )
    expect(timeOf('29/3/2026 02:00', { timeZone })).toBe('2026-03-29T01:00:00.000Z')
    expect(timeOf('25/10/2026 01:30', { timeZone })).toBe('2026-10-25T00:30:00.000Z')
    const cairo = { timeZone: 'Africa/Cairo' }
    expect(timeOf('24/4/2026 00:00:00', cairo)).toBe('2026-04-23T22:00:00.000Z')
    expect(timeOf('24/4/2026 00:01', cairo)).toContain('does not exist in Africa/Cairo')
  })

  test('names the missing setting, and keeps an invalid time unchanged', () => {
    expect(timeOf('5/3/2026', { dates: null })).toBe(
      '"5/3/2026" could be two dates: give dates=dd/MM/yyyy or dates=MM/dd/yyyy',
    )
    expect(timeOf('2026-03-05', { timeZone: null })).toEndWith('as time-zone=Africa/Lagos')
    expect(timeOf('2026-03-05T14:00:00Z')).toBe('2026-03-05T14:00:00Z')
    expect(timeOf('yesterday')).toBe('yesterday')
  })
})
