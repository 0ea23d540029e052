import { describe, expect, test } from 'bun:test'
import { ServiceError } from '~/domain/errors.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { supportedCodes, supportedCorridor } from '~/service/supported.ts'
import { CURRENCIES } from '../support/catalogue.ts'

const catalogue = new CatalogueIndex({ currencies: CURRENCIES, providers: [] })

function failureOf(work: () => unknown): ServiceError {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error
  }
  throw new Error('no ServiceError')
}

const codesOf = (from: string[], to: string[]) => supportedCodes(catalogue, { from, to })
const faultOf = (text: string) => failureOf(() => codesOf(['USD'], [text]))

describe('supportedCodes', () => {
  test('returns the active codes of each side, trimmed, in upper case, once and in order', () => {
    expect(codesOf([' kes ', 'usdt', 'KES'], ['NGN'])).toEqual({
      from: ['KES', 'USDT'],
      to: ['NGN'],
    })
  })

  test('repeats the given string without wide blanks', () => {
    const { message } = faultOf('!  \u00a0-')
    expect(message).toStartWith('to: "! -" is not a supported currency')
  })

  test('fails for unknown, inactive and impossible codes, and lists the supported ones', () => {
    for (const text of ['XXX', 'SLL', '', 'KE', 'KES1', 'KESKES', '🇰🇪', '__proto__']) {
      const { code, message, details } = faultOf(text)
      expect(code).toBe('unsupported_currency')
      expect(message).toStartWith('to: ')
      expect(details).toEqual({
        parameter: 'to',
        supported_currencies: [
          'EUR',
          'GBP',
          'KES',
          'NGN',
          'UGX',
          'USD',
          'USDC',
          'USDT',
          'XOF',
          'ZAR',
        ],
      })
    }
  })

  test('shows the given string in quotes, and only the beginning of a long one', () => {
    expect(faultOf('X"\n').message).toContain('"X\\"\\n"')
    const { message } = faultOf('x'.repeat(10_000))
    expect(message.length).toBeLessThan(150)
  })

  test('names all unsupported codes of both sides', () => {
    const { message, details } = failureOf(() => codesOf(['XXX', 'USD'], ['KES', 'SLL', 'YYY']))
    expect(message).toBe(
      'from: "XXX"; to: "SLL", "YYY" are not supported currencies; use those in ' +
        'supported_currencies',
    )
    expect(details.parameter).toBe('from')
  })

  test('returns a readable error however much is unsupported', () => {
    const texts = Array.from({ length: 20 }, (_, i) => `${i}${'x'.repeat(200)}`)
    expect(failureOf(() => codesOf(texts, ['KES'])).message.length).toBeLessThan(1000)
  })

  test('names the paths that take lists when a list is given for one code', () => {
    const { code, message, details } = failureOf(() => codesOf(['XXX'], ['KES,NGN']))
    expect([code, details.parameter]).toEqual(['unsupported_currency', 'from'])
    expect(message).toBe(
      'from: "XXX" is not a supported currency; use one of supported_currencies; ' +
        'to: "KES,NGN" is a list, and here to is one currency; /fetch-multi and /fetch-matrix ' +
        'take lists in to (as a tool: fetch_rates)',
    )
    const both = failureOf(() => codesOf(['USD,GBP'], ['KES,NGN'])).message
    expect(both).toContain('/fetch-many-to-one and /fetch-matrix take lists in from')
    expect(both).toContain('/fetch-multi and /fetch-matrix take lists in to')
    expect(both).not.toContain('not a supported currency')
  })
})

describe('supportedCorridor', () => {
  test('returns both codes', () => {
    const corridor = supportedCorridor(catalogue, { from: 'usd', to: 'kes' })
    expect(corridor).toEqual({ from: 'USD', to: 'KES' })
  })

  test('refuses two names of one currency', () => {
    const same = () => supportedCorridor(catalogue, { from: 'usd', to: ' USD' })
    expect(failureOf(same).code).toBe('same_currency')
  })

  test('reports an unsupported code before equal codes, the source first', () => {
    const both = failureOf(() => supportedCorridor(catalogue, { from: 'XXX', to: 'XXX' }))
    expect(both.code).toBe('unsupported_currency')
    expect(both.details.parameter).toBe('from')
    expect(both.message).toStartWith('from: "XXX"; to: "XXX" are not supported')
    const second = failureOf(() => supportedCorridor(catalogue, { from: 'USD', to: 'SLL' }))
    expect(second.details.parameter).toBe('to')
  })
})
