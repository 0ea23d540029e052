import { describe, expect, test } from 'bun:test'
import { decimalPoint, filled, numberText } from '~/portal/board/chart-reading.ts'
import { LANGUAGES } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'

describe('numberText', () => {
  test.each(LANGUAGES)('reads the numbers of a page in %s', (language) => {
    const { locale, rateText } = Words.in(language)
    const point = decimalPoint(locale)
    for (const rate of [0.000123456, 0.5, 129.5, 1234.5, 1_234_567.25])
      expect(Number(numberText(rateText(rate, 9), point))).toBeCloseTo(rate, 9)
    expect(numberText('', point)).toBe('')
    expect(numberText(null, point)).toBe('')
  })
})

describe('filled', () => {
  test('puts values in their places, and leaves a place empty without one', () => {
    expect(filled('{time}: {mid}, {best}', { time: '1', mid: '{best}' })).toBe('1: {best}, {best}')
  })
})
