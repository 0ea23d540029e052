import { describe, expect, test } from 'bun:test'
import { ServiceError } from '~/domain/errors.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { supportedCode, supportedCorridor } from '~/service/supported.ts'
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

describe('supportedCode', () => {
  test('is the active code, trimmed and in upper case', () => {
    expect(supportedCode(catalogue, ' kes ', 'from')).toBe('KES')
    expect(supportedCode(catalogue, 'usdt', 'from')).toBe('USDT')
  })

  test('repeats what was asked for without its wide blanks', () => {
    const { message } = failureOf(() => supportedCode(catalogue, '!  \u00a0-', 'to'))
    expect(message).toStartWith('to: "! -" is not a supported currency')
  })

  test('fails for unknown, inactive and impossible codes, and says which there are', () => {
    for (const text of ['XXX', 'SLL', '', 'KE', 'KES1', 'KESKES', '🇰🇪', '__proto__']) {
      const { code, message, details } = failureOf(() => supportedCode(catalogue, text, 'to'))
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

  test('shows what was sent, quoted, and of a long text only its beginning', () => {
    expect(failureOf(() => supportedCode(catalogue, 'X"\n', 'to')).message).toContain('"X\\"\\n"')
    const { message } = failureOf(() => supportedCode(catalogue, 'x'.repeat(10_000), 'to'))
    expect(message.length).toBeLessThan(150)
  })
})

describe('supportedCorridor', () => {
  test('is both codes', () => {
    const corridor = supportedCorridor(catalogue, { from: 'usd', to: 'kes' })
    expect(corridor).toEqual({ from: 'USD', to: 'KES' })
  })

  test('two names of one currency are no corridor', () => {
    const same = () => supportedCorridor(catalogue, { from: 'usd', to: ' USD' })
    expect(failureOf(same).code).toBe('same_currency')
  })

  test('an unsupported code is told before both being the same, the source first', () => {
    const both = failureOf(() => supportedCorridor(catalogue, { from: 'XXX', to: 'XXX' }))
    expect(both.code).toBe('unsupported_currency')
    expect(both.details.parameter).toBe('from')
    const second = failureOf(() => supportedCorridor(catalogue, { from: 'USD', to: 'SLL' }))
    expect(second.details.parameter).toBe('to')
  })
})
