import { expect, test } from 'bun:test'
import { periodStartMs } from '~/domain/period.ts'

test('a period starts whole days before its end, and the year to date with the UTC year', () => {
  const endMs = Date.parse('2026-03-05T14:25:30.500Z')
  expect(periodStartMs('1d', endMs)).toBe(Date.parse('2026-03-04T14:25:30.500Z'))
  expect(periodStartMs('30d', endMs)).toBe(Date.parse('2026-02-03T14:25:30.500Z'))
  expect(periodStartMs('ytd', endMs)).toBe(Date.parse('2026-01-01T00:00:00.000Z'))
})
