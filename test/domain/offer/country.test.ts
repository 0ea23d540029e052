import { describe, expect, test } from 'bun:test'
import { code as isoCurrency } from 'currency-codes'
import flags from 'flag-icons/country.json'
import {
  COUNTRIES,
  continentOf,
  countriesUsing,
  countryCode,
  countryFault,
} from '~/domain/offer/country.ts'

/** The Caribbean guilder, which replaced ANG in 2025. */
const YOUNGER_THAN_THE_LIST = 'XCG'

const codesUsing = (currency: string) => countriesUsing(currency).map(({ code }) => code)

describe('COUNTRIES', () => {
  test('has the 249 codes of ISO 3166-1, as another list has them', () => {
    const others = flags.filter(({ iso }) => iso).map(({ code }) => code.toUpperCase())
    expect([...COUNTRIES.keys()]).toEqual(others.sort())
    expect(COUNTRIES.size).toBe(249)
  })

  test('every one has a name of its own, in plain English', () => {
    const names = [...COUNTRIES.values()].map(({ name }) => name)
    expect(new Set(names).size).toBe(COUNTRIES.size)
    expect(names.filter((name) => name.trim() !== name || name.length < 4)).toEqual([])
    const shown = ['GB', 'GH', 'CI', 'CD', 'ST', 'CV', 'SZ', 'ZA'] as const
    expect(shown.map((code) => COUNTRIES.get(code)!.name)).toEqual([
      'United Kingdom',
      'Ghana',
      'Ivory Coast',
      'Democratic Republic of the Congo',
      'Sao Tome and Principe',
      'Cabo Verde',
      'Eswatini',
      'South Africa',
    ])
  })

  test('every country but Antarctica uses money, and each of its currencies is one of ISO 4217', () => {
    const without = [...COUNTRIES.values()].filter(({ currencies }) => currencies.length === 0)
    expect(without.map(({ code }) => code)).toEqual(['AQ'])
    const used = new Set([...COUNTRIES.values()].flatMap(({ currencies }) => currencies))
    const unknown = [...used].filter((currency) => !isoCurrency(currency))
    expect(unknown).toEqual([YOUNGER_THAN_THE_LIST])
  })

  test('no country uses a unit of account', () => {
    const currenciesOf = (code: string) => COUNTRIES.get(code)!.currencies
    expect(currenciesOf('CH')).toEqual(['CHF'])
    expect(currenciesOf('US')).toEqual(['USD'])
    expect(currenciesOf('BO')).toEqual(['BOB'])
    expect(currenciesOf('UY')).toEqual(['UYU'])
  })

  test('when the survey prices dollars, dollars come first and the local currency second', () => {
    const all = ['LR', 'SO', 'SS', 'ZW', 'CD'].map((code) => COUNTRIES.get(code)!.currencies)
    expect(all).toEqual([
      ['USD', 'LRD'],
      ['USD', 'SOS'],
      ['USD', 'SSP'],
      ['USD', 'ZWG'],
      ['CDF', 'USD'],
    ])
  })
})

describe('continentOf', () => {
  test('is the continent in English', () => {
    expect(['GH', 'GB', 'BR', 'PH'].map(continentOf)).toEqual([
      ...['Africa', 'Europe', 'South America', 'Asia'],
    ])
  })
})

describe('countriesUsing', () => {
  test('the franc of West Africa is used in eight countries, and that of Central Africa in six', () => {
    expect(codesUsing('XOF')).toEqual(['BF', 'BJ', 'CI', 'GW', 'ML', 'NE', 'SN', 'TG'])
    expect(codesUsing('XAF')).toEqual(['CF', 'CG', 'CM', 'GA', 'GQ', 'TD'])
  })

  test('a currency that no country uses is used in none', () => {
    expect(codesUsing('USDT')).toEqual([])
    expect(codesUsing('')).toEqual([])
  })
})

describe('countryCode', () => {
  test.each([
    ['GB', 'GB'],
    ['gb', 'GB'],
    [' Gh ', 'GH'],
    ['GB'.padEnd(64), 'GB'],
  ])('%p is %s', (text, code) => {
    expect(countryCode(text)).toBe(code)
  })

  test.each([
    ...['', 'UK', 'uk', 'XX', 'XK', 'AC', 'EU', 'GBR', 'G', 'Ghana', '826', 'G B', 'ｇｂ'],
    ...['__proto__', 'GB'.padEnd(65)],
  ])('%p is not a country', (text) => {
    expect(countryCode(text)).toBeNull()
  })
})

describe('countryFault', () => {
  test('an error for a code in common use names the code that is meant', () => {
    expect(countryFault('UK')).toEndWith('; United Kingdom is GB')
    expect(countryFault('el')).toEndWith('; Greece is GR')
    expect(countryFault(' uk'.padEnd(64))).toEndWith('; United Kingdom is GB')
  })

  test('an error for any other string describes a country code', () => {
    expect(countryFault('XX')).toBe('is not an ISO 3166-1 alpha-2 country code, such as GH')
    expect(countryFault('constructor')).toBe(countryFault('XX'))
    expect(countryFault('UK'.padEnd(65))).toBe(countryFault('XX'))
  })
})
