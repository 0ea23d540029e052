import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { atSomeTime, crossMid, isConstant, joinedSources, type Reference } from '~/domain/mid.ts'
import { rates } from '../support/quotes.ts'

const reference = (currency: string, perUsd: number, more: Partial<Reference> = {}): Reference => ({
  id: 1,
  atMs: 1000,
  currency,
  perUsd,
  source: 'feed',
  ...more,
})

const legs = (count: number) =>
  fc.tuple(
    ...['KES', 'NGN', 'GBP'].slice(0, count).map((code) => rates.map((rate) => ({ code, rate }))),
  )

describe('crossMid', () => {
  test('returns usd(to) / usd(from)', () => {
    expect(crossMid(reference('GBP', 0.8), reference('KES', 128)).rate).toBe(160)
  })

  test('returns the target leg alone from the dollar, with its rate, source and time', () => {
    const usd = reference('USD', 1, { atMs: 5, source: 'other' })
    const kes = reference('KES', 128, { atMs: 9, source: 'feed' })
    expect(crossMid(usd, kes)).toEqual({
      rate: 128,
      source: 'feed',
      atMs: 9,
      basis: 'single',
      dispersionBps: null,
    })
  })

  test('returns the source leg alone to the dollar, inverted', () => {
    const usd = reference('USD', 1, { atMs: 5, source: 'other' })
    const kes = reference('KES', 128, { atMs: 9, source: 'feed' })
    expect(crossMid(kes, usd)).toEqual({
      rate: 1 / 128,
      source: 'feed',
      atMs: 9,
      basis: 'single',
      dispersionBps: null,
    })
  })

  test('has the time of its older leg, on whichever side that is', () => {
    const early = { atMs: 10 }
    const late = { atMs: 20 }
    expect(crossMid(reference('GBP', 1, early), reference('KES', 1, late)).atMs).toBe(10)
    expect(crossMid(reference('GBP', 1, late), reference('KES', 1, early)).atMs).toBe(10)
  })

  test('adds the dispersions of its legs if feeds or pegs back both', () => {
    const [kes, eur, aed] = [
      reference('KES', 128, { id: 2, basis: 'consensus', dispersionBps: 10 }),
      reference('XOF', 600, { id: 3, source: 'peg:EUR+ecb', basis: 'peg', dispersionBps: 7 }),
      reference('AED', 3.6725, { id: 0, source: 'peg:USD', basis: 'peg' }),
    ]
    const backed = (from: Reference, to: Reference) => {
      const { basis, dispersionBps } = crossMid(from, to)
      return [basis, dispersionBps]
    }
    expect(backed(reference('GBP', 0.8, { ...kes, id: 4 }), kes)).toEqual(['consensus', 20])
    expect(backed(kes, eur)).toEqual(['peg', 17])
    expect(backed(aed, eur)).toEqual(['peg', 7])
    expect(backed(aed, reference('BHD', 0.376, { ...aed, id: 9 }))).toEqual(['peg', null])
    expect(backed(kes, reference('GBP', 0.8, { dispersionBps: 5 }))).toEqual(['single', null])
    expect(backed({ ...kes, basis: 'disputed' }, eur)).toEqual(['disputed', null])
    const unknown = reference('GBP', 0.8, { basis: 'consensus', dispersionBps: null })
    expect(backed(unknown, kes)).toEqual(['consensus', null])
  })

  test('has no dispersion between two currencies that follow one reference', () => {
    const followed = { id: 3, source: 'peg:EUR+ecb', basis: 'peg', dispersionBps: 7 } as const
    const { basis, dispersionBps } = crossMid(
      reference('XOF', 600, followed),
      reference('XAF', 600, followed),
    )
    expect([basis, dispersionBps]).toEqual(['peg', null])
    const euro = reference('EUR', 0.9, { id: 3, basis: 'consensus', dispersionBps: 7 })
    expect(crossMid(euro, reference('XOF', 600, followed))).toMatchObject({
      ...{ basis: 'peg', dispersionBps: null },
    })
  })

  test('names one source once, and joins two by a plus in the order of the legs', () => {
    const a = { source: 'ecb' }
    const b = { source: 'open-er-api' }
    expect(crossMid(reference('GBP', 1, a), reference('KES', 1, a)).source).toBe('ecb')
    expect(crossMid(reference('GBP', 1, a), reference('KES', 1, b)).source).toBe('ecb+open-er-api')
    expect(crossMid(reference('GBP', 1, b), reference('KES', 1, a)).source).toBe('open-er-api+ecb')
  })

  test('gives one when multiplied by the mid of the reverse corridor', () => {
    fc.assert(
      fc.property(legs(2), ([a, b]) => {
        const [from, to] = [reference(a!.code, a!.rate), reference(b!.code, b!.rate)]
        expect(crossMid(from, to).rate * crossMid(to, from).rate).toBeCloseTo(1, 14)
      }),
    )
  })

  test('gives the same through a third currency', () => {
    fc.assert(
      fc.property(legs(3), (all) => {
        const [a, b, c] = all.map(({ code, rate }) => reference(code, rate))
        const over = crossMid(a!, b!).rate * crossMid(b!, c!).rate
        const direct = crossMid(a!, c!).rate
        expect(Math.abs(over / direct - 1)).toBeLessThan(1e-14)
      }),
    )
  })
})

describe('joinedSources', () => {
  test('names each feed once, including those inside joined names, in order of appearance', () => {
    expect(joinedSources(['ecb', 'open-er-api+ecb', 'ecb'])).toBe('ecb+open-er-api')
    expect(joinedSources(['b+a', 'c', 'a'])).toBe('b+a+c')
    expect(joinedSources(['b', 'peg:EUR+b'])).toBe('peg:EUR+b')
    expect(joinedSources([])).toBe('')
  })
})

describe('atSomeTime', () => {
  const nowMs = Date.parse('2026-03-05T14:25:30.500Z')

  test('isConstant is true if the mid has pegs alone as sources', () => {
    const constant = ['peg:USD', 'peg:XOF+peg:EUR', 'peg:EUR+ecb', 'ecb', ''].map((source) =>
      isConstant({ source }),
    )
    expect(constant).toEqual([true, true, false, false, false])
  })

  test('dates a mid that holds at any time to the top of the hour', () => {
    const peg = { rate: 3.6725, source: 'peg:USD', atMs: Number.POSITIVE_INFINITY }
    expect(atSomeTime(peg, nowMs)).toEqual({ ...peg, atMs: Date.parse('2026-03-05T14:00:00Z') })
  })

  test('keeps the time of a mid from a feed', () => {
    const said = { rate: 129, source: 'feed', atMs: nowMs - 1 }
    expect(atSomeTime(said, nowMs)).toBe(said)
  })
})
