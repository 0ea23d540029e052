import { describe, expect, test } from 'bun:test'
import { writtenNumber } from '~/portal/written-number.ts'

describe('writtenNumber', () => {
  test.each([
    ['1250', 1250],
    ['1250.5', 1250.5],
    ['.5', 0.5],
    ['1.500', 1.5],
    ['1,250', 1250],
    ['1,250.50', 1250.5],
    ['1 250', 1250],
    ['1\u202f250.5', 1250.5],
    ['1’250', 1250],
    ["1'250.5", 1250.5],
    ['12,50', 12.5],
    ['1250,5', 1250.5],
    ['1.250,50', 1250.5],
    ['1.250.000,50', 1_250_000.5],
    ['1 250,50', 1250.5],
    ['1’250,50', 1250.5],
    ['١٢٥٠', 1250],
    ['1.250.000', 1_250_000],
    ['0,500', 0.5],
    [',5', 0.5],
    ['۱۲٫۵', 12.5],
    ['١٬٢٥٠', 1250],
  ])('%p is %d', (text, number) => expect(writtenNumber(text)).toBe(number))

  test.each([
    ...['', '.', ',', '5.', '-5', '+5', '1e5', 'Infinity', '0x10', 'twelve'],
    ...['1.25.000', '1,2,3', '1,250 000', '1,250,5', '1,0000', '12,345,67', '1,,250', '1 25'],
  ])('%p is not a number', (text) => expect(writtenNumber(text)).toBeNull())

  test('a very long string is refused at once', () => {
    expect(writtenNumber('9'.repeat(41))).toBeNull()
    expect(writtenNumber(`${'1,'.repeat(30)}x`)).toBeNull()
  })
})
