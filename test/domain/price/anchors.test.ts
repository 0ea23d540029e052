import { describe, expect, test } from 'bun:test'
import { Anchors } from '~/domain/price/anchors.ts'
import { PEGS_MAX } from '~/domain/price/peg.ts'
import { currency } from '../../support/catalogue.ts'

const EUR = { id: 7, atMs: 1_000, currency: 'EUR', perUsd: 0.8, source: 'ecb' }
const DOLLAR = { ...EUR, currency: 'USD', perUsd: 1 }
const XOF = currency('XOF', { peg: { to: 'EUR', rate: 655.957 } })
const AED = currency('AED', { peg: { to: 'USD', rate: 3.6725 } })
const anchors = new Anchors([currency('USD'), currency('EUR'), XOF, AED, currency('KES')])

describe('Anchors', () => {
  test("a peg is the anchor's reference times the rate, with its time, and names the peg", () => {
    expect(anchors.of('XOF')).toBe('EUR')
    expect(anchors.reference('XOF', EUR)).toEqual({
      id: 7,
      atMs: 1_000,
      currency: 'XOF',
      perUsd: 0.8 * 655.957,
      source: 'peg:EUR+ecb',
      basis: 'peg',
      dispersionBps: null,
    })
  })

  test('a currency without a peg is its own anchor, and keeps its reference as it is', () => {
    expect(anchors.of('EUR')).toBe('EUR')
    expect(anchors.reference('EUR', EUR)).toBe(EUR)
  })

  test("a peg to the dollar has its rate at the time of the feed's last rate", () => {
    expect(anchors.of('AED')).toBe('USD')
    expect(anchors.reference('AED', DOLLAR)).toMatchObject({ perUsd: 3.6725, atMs: 1_000 })
  })

  test('a chain of pegs leads to its end', () => {
    const chain = new Anchors([
      currency('EUR'),
      XOF,
      currency('AAA', { peg: { to: 'XOF', rate: 2 } }),
    ])
    expect(chain.of('AAA')).toBe('EUR')
    expect(chain.reference('AAA', EUR)).toMatchObject({
      currency: 'AAA',
      perUsd: 0.8 * 655.957 * 2,
      source: 'peg:XOF+peg:EUR+ecb',
    })
  })

  test('a chain of the longest pegs has a price, and a longer one counts as none', () => {
    const codes = Array.from({ length: PEGS_MAX + 2 }, (_, i) => `K${String.fromCharCode(65 + i)}A`)
    const chain = new Anchors(
      codes.map((code, i) =>
        currency(code, { peg: i === 0 ? null : { to: codes[i - 1]!, rate: 1e9 } }),
      ),
    )
    const [anchor, longest, tooLong] = [codes[0]!, codes.at(-2)!, codes.at(-1)!]
    expect(chain.of(longest)).toBe(anchor)
    expect(chain.worth(longest, 1e12)).toBeFinite()
    expect(chain.of(tooLong)).toBe(tooLong)
  })

  test('neither a stablecoin nor an unknown currency is priced', () => {
    const some = new Anchors([currency('USDT', { kind: 'stablecoin' })])
    expect(some.of('USDT')).toBeUndefined()
    expect(some.of('XYZ')).toBeUndefined()
  })

  test('a peg to nothing, to a stablecoin or in a circle counts as none', () => {
    const odd = new Anchors([
      currency('USDT', { kind: 'stablecoin' }),
      currency('AAA', { peg: { to: 'XYZ', rate: 2 } }),
      currency('BBB', { peg: { to: 'USDT', rate: 2 } }),
      currency('CCC', { peg: { to: 'DDD', rate: 2 } }),
      currency('DDD', { peg: { to: 'CCC', rate: 2 } }),
      currency('EEE', { peg: { to: 'CCC', rate: 2 } }),
    ])
    for (const code of ['AAA', 'BBB', 'CCC', 'DDD', 'EEE']) {
      expect(odd.of(code)).toBe(code)
      const own = { ...EUR, currency: code }
      expect(odd.reference(code, own)).toBe(own)
    }
  })

  test('a disputed anchor leaves what is pegged to it disputed', () => {
    const disputed = { ...EUR, basis: 'disputed' } as const
    expect(anchors.reference('XOF', disputed).basis).toBe('disputed')
  })

  test('a currency pegged to the dollar has a price at any time, and no other has', () => {
    expect(anchors.constant('AED')).toMatchObject({
      ...{ currency: 'AED', perUsd: 3.6725, source: 'peg:USD', basis: 'peg' },
      atMs: Number.POSITIVE_INFINITY,
    })
    for (const code of ['USD', 'EUR', 'XOF', 'XYZ']) expect(anchors.constant(code)).toBeUndefined()
  })

  test('anchors are equal if every currency is priced the same way', () => {
    const listed = (...more: Parameters<typeof currency>[1][]) =>
      new Anchors([XOF, ...more.map((one) => currency('EUR', one))])
    expect(listed({}).isSame(listed({ name: 'Euro', isActive: false }))).toBe(true)
    expect(listed({}).isSame(new Anchors([currency('EUR'), XOF]))).toBe(true)
    const devalued = currency('XOF', { peg: { to: 'EUR', rate: 656 } })
    expect(listed({}).isSame(new Anchors([devalued, currency('EUR')]))).toBe(false)
    expect(listed({}).isSame(listed())).toBe(false)
    expect(listed({}).isSame(listed({ kind: 'stablecoin' }))).toBe(false)
    expect(listed({}).isSame(new Anchors([currency('EUR'), currency('XOF')]))).toBe(false)
  })
})
