import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { BankDay, BankRate } from '~/domain/source/day.ts'
import { daysWithin, evaluationOf, type KnownPrice } from '~/domain/source/guard.ts'
import { priceOf } from '~/domain/source/price.ts'

const DAY_MS = 86_400_000
/** Midnight in Nairobi. */
const AT_MS = Date.parse('2026-05-19T21:00:00Z')

const rate = (
  currency: string,
  central: string | null,
  more: Partial<BankRate> = {},
): BankRate => ({
  ...{ currency, unit: 1, buying: null, central, selling: null },
  ...more,
})

const RATES = [
  rate('USD', '129.3529'),
  rate('EUR', '146.2471'),
  rate('GBP', '171.8382'),
  rate('AED', '35.2221'),
  rate('SAR', '34.4876'),
]
const MIDS: Readonly<Record<string, number>> = {
  ...{ USD: 129.3, EUR: 146.4, GBP: 172, AED: 35.21, SAR: 34.48 },
}

type Case = {
  rates?: readonly BankRate[]
  days?: readonly BankDay[]
  mids?: Readonly<Record<string, number>>
  known?: readonly KnownPrice[]
}

const evaluated = ({ rates = RATES, days, mids = MIDS, known = [] }: Case) =>
  evaluationOf({
    days: days ?? [{ atMs: AT_MS, rates }],
    currency: 'KES',
    timeZone: 'Africa/Nairobi',
    isKnown: (code) => code !== 'XQX',
    midOf: (code) => mids[code] ?? null,
    known,
  })

const refusal = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'believed'
}

const replaced = (currency: string, by: BankRate) =>
  RATES.map((one) => (one.currency === currency ? by : one))

