import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { plainNumberText } from '~/portal/words/format.ts'
import { ENGLISH } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'

const AS_WRITTEN: [text: string, code: string, amount: number][] = [
  ['200', 'GBP', 200],
  ['£200', 'GBP', 200],
  ['£ 1,250.50', 'GBP', 1250.5],
  ['200 GBP', 'GBP', 200],
  ['gbp 200', 'GBP', 200],
  ['200 pounds', 'GBP', 200],
  ['1 pound', 'GBP', 1],
  ['€1.000,50', 'EUR', 1000.5],
  ['1.000,50 €', 'EUR', 1000.5],
  ['1 000 euros', 'EUR', 1000],
  ['1\u202f000,5 €', 'EUR', 1000.5],
  ['$1,000.50', 'USD', 1000.5],
  ['US$ 20', 'USD', 20],
  ['KSh. 1,000', 'KES', 1000],
  ['Ksh1000', 'KES', 1000],
  ['₦5000', 'NGN', 5000],
  ['GH₵ 50', 'GHS', 50],
  ['R200', 'ZAR', 200],
  ['10 000 FCFA', 'XOF', 10_000],
  ['10 000 F CFA', 'XOF', 10_000],
  ['25 USDT', 'USDT', 25],
  [' 5 ', 'GBP', 5],
]

describe('writtenAmount', () => {
  test.each(AS_WRITTEN)('%p of %s is %d', (text, code, amount) =>
    expect(writtenAmount(ENGLISH, text, code)).toEqual({ amount, hint: null, fault: null }),
  )

  test.each([
    ['1,000', 1000, null],
    ['1.000', 1, 'Read as 1. For 1,000, write 1000.'],
    ['£1.500', 1.5, 'Read as 1.5. For 1,500, write 1500.'],
    ['1.500.000', 1_500_000, null],
    ['0.500', 0.5, null],
    ['0,500', 0.5, null],
  ])('%p, which may be read in two ways, is %d, with a note if it may surprise', (...said) => {
    const [text, amount, hint] = said
    expect(writtenAmount(ENGLISH, text, 'GBP')).toEqual({ amount, hint, fault: null })
  })

  test.each([
    ...['', 'twelve', '1e5', '1,5000', '1.2.3', '1 25', '£', '12 pounds 50', '0x10', '1/2'],
    ...['NaN', 'Infinity', '½', '--5', '200 GBP GBP 200', '5.'],
  ])('%p is refused with the right notation', (text) => {
    const { amount, fault } = writtenAmount(ENGLISH, text, 'GBP')
    expect([amount, fault]).toEqual([null, expect.stringMatching(/Write|more than zero/)])
  })

  test.each([
    ['£200', 'EUR', '“£” is not EUR.'],
    ['200 GBP', 'KES', '“GBP” is not KES.'],
    ['$200', 'GBP', '“$” is not GBP.'],
    ['200 beads', 'GBP', '“beads” is not GBP.'],
  ])('%p of %s is refused: another currency', (text, code, fault) =>
    expect(writtenAmount(ENGLISH, text, code).fault).toStartWith(fault),
  )

  test.each([
    ['0', 'The amount must be more than zero.'],
    ['-5', 'The amount must be more than zero.'],
    ['1000000000000001', 'The amount is too large: at most 1,000,000,000,000,000.'],
  ])('%p is out of range', (text, fault) =>
    expect(writtenAmount(ENGLISH, text, 'GBP').fault).toBe(fault),
  )

  test('reads every amount that the pages write into a URL', () => {
    const amounts = fc.double({ min: 1e-7, max: 1e15, noNaN: true })
    fc.assert(
      fc.property(amounts, (amount) => {
        const shown = Number(amount.toPrecision(12))
        expect(writtenAmount(ENGLISH, plainNumberText(shown), 'GBP').amount).toBe(shown)
      }),
    )
  })

  test("reads an amount of money in any country's notation", () => {
    const writers: ((amount: number) => string)[] = [
      (amount) => new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(amount),
      ...['en', 'de', 'fr', 'de-CH', 'pt', 'ar-EG', 'sw'].map(
        (locale) => (amount: number) =>
          new Intl.NumberFormat(locale, {
            minimumFractionDigits: 2,
            maximumFractionDigits: 2,
          }).format(amount),
      ),
      (amount) => `£${amount.toFixed(2)}`,
      (amount) => `${amount.toFixed(2)} GBP`,
      (amount) => new Intl.NumberFormat('en-GB', CURRENCY).format(amount),
      (amount) => new Intl.NumberFormat('de', CURRENCY).format(amount),
    ]
    const cents = fc.integer({ min: 1, max: 1e14 })
    fc.assert(
      fc.property(cents, fc.constantFrom(...writers), (count, write) => {
        const amount = count / 100
        expect(writtenAmount(ENGLISH, write(amount), 'GBP').amount).toBe(amount)
      }),
      { numRuns: 1000 },
    )
  })

  test('never reads other digits than those of the string', () => {
    const text = fc.string({ unit: fc.constantFrom(..."0123456789.,  £€-eGBP'"), maxLength: 12 })
    fc.assert(
      fc.property(text, (written) => {
        const { amount } = writtenAmount(ENGLISH, written, 'GBP')
        if (amount === null) return
        const digits = (of: string) => of.replace(/\D/g, '').replace(/^0+|0+$/g, '')
        expect(digits(plainNumberText(amount))).toBe(digits(written))
      }),
      { numRuns: 2000 },
    )
  })
})

const CURRENCY = { style: 'currency', currency: 'GBP' } as const
