import { expect, test } from 'bun:test'
import { yearsBeforeMs } from '~/domain/duration.ts'

const at = (text: string) => Date.parse(text)

test('yearsBeforeMs goes back by the calendar', () => {
  const moment = at('2026-03-05T14:25:30.500Z')
  expect(yearsBeforeMs(moment, 1)).toBe(at('2025-03-05T14:25:30.500Z'))
  expect(yearsBeforeMs(moment, 100)).toBe(at('1926-03-05T14:25:30.500Z'))
})

test('yearsBeforeMs turns 29 February into 1 March in other years', () => {
  expect(yearsBeforeMs(at('2024-02-29T00:00:00Z'), 1)).toBe(at('2023-03-01T00:00:00Z'))
  expect(yearsBeforeMs(at('2024-02-29T00:00:00Z'), 4)).toBe(at('2020-02-29T00:00:00Z'))
})