describe('evaluationOf', () => {
  test('accepts a day near its mids, each rate for one unit', () => {
    const { accepted, refused } = evaluated({})
    expect(refused).toEqual([])
    expect(accepted.map(({ from, rate: price, atMs }) => [from, price, atMs])).toEqual(
      RATES.map(({ currency, central }) => [currency, central!, AT_MS]),
    )
  })

  test('refuses a hundredfold and an inverted rate alone, with the day at the bank', () => {
    const hundredfold = evaluated({ rates: replaced('EUR', rate('EUR', '14624.71')) })
    expect(hundredfold.accepted).toHaveLength(4)
    expect(hundredfold.refused).toEqual([
      'gives EUR as 14624.71 where the mid is 146.4 (2026-05-20)',
    ])
    const inverted = evaluated({ rates: replaced('GBP', rate('GBP', '0.005819')) })
    expect(inverted.refused).toEqual(['gives GBP as 0.005819 where the mid is 172 (2026-05-20)'])
  })

  test('accepts nothing of a day with many rates off', () => {
    const rates = RATES.map((one) => ({
      ...one,
      central: String(1 / Number(one.central)).slice(0, 12),
    }))
    expect(refusal(() => evaluated({ rates }))).toStartWith(
      'states 5 of 5 rates that cannot be: gives USD as 0.00773',
    )
  })

  test('detects a wholly inverted day without a mid: the pegs of the Gulf contradict it', () => {
    const rates = RATES.map((one) => ({
      ...one,
      central: String(1 / Number(one.central)).slice(0, 12),
    }))
    expect(refusal(() => evaluated({ rates, mids: {} }))).toStartWith(
      'gives AED, SAR far from their pegs',
    )
  })

  test('refuses a hundredfold correction of a rate stated for the same day', () => {
    const known = [{ from: 'EUR', atMs: AT_MS, rate: '1.462471' }]
    expect(evaluated({ mids: {}, known }).refused).toEqual([
      expect.stringMatching(/^gives EUR as 146.* where it gave 1\.462471 for the same day/),
    ])
    const again = [{ ...known[0]!, rate: '147' }]
    expect(evaluated({ mids: {}, known: again }).refused).toEqual([])
  })

  test('compares a rate without a mid with the nearest known day', () => {
    const known = [{ from: 'EUR', atMs: AT_MS - 3 * DAY_MS, rate: '146' }]
    const tenfold = replaced('EUR', rate('EUR', '1462.471'))
    expect(evaluated({ rates: tenfold, mids: {}, known }).refused).toEqual([
      'gives EUR as 1462.471 where it was 146 on 2026-05-17 (2026-05-20)',
    ])
    const devalued = replaced('EUR', rate('EUR', '234'))
    expect(evaluated({ rates: devalued, mids: {}, known }).refused).toEqual([])
  })

  test('keeps accepting a bank whose price stays far from the mid', () => {
    const mids = { ...MIDS, EUR: 400 }
    const said = [{ from: 'EUR', atMs: AT_MS - DAY_MS, rate: '146' }]
    const longAgo = [{ from: 'EUR', atMs: AT_MS - 30 * DAY_MS, rate: '146' }]
    expect(evaluated({ mids, known: said }).refused).toEqual([])
    expect(evaluated({ mids, known: longAgo }).refused).toHaveLength(1)
    const fortnight = (more: number) => [{ ...said[0]!, atMs: AT_MS - 14 * DAY_MS - more }]
    expect(evaluated({ mids, known: fortnight(0) }).refused).toEqual([])
    expect(evaluated({ mids, known: fortnight(1) }).refused).toHaveLength(1)
  })

  test('leaves out an unknown currency, and names it', () => {
    const { accepted, unknown } = evaluated({ rates: [...RATES, rate('XQX', '5')] })
    expect([accepted.length, unknown]).toEqual([5, ['XQX']])
  })

  test('leaves out the currency of the bank itself, and a day without rates', () => {
    const own = evaluated({ rates: [...RATES, rate('KES', '1')] })
    expect([own.accepted.length, own.refused, own.unknown]).toEqual([5, [], []])
    expect(evaluated({ rates: RATES.slice(1) }).accepted).toHaveLength(4)
    expect(evaluated({ rates: RATES.toReversed() }).accepted).toHaveLength(5)
    for (const days of [[], [{ atMs: AT_MS, rates: [] }]])
      expect(evaluated({ days })).toEqual({ accepted: [], refused: [], unknown: [] })
  })

  test('accepts a rate stated twice once, and refuses two different ones', () => {
    expect(evaluated({ rates: [...RATES, RATES[1]!] }).accepted).toHaveLength(5)
    expect(evaluated({ rates: [...RATES, rate('EUR', '146.2')] }).refused).toEqual([
      'gives EUR twice, differently (2026-05-20)',
    ])
    expect(evaluated({ rates: [...RATES, rate('EUR', '-1')] }).refused).toEqual([
      'gives EUR twice, differently (2026-05-20)',
    ])
  })

  test('accepts the rest of a day with a quarter of its rates off, and nothing if more are', () => {
    const more = ['CHF', 'JPY', 'ZAR'].map((code) => rate(code, '100'))
    const off = replaced('EUR', rate('EUR', '1')).map((one) =>
      one.currency === 'GBP' ? rate('GBP', '1') : one,
    )
    const { accepted, refused } = evaluated({ rates: [...off, ...more] })
    expect([accepted.length, refused.length]).toEqual([6, 2])
    expect(refusal(() => evaluated({ rates: [...off, ...more.slice(1)] }))).toStartWith(
      'states 2 of 7 rates that cannot be: gives EUR as 1',
    )
    const few = evaluated({ rates: [...RATES.slice(0, 2), rate('GBP', '-1')] })
    expect([few.accepted.length, few.refused]).toEqual([
      2,
      ['gives a number for GBP that is not a valid price (2026-05-20)'],
    ])
    const lone = [rate('EUR', '1')]
    expect(refusal(() => evaluated({ rates: lone }))).toStartWith('states 1 of 1 rates')
  })

  test('compares a rate without a mid with the nearest day, whichever was known first', () => {
    const known = [-40, -3, 20].map((days) => ({
      ...{ from: 'EUR', atMs: AT_MS + days * DAY_MS, rate: String(146 + days / 100) },
    }))
    const rates = replaced('EUR', rate('EUR', '1462'))
    for (const all of [known, known.toReversed()])
      expect(evaluated({ rates, mids: {}, known: all }).refused).toEqual([
        'gives EUR as 1462 where it was 145.97 on 2026-05-17 (2026-05-20)',
      ])
  })

  test('compares a rate with the last known of two days that are equally near', () => {
    const [before, after] = [-1, 1].map((days) => ({
      ...{ from: 'EUR', atMs: AT_MS + days * DAY_MS, rate: '146' },
    }))
    const rates = replaced('EUR', rate('EUR', '1462'))
    expect(evaluated({ rates, mids: {}, known: [before!, after!] }).refused[0]).toContain(
      '2026-05-21',
    )
    expect(evaluated({ rates, mids: {}, known: [after!, before!] }).refused[0]).toContain(
      '2026-05-19',
    )
  })

  test('compares a rate with another day, even if it is near the stated rate of its own', () => {
    const known = [
      { from: 'EUR', atMs: AT_MS, rate: '200' },
      { from: 'EUR', atMs: AT_MS - DAY_MS, rate: '100' },
    ]
    const rates = replaced('EUR', rate('EUR', '250'))
    expect(evaluated({ rates, mids: {}, known }).refused).toEqual([
      'gives EUR as 250 where it was 100 on 2026-05-19 (2026-05-20)',
    ])
  })

  test('reports up to twenty refusals', () => {
    const rates = replaced('EUR', rate('EUR', '1'))
    const days = Array.from({ length: 21 }, (_, i) => ({ atMs: AT_MS + i * DAY_MS, rates }))
    const { accepted, refused } = evaluated({ days })
    expect([accepted.length, refused.length]).toEqual([84, 20])
  })

  test('compares a day with the one before it in the same response', () => {
    const days = [
      { atMs: AT_MS - DAY_MS, rates: RATES },
      { atMs: AT_MS, rates: replaced('EUR', rate('EUR', '1462')) },
    ]
    const { accepted, refused } = evaluated({ days, mids: {} })
    expect([accepted.length, refused]).toEqual([
      9,
      ['gives EUR as 1462 where it was 146.2471 on 2026-05-19 (2026-05-20)'],
    ])
  })

  test('leaves out a bad day of the past, and accepts nothing if the newest is bad', () => {
    const good = Array.from({ length: 8 }, (_, i) => ({ atMs: AT_MS - i * DAY_MS, rates: RATES }))
    const bad = RATES.map((one) => ({ ...one, central: '1' }))
    const past = [{ atMs: AT_MS - 20 * DAY_MS, rates: bad }, ...good.toReversed()]
    expect(evaluated({ days: past }).refused).toHaveLength(1)
    expect(evaluated({ days: past }).accepted).toHaveLength(40)
    const three = [-22, -21, -20].map((days) => ({ atMs: AT_MS + days * DAY_MS, rates: bad }))
    expect(
      evaluated({ days: [...three.slice(1), ...good.slice(2).toReversed()] }).refused,
    ).toHaveLength(2)
    expect(refusal(() => evaluated({ days: [...three, ...good.toReversed()] }))).toStartWith(
      'states 5',
    )
    const newest = [...good.toReversed(), { atMs: AT_MS + DAY_MS, rates: bad }]
    expect(refusal(() => evaluated({ days: newest }))).toStartWith('states 5 of 5 rates')
  })

  test('accepts no new rate a quarter off its mid, whatever the response', () => {
    const price = fc.double({ min: 1e-6, max: 1e9, noNaN: true }).map((value) => value.toFixed(6))
    const prices = fc.array(fc.tuple(fc.constantFrom(...Object.keys(MIDS)), price), {
      maxLength: 9,
    })
    fc.assert(
      fc.property(prices, (stated) => {
        const rates = stated.map(([currency, central]) => rate(currency, central))
        let accepted: readonly { from: string; rate: string }[] = []
        try {
          accepted = evaluated({ rates }).accepted
        } catch {}
        for (const { from, rate: text } of accepted) {
          const ratio = Number(text) / MIDS[from]!
          expect(Math.max(ratio, 1 / ratio)).toBeLessThanOrEqual(1.25 * (1 + 1e-9))
        }
      }),
    )
  })
})

