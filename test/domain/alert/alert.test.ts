import { describe, expect, test } from 'bun:test'
import { hostOf } from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, isMonthly } from '~/domain/alert/field.ts'

describe('hostOf', () => {
  test('returns the host without its port and without a trailing dot', () => {
    expect(hostOf('https://Hooks.example.org:8443/x')).toBe('hooks.example.org')
    expect(hostOf('https://hooks.example.org./x')).toBe('hooks.example.org')
  })
})

describe('isMonthly', () => {
  test('returns true only for the monthly email', () => {
    expect(ALERT_FIELDS.filter((field) => isMonthly({ field }))).toEqual(['monthly'])
  })
})
