import { describe, expect, test } from 'bun:test'
import { CurrencyNames, currencyNamesOf } from '~/domain/naming/currencies.ts'

const CURRENCIES = [
  { code: 'GHS', name: 'Ghanaian cedi' },
  { code: 'KES', name: 'Kenyan shilling' },
  { code: 'NGN', name: 'Nigerian naira' },
  { code: 'USD', name: 'US dollar' },
]

describe('CurrencyNames of a few currencies', () => {
  const names = new CurrencyNames(CURRENCIES)

  test.each([
    ['₦', 'NGN'],
    ['GH ₵', 'GHS'],
    ['US$', 'USD'],
    [' $ ', 'USD'],
  ])('the sign %j is that of %s', (sign, code) => {
    expect(names.signed(sign)).toBe(code)
    expect(names.meaning(sign)).toEqual({ kind: 'one', id: code })
  })

  test.each(['£', '€', 'Uganda', 'EUR', 'sterling', '?', ''])(
    '%j is the sign of none of them',
    (text) => {
      expect(names.signed(text)).toBeNull()
      expect(names.meaning(text)).toMatchObject({ kind: 'none', near: [] })
    },
  )

  test('a country means those of its currencies that are listed', () => {
    expect(names.meaning('Zimbabwe')).toEqual({ kind: 'one', id: 'USD' })
    expect(names.meaning('Kenya')).toEqual({ kind: 'one', id: 'KES' })
    expect(names.meaning('CEMAC')).toMatchObject({ kind: 'none', near: [] })
    const { kind, ids } = names.meaning('EAC') as { kind: string; ids?: readonly string[] }
    expect([kind, ids?.toSorted()]).toEqual(['several', ['KES', 'USD']])
  })

  test('a name of several begins with the one that is meant most', () => {
    const dollars = ['AUD', 'USD'].map((code) => ({ code, name: code }))
    const meaning = new CurrencyNames(dollars).meaning('dollar')
    expect(meaning).toEqual({ kind: 'several', ids: ['USD', 'AUD'] })
  })

  test('are sorted once for each list', () => {
    expect(currencyNamesOf(CURRENCIES)).toBe(currencyNamesOf(CURRENCIES))
    expect(currencyNamesOf([...CURRENCIES])).not.toBe(currencyNamesOf(CURRENCIES))
  })
})