describe('daysWithin', () => {
  const nowMs = AT_MS + DAY_MS / 2
  const window = { sinceMs: AT_MS - 5 * DAY_MS, untilMs: nowMs, timeZone: 'Africa/Nairobi', nowMs }
  const days = (...atMs: number[]): BankDay[] => atMs.map((ms) => ({ atMs: ms, rates: RATES }))

  test('joins days that came in parts, oldest first, and leaves out future days', () => {
    const parts = days(AT_MS, AT_MS - DAY_MS, AT_MS, AT_MS + DAY_MS)
    const found = daysWithin(parts, { ...window, isStrict: false })
    expect(found.map(({ atMs, rates }) => [atMs, rates.length])).toEqual([
      [AT_MS - DAY_MS, 5],
      [AT_MS, 10],
    ])
  })

  test('includes both ends of the span, and the current time', () => {
    const ends = days(window.sinceMs - 1, window.sinceMs, window.untilMs, window.untilMs + 1)
    const found = daysWithin(ends, { ...window, nowMs: window.untilMs + 1, isStrict: true })
    expect(found.map(({ atMs }) => atMs)).toEqual([window.sinceMs, window.untilMs])
    expect(daysWithin(days(nowMs), { ...window, isStrict: true })).toHaveLength(1)
  })

  test('ignores a date of the next eight days, and refuses a later one', () => {
    const ahead = (ms: number) =>
      daysWithin(days(nowMs + 8 * DAY_MS + ms), { ...window, isStrict: true })
    expect(ahead(0)).toEqual([])
    expect(refusal(() => ahead(1))).toContain('which is in the future')
  })

  test('returns the newest of older days, or none if only the span is wanted', () => {
    const old = days(...[-90, -91, -92].map((before) => AT_MS + before * DAY_MS))
    expect(daysWithin(old, { ...window, isStrict: false })).toEqual([old[0]!])
    expect(daysWithin(old, { ...window, isStrict: true })).toEqual([])
    const ahead = [...old, ...days(nowMs + 1)]
    expect(daysWithin(ahead, { ...window, isStrict: false })).toEqual([old[0]!])
  })

  test('refuses a response with a date of next year, or without a date', () => {
    const next = days(AT_MS, AT_MS + 365 * DAY_MS)
    expect(refusal(() => daysWithin(next, { ...window, isStrict: false }))).toBe(
      'dates rates 2027-05-20, which is in the future',
    )
    expect(refusal(() => daysWithin(days(Number.NaN), { ...window, isStrict: true }))).toBe(
      'gives a date that cannot be understood',
    )
  })
})

