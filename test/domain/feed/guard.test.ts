import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ReferenceAnswer } from '~/domain/feed/feed.ts'
import { answerFault, GUARD_RULES, isWithin, trustingRules } from '~/domain/feed/guard.ts'

const NOW = Date.parse('2024-07-29T14:07:00Z')
const KNOWN = ['NGN', 'KES', 'GHS', 'ZAR']
const GOOD = { USD: '1', NGN: '1604.551', KES: '131.25', GHS: '15.47', ZAR: '18.27' }

type Options = Partial<Omit<Parameters<typeof answerFault>[0], 'answer'>>

function faultOf(
  rates: Record<string, string>,
  more: Partial<ReferenceAnswer> = {},
  options: Options = {},
): string | null {
  const perUsd = new Map(Object.entries(rates))
  return answerFault({
    answer: { base: 'USD', upstreamMs: NOW - 3_600_000, perUsd, ...more },
    known: KNOWN,
    published: null,
    isFiller: false,
    nowMs: NOW,
    rules: GUARD_RULES,
    ...options,
  })
}

describe('answerFault', () => {
  test('accepts a plain response, with or without the dollar', () => {
    expect(faultOf(GOOD)).toBeNull()
    const { USD, ...rest } = GOOD
    expect(faultOf(rest)).toBeNull()
  })

  test('refuses a base that is not the dollar', () => {
    expect(faultOf(GOOD, { base: 'EUR' })).toBe('has prices per EUR, not per USD')
    expect(faultOf(GOOD, { base: '<script>' })).toBe('has prices per something else, not per USD')
    expect(faultOf({ ...GOOD, USD: '1.0818' })).toMatch(/dollar is not one/)
    for (const one of ['1', '1.0', '1.000000']) expect(faultOf({ ...GOOD, USD: one })).toBeNull()
  })

  test('refuses numbers that are not per dollar, whatever base the response names', () => {
    const pegs = { AED: 3.6725, SAR: 3.75, DJF: 177.721 }
    const scaled = (factor: number) =>
      Object.fromEntries(Object.entries(pegs).map(([code, rate]) => [code, String(rate * factor)]))
    const { USD, ...rest } = GOOD
    expect(faultOf({ ...rest, ...scaled(1.02) })).toBeNull()
    expect(faultOf({ ...rest, ...scaled(1.0818) })).toMatch(/AED, DJF, SAR far from their pegs/)
    expect(faultOf({ ...rest, ...scaled(10) })).toMatch(/not per USD/)
    expect(faultOf({ ...rest, ...scaled(1), AED: '5' })).toBeNull()
    expect(faultOf({ ...rest, AED: '5' })).toBeNull()
    const half = { ...rest, ...scaled(1), AED: '5', HKD: '9', QAR: '5' }
    expect(faultOf({ ...half, OMR: '0.3845' })).toBeNull()
    expect(faultOf(half)).toMatch(/AED, HKD, QAR far from their pegs/)
  })

  test.each([
    '0',
    '0.0',
    '-5',
    'NaN',
    '1e400',
    'Infinity',
    '',
    '1e3',
    ' 1',
    '1,5',
    '0x10',
    '1e-13',
  ])('%p as a price of a known currency', (text) => {
    expect(faultOf({ ...GOOD, NGN: text })).toBe('gives a number for NGN that is not a valid price')
  })

  test('accepts prices from 1e-12 to 1e12, and no others', () => {
    for (const text of ['0.000000000001', '1000000000000'])
      expect(faultOf({ ...GOOD, NGN: text })).toBeNull()
    for (const text of ['0.0000000000009', '1000000000000.1'])
      expect(faultOf({ ...GOOD, NGN: text })).not.toBeNull()
  })

  test('accepts any value of a currency that was not requested', () => {
    expect(faultOf({ ...GOOD, XYZ: '0' })).toBeNull()
  })

  test('reports how many days old an outdated response is', () => {
    const days = { upstreamMs: NOW - 8.5 * 86_400_000 }
    expect(faultOf(GOOD, days)).toBe('gives rates that are 8 days old by its own date')
  })

  test('refuses a time from 1970, one from tomorrow, and none', () => {
    expect(faultOf(GOOD, { upstreamMs: 0 })).toMatch(/days old/)
    expect(faultOf(GOOD, { upstreamMs: NOW + 86_400_000 })).toMatch(/future/)
    expect(faultOf(GOOD, { upstreamMs: Number.NaN })).toMatch(/no time/)
  })

  test('accepts a time at the bounds, and refuses it a millisecond beyond', () => {
    const { futureMaxMs, upstreamAgeMaxMs } = GUARD_RULES
    expect(faultOf(GOOD, { upstreamMs: NOW + futureMaxMs })).toBeNull()
    expect(faultOf(GOOD, { upstreamMs: NOW + futureMaxMs + 1 })).not.toBeNull()
    expect(faultOf(GOOD, { upstreamMs: NOW - upstreamAgeMaxMs })).toBeNull()
    expect(faultOf(GOOD, { upstreamMs: NOW - upstreamAgeMaxMs - 1 })).not.toBeNull()
  })

  test('refuses less than the due share of the known currencies, unless the feed only fills gaps', () => {
    expect(faultOf({ NGN: '1600', KES: '131' })).toBeNull()
    expect(faultOf({ NGN: '1600' })).toBe('has only 1 of 4 currencies')
    expect(faultOf({ NGN: '1600' }, {}, { isFiller: true })).toBeNull()
    expect(faultOf({ XYZ: '1' }, {}, { isFiller: true })).toBe(
      'has none of the requested currencies',
    )
  })

  test('measures the share against what the feed publishes', () => {
    expect(faultOf({ ZAR: '18' }, {}, { published: ['ZAR', 'JPY'] })).toBeNull()
    expect(faultOf({ NGN: '1600' }, {}, { published: ['JPY'] })).toMatch(/none/)
  })

  test('accepts only positive, finite prices', () => {
    const text = fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String))
    fc.assert(
      fc.property(fc.record({ NGN: text, KES: text, GHS: text, ZAR: text }), (rates) => {
        if (faultOf(rates) !== null) return
        for (const rate of Object.values(rates)) {
          expect(Number(rate)).toBeGreaterThan(0)
          expect(Number.isFinite(Number(rate))).toBe(true)
        }
      }),
    )
  })
})

describe('isWithin', () => {
  test('counts the bound itself as within, in both directions', () => {
    expect([isWithin(120, 100, 0.2), isWithin(100, 120, 0.2)]).toEqual([true, true])
    expect(isWithin(3.96, 3.3, 0.2)).toBe(true)
    expect([isWithin(120.001, 100, 0.2), isWithin(100, 120.001, 0.2)]).toEqual([false, false])
  })

  test('is symmetric, and accepts every move if the rules have no bound', () => {
    const price = fc.double({ min: 1e-12, max: 1e12, noNaN: true })
    const { moveMax } = trustingRules(GUARD_RULES)
    fc.assert(
      fc.property(price, price, (a, b) => {
        expect(isWithin(a, b, 0.2)).toBe(isWithin(b, a, 0.2))
        expect(isWithin(a, b, moveMax)).toBe(true)
      }),
    )
  })
})
