import { describe, expect, test } from 'bun:test'
import { moneyOf, rateDecimals } from '~/portal/words/format.ts'
import { ENGLISH } from '~/portal/words/words.ts'

describe('rateText', () => {
  test.each([
    [129.5, '129.50'],
    [1612.3456, '1,612.35'],
    [0.00753412, '0.0075341'],
    [1, '1.0000'],
    [1e-12, '0.0000000000'],
    [1e12, '1,000,000,000,000.00'],
  ])('%d is %s', (rate, text) => expect(ENGLISH.rateText(rate)).toBe(text))

  test('gives rates in one table as many decimals as the smallest needs', () => {
    const decimals = rateDecimals([0.5, 12, 3])
    expect([0.5, 12, 3].map((rate) => ENGLISH.rateText(rate, decimals))).toEqual([
      '0.50000',
      '12.00000',
      '3.00000',
    ])
    expect(rateDecimals([])).toBe(2)
  })
})

describe('amountText', () => {
  test.each([
    [1234.5, 2, '1,234.50'],
    [1234.5, 0, '1,235'],
    [1234.5, null, '1,234.50'],
    [-0.004, 2, '0.00'],
    [-12, 2, '−12.00'],
    [1.6123456789e18, 2, '1,612,345,678,900,000,000.00'],
  ])('%d of a currency with %p decimals is %s', (amount, minorUnits, text) =>
    expect(ENGLISH.amountText(amount, minorUnits)).toBe(text),
  )
})

describe('askedText', () => {
  test.each([
    [200, '£200', '200 XOF'],
    [1000.5, '£1,000.50', '1,000.5 XOF'],
    [0.0025, '£0.0025', '0.0025 XOF'],
    [1_234_567.891, '£1,234,567.891', '1,234,567.891 XOF'],
  ])('%d is %s, and %s of a currency without decimals', (amount, pounds, francs) => {
    expect(ENGLISH.askedText(amount, { code: 'GBP', minorUnits: 2 })).toBe(pounds)
    expect(ENGLISH.askedText(amount, { code: 'XOF', minorUnits: 0 })).toBe(francs)
  })
})

describe('moneyOf', () => {
  test.each([
    ['USD', '$5.00'],
    ['MAD', '5.00 MAD'],
    ['JPY', '¥5'],
    ['KWD', '5.000 KWD'],
    ['USDT', '5.00 USDT'],
  ])('a fee of 5 %s is %s', (code, text) => expect(ENGLISH.priceText(5, moneyOf(code))).toBe(text))
})

describe('bpsText', () => {
  test.each([
    [0, '0.00%', '0.00%'],
    [12.34, '0.12%', '+0.12%'],
    [-848.9, '−8.49%', '−8.49%'],
    [-0.01, '0.00%', '0.00%'],
    [0.01, '0.00%', '0.00%'],
  ])('%d bps is %s, and %s with its sign', (bps, plain, signed) => {
    expect(ENGLISH.bpsText(bps)).toBe(plain)
    expect(ENGLISH.bpsText(bps, true)).toBe(signed)
  })
})

describe('spanText', () => {
  test.each([
    [-5, '0 minutes'],
    [60_000, '1 minute'],
    [119 * 60_000, '119 minutes'],
    [120 * 60_000, '2 hours'],
    [47.9 * 3_600_000, '47 hours'],
    [48 * 3_600_000, '2 days'],
    [60 * 86_400_000, '60 days'],
    [61 * 86_400_000, '2 months'],
    [549 * 86_400_000, '18 months'],
    [730 * 86_400_000, '23 months'],
    [1110 * 86_400_000, '3 years'],
  ])('%d ms is %s', (ms, text) => expect(ENGLISH.spanText(ms)).toBe(text))
})