describe('priceOf', () => {
  test('uses the central price, and keeps both sides in the notes', () => {
    const sides = { buying: '128.9', selling: '129.8' }
    expect(priceOf(rate('USD', '129.35', sides), 'KES')).toEqual({
      rate: '129.35',
      evidence: 'observed',
      notes: 'central 129.35, buying 128.9, selling 129.8 KES for 1 USD',
    })
  })

  test('derives the mean of both sides exactly, and notes it', () => {
    expect(
      priceOf(rate('JPY', null, { unit: 100, buying: '33.1', selling: '33.4' }), 'EGP'),
    ).toEqual({
      rate: '0.3325',
      evidence: 'derived',
      notes: 'mean of buying 33.1 and selling 33.4 EGP for 100 JPY',
    })
  })

  test('notes the stated rate of a bank that states the reverse', () => {
    const stated = '0.0748 USD for 1 BWP'
    expect(priceOf(rate('USD', '13.3689839572193', { stated }), 'BWP')).toMatchObject({
      rate: '13.3689839572193',
      notes: 'central 13.3689839572193 BWP for 1 USD; stated as 0.0748 USD for 1 BWP',
    })
  })

  test('accepts up to 18 digits, a million units, and sides a quarter from the middle', () => {
    const takes = (one: BankRate) => expect(priceOf(one, 'KES')).toBeObject()
    takes(rate('USD', '1.23456789012345678'))
    takes(rate('USD', '100', { unit: 1_000_000 }))
    takes(rate('USD', '100', { buying: '75', selling: '125' }))
    takes(rate('USD', '100', { buying: '100', selling: '100' }))
    takes(rate('USD', '100', { buying: '99' }))
    takes(rate('USD', '100', { selling: '101' }))
  })

  test('describes what is wrong with an invalid rate', () => {
    const faults = [
      rate('USD', '100', { buying: 'x' }),
      rate('USD', '100', { unit: 0 }),
      rate('USD', null, { selling: '1' }),
      rate('USD', '100', { buying: '101', selling: '100' }),
    ].map((one) => priceOf(one, 'KES'))
    expect(faults).toEqual([
      'gives a number for USD that is not a valid price',
      'gives USD for a number of units that cannot be',
      'gives neither a central rate nor both sides of USD',
      'gives sides of USD that are apart',
    ])
  })

  test('returns an error for a rate without a valid price', () => {
    const cannot = (one: BankRate) => expect(priceOf(one, 'KES')).toBeString()
    for (const text of ['0', '-1', '1e5', '', '1,5', 'NaN', '1.2.3', '12345678901234567'])
      cannot(rate('USD', text))
    cannot(rate('USD', '1.234567890123456789'))
    cannot(rate('USD', '100', { unit: 1_000_001 }))
    cannot(rate('USD', null))
    cannot(rate('USD', null, { buying: '1' }))
    cannot(rate('USD', '100', { unit: 0 }))
    cannot(rate('USD', '100', { unit: 1.5 }))
    cannot(rate('USD', '100', { buying: '101', selling: '100' }))
    cannot(rate('USD', '100', { buying: '10', selling: '101' }))
  })
})
