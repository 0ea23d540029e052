import { describe, expect, test } from 'bun:test'
import type { Peg } from '~/domain/currency.ts'
import { PEGS_MAX, pegFault } from '~/domain/price/peg.ts'

describe('pegFault', () => {
  const one = (code: string, to: string | null, kind = 'fiat') => {
    const peg: Peg | null = to === null ? null : { to, rate: 2 }
    return { code, kind, peg }
  }
  const catalogue = [one('EUR', null), one('XOF', 'EUR'), one('USDT', null, 'stablecoin')]
  const fault = (currency: ReturnType<typeof one>, ...more: ReturnType<typeof one>[]) => {
    const all = [currency, ...more, ...catalogue]
    return pegFault(currency, (code) => all.find((other) => other.code === code))
  }

  test('a currency without a peg, or pegged to a fiat currency that may itself be pegged, is valid', () => {
    expect(fault(one('KES', null))).toBeNull()
    expect(fault(one('XAF', 'EUR'))).toBeNull()
    expect(fault(one('XAF', 'XOF'))).toBeNull()
    expect(fault(one('DJF', 'USD'), one('USD', null))).toBeNull()
  })

  test('a peg to itself, in a circle, to a stablecoin or to nothing is reported', () => {
    expect(fault(one('KES', 'KES'))).toBe('is pegged to itself')
    expect(fault(one('KES', 'UGX'), one('UGX', 'KES'))).toBe('is pegged to UGX in a circle')
    expect(fault(one('KES', 'UGX'), one('UGX', 'TZS'), one('TZS', 'UGX'))).toContain('circle')
    expect(fault(one('KES', 'USDT'))).toBe('is pegged to USDT, which is a stablecoin')
    expect(fault(one('KES', 'ZZZ'))).toContain('which the catalogue does not have')
  })

  test('a chain of pegs is reported once it is longer than its bound', () => {
    const codes = Array.from({ length: PEGS_MAX + 2 }, (_, i) => `K${String.fromCharCode(65 + i)}A`)
    const chain = codes.map((code, i) => one(code, codes[i + 1] ?? null))
    const [tooLong, longest] = chain
    expect(fault(longest!, ...chain)).toBeNull()
    expect(fault(tooLong!, ...chain)).toBe(
      `is pegged to ${codes[1]}, which more than 9 further pegs follow: peg it to the last of them`,
    )
  })

  test('the dollar and stablecoins must not have a peg', () => {
    expect(fault(one('USD', 'EUR'))).toContain('can have no peg')
    expect(fault(one('USDC', 'EUR', 'stablecoin'))).toContain('can have no peg')
  })
})
