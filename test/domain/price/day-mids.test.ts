import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Reference } from '~/domain/mid.ts'
import { Anchors } from '~/domain/price/anchors.ts'
import { dayMidsOf, legsOf, momentsOf, type Probe, probesOf } from '~/domain/price/day-mids.ts'
import type { Quote } from '~/domain/quote.ts'
import { currency } from '../../support/catalogue.ts'
import { answersOf } from '../../support/days.ts'
import { quote } from '../../support/quotes.ts'

const AT_MS = Date.parse('2026-03-05T14:00:00.000Z')
const anchors = new Anchors([
  ...['USD', 'EUR', 'GBP', 'KES'].map((code) => currency(code)),
  currency('XOF', { peg: { to: 'EUR', rate: 655.957 } }),
  currency('AED', { peg: { to: 'USD', rate: 3.6725 } }),
  currency('USDT', { kind: 'stablecoin' }),
])
const reference = (code: string, perUsd: number, agoMs = 0): Reference => ({
  id: 1,
  atMs: AT_MS - agoMs,
  currency: code,
  perUsd,
  source: 'feed',
})

const mids = (more: Partial<Quote>, ...references: Reference[]) =>
  dayMidsOf(quote({ atMs: AT_MS, ...more }), {
    anchors,
    referenceAt: (probe) => answersOf(references, [probe])[0]!.reference ?? undefined,
    maxAgeMs: HOUR_MS,
  })

const asked = (...quotes: Partial<Quote>[]): string[] =>
  probesOf(
    momentsOf(
      quotes.map((more) => quote({ atMs: AT_MS, ...more })),
      anchors,
    ),
  )
    .map(({ currency: code, atMs }: Probe) => `${code} ${atMs - AT_MS}`)
    .sort()

describe('legsOf', () => {
  test('returns each anchor once, but neither the dollar nor currencies that feeds do not cover', () => {
    const codes = ['USD', 'XOF', 'AED', 'EUR', 'KES', 'USDT', 'XYZ']
    expect(legsOf(codes, anchors)).toEqual(['EUR', 'KES'])
    expect(legsOf([], anchors)).toEqual([])
  })
})

describe('momentsOf', () => {
  test('returns both legs except the dollar, each anchor and time once', () => {
    expect(asked({ from: 'USD', to: 'KES' })).toEqual(['KES 0'])
    expect(asked({ from: 'GBP', to: 'KES' }, { from: 'KES', to: 'GBP' })).toEqual([
      'GBP 0',
      'KES 0',
    ])
    expect(asked({ from: 'EUR', to: 'XOF' }, { to: 'XOF', atMs: AT_MS - 1 })).toEqual([
      'EUR -1',
      'EUR 0',
    ])
  })

  test('returns nothing if a leg is pegged to the dollar', () => {
    expect(asked({ from: 'USD', to: 'AED' })).toEqual([])
  })

  test('returns the currency of a fee that is in neither leg', () => {
    const fee = { from: 'GBP', to: 'KES', fee: 1 }
    expect(asked({ ...fee, feeCurrency: 'EUR' })).toEqual(['EUR 0', 'GBP 0', 'KES 0'])
    expect(asked({ ...fee, feeCurrency: 'GBP' })).toEqual(['GBP 0', 'KES 0'])
    expect(asked({ ...fee, fee: 0, feeCurrency: 'EUR' })).toEqual(['GBP 0', 'KES 0'])
  })

  test('returns nothing that no feed covers', () => {
    expect(asked({ from: 'USDT', to: 'KES' })).toEqual(['KES 0'])
    expect(asked({ from: 'USD', to: 'XYZ' })).toEqual([])
  })
})

describe('dayMidsOf', () => {
  test('is 1 between dollars, at the time of the quote, whatever references there are', () => {
    const { midAtQuote } = mids({ from: 'USD', to: 'USD' })
    expect(midAtQuote).toEqual({
      rate: 1,
      source: '',
      atMs: AT_MS,
      basis: 'single',
      dispersionBps: null,
    })
  })

  test('needs no reference for a currency pegged to the dollar', () => {
    const { midAtQuote } = mids({ from: 'USD', to: 'AED' })
    expect(midAtQuote).toMatchObject({ rate: 3.6725, basis: 'peg', atMs: AT_MS })
  })

  test("is the pair's mid at that time, with the staler leg's time", () => {
    const { midAtQuote } = mids(
      { from: 'GBP', to: 'KES' },
      reference('GBP', 0.8, 5),
      reference('KES', 120),
    )
    expect(midAtQuote).toEqual({
      rate: 150,
      source: 'feed',
      atMs: AT_MS - 5,
      basis: 'single',
      dispersionBps: null,
    })
  })

  test('accepts a leg of exactly the greatest age, and none a millisecond older', () => {
    const pair = { from: 'GBP', to: 'KES' }
    const old = (more: number) => reference('GBP', 0.8, HOUR_MS + more)
    expect(mids(pair, reference('KES', 120), old(0)).midAtQuote?.rate).toBe(150)
    expect(mids(pair, reference('KES', 120), old(1)).midAtQuote).toBeNull()
  })

  test('is null without both legs, or with a stablecoin', () => {
    expect(mids({ from: 'GBP', to: 'KES' }, reference('KES', 120)).midAtQuote).toBeNull()
    expect(mids({ from: 'USD', to: 'KES' }, reference('GBP', 1)).midAtQuote).toBeNull()
    expect(mids({ from: 'USDT', to: 'KES' }, reference('KES', 120)).midAtQuote).toBeNull()
  })

  test('uses the peg, whatever feeds report of the pegged currency', () => {
    const said = [reference('EUR', 0.8), reference('XOF', 999)]
    expect(mids({ from: 'EUR', to: 'XOF' }, ...said).midAtQuote).toEqual({
      rate: 655.957,
      source: 'peg:EUR+feed',
      atMs: AT_MS,
      basis: 'peg',
      dispersionBps: null,
    })
    expect(mids({ from: 'USD', to: 'AED' }, ...said).midAtQuote?.rate).toBe(3.6725)
  })

  test('a fee in a third currency is priced in the source currency, by the same rules', () => {
    const pair = { from: 'GBP', to: 'KES', fee: 5 }
    const said = [reference('GBP', 0.8), reference('KES', 120), reference('EUR', 0.5, HOUR_MS)]
    expect(mids({ ...pair, feeCurrency: 'EUR' }, ...said).feeMidAtQuote).toBe(1.6)
    expect(mids({ ...pair, feeCurrency: 'USD' }, ...said).feeMidAtQuote).toBe(0.8)
    expect(mids({ ...pair, feeCurrency: 'KES' }, ...said).feeMidAtQuote).toBeNull()
    expect(mids({ ...pair, feeCurrency: 'XOF' }, ...said).feeMidAtQuote).toBe(0.8 / 327.9785)
    const late = said.map((one) => ({ ...one, atMs: one.atMs - 1 }))
    expect(mids({ ...pair, feeCurrency: 'EUR' }, ...late).feeMidAtQuote).toBeNull()
    expect(mids({ ...pair, from: 'USDT', feeCurrency: 'EUR' }, ...said).feeMidAtQuote).toBeNull()
  })
})
