import { describe, expect, test } from 'bun:test'
import { corridorKey } from '~/domain/corridor.ts'
import { currencyCode } from '~/domain/currency.ts'

describe('currencyCode', () => {
  test('returns the string trimmed and in upper case', () => {
    for (const text of ['KES', 'kes', 'kEs', ' kes ', '\tKES\n'])
      expect(currencyCode(text)).toBe('KES')
  })

  test('accepts three or four letters, and neither two nor five', () => {
    expect(currencyCode('USD')).toBe('USD')
    expect(currencyCode('USDT')).toBe('USDT')
    expect(currencyCode('US')).toBeNull()
    expect(currencyCode('USDTX')).toBeNull()
  })

  test('returns null for anything but the letters A to Z', () => {
    for (const text of ['', '   ', 'U D', 'US1', 'US$', 'UŠD', 'US\0', 'UЅD', '€€€'])
      expect(currencyCode(text)).toBeNull()
  })

  test('reads 64 characters with spaces, and returns null for any longer string', () => {
    expect(currencyCode(`${' '.repeat(61)}KES`)).toBe('KES')
    expect(currencyCode(`${' '.repeat(62)}KES`)).toBeNull()
    expect(currencyCode('K'.repeat(1_000_000))).toBeNull()
  })
})

describe('corridorKey', () => {
  test('names the pair in the direction in which the money goes', () => {
    expect(corridorKey({ from: 'USD', to: 'KES' })).toBe('USD/KES')
    expect(corridorKey({ from: 'KES', to: 'USD' })).toBe('KES/USD')
  })
})
