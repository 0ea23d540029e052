import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GUARD_RULES, isWithin, trustingRules } from '~/domain/feed/guard.ts'
import {
  type FeedAnswer,
  type HeldBack,
  type ReferenceMode,
  verdictOf,
} from '~/domain/feed/verdict.ts'

const HOUR_MS = 3_600_000
const NOW = Date.parse('2024-07-29T14:07:00Z')
const STANDING = { ETB: 57.7, KES: 131.25, NGN: 1604, GHS: 15.47, ZAR: 18.27, UGX: 3721, XOF: 604 }

type Rates = Record<string, number>

function said(source: string, rates: Rates, more: Partial<FeedAnswer> = {}): FeedAnswer {
  return {
    feedId: source,
    source,
    origin: source,
    fetchedMs: NOW,
    upstreamMs: NOW - HOUR_MS,
    perUsd: new Map(Object.entries(rates).map(([code, rate]) => [code, String(rate)])),
    ...more,
  }
}

type Run = {
  mode?: ReferenceMode
  held?: readonly HeldBack[]
  standing?: Rates
  rules?: typeof GUARD_RULES
}

function evaluate(
  answers: FeedAnswer[],
  { held = [], standing = STANDING, rules, mode = 'order' }: Run = {},
) {
  const codes = new Set([...Object.keys(standing), ...answers.flatMap((e) => [...e.perUsd.keys()])])
  const verdict = verdictOf({
    answers,
    known: [...codes],
    standing: new Map(Object.entries(standing)),
    held,
    rules: rules ?? GUARD_RULES,
    mode,
  })
  const taken = Object.fromEntries(
    verdict.accepted.map((one) => [
      one.currency,
      `${one.perUsd} ${one.answer.source} ${one.ground}`,
    ]),
  )
  return { ...verdict, taken }
}

const times = (factor: number): Rates =>
  Object.fromEntries(Object.entries(STANDING).map(([code, rate]) => [code, rate * factor]))

describe('one feed', () => {
  test('a value that did not move far is accepted', () => {
    const { accepted, held, open } = evaluate([said('a', times(1.1))])
    expect(accepted.map(({ ground }) => ground)).toEqual(Array(7).fill('unmoved'))
    expect([held, open]).toEqual([[], []])
  })

  test('the first value of a currency is accepted', () => {
    expect(evaluate([said('a', { ...STANDING, ZWG: 13.8 })]).taken.ZWG).toBe('13.8 a first')
  })

  test('a currency that moved beyond the bound is held back, and the others are not', () => {
    const { taken, held, open } = evaluate([said('a', { ...STANDING, ETB: 74.74 })])
    expect(taken.ETB).toBeUndefined()
    expect(Object.keys(taken)).toHaveLength(6)
    expect(open).toEqual(['ETB'])
    expect(held).toEqual([
      {
        currency: 'ETB',
        perUsd: '74.74',
        source: 'a',
        sinceMs: NOW,
        upstreamMs: NOW - HOUR_MS,
        standing: 57.7,
        contradictedBy: null,
      },
    ])
  })

  test('a currency can have a bound of its own', () => {
    const rules = { ...GUARD_RULES, moveMaxOf: { ETB: 0.5, KES: 0.01 } }
    const { taken, held } = evaluate([said('a', { ...STANDING, ETB: 74.74, KES: 134 })], { rules })
    expect(taken.ETB).toBe('74.74 a unmoved')
    expect(held.map(({ currency }) => currency)).toEqual(['KES'])
  })

  test.each([
    ['NGN, June 2023', 'NGN', [463.5, 471, 663, 750]],
    ['ETB, July 2024', 'ETB', [57.7, 74.74, 83.9, 95.7]],
    ['ZWG, September 2024', 'ZWG', [13.99, 24.88, 24.9, 25.1]],
  ])('%s is accepted in its second run', (_, currency, steps) => {
    let held: readonly HeldBack[] = []
    let standing: Rates = { ...STANDING, [currency]: steps[0]! }
    const waits = steps.slice(1).map((step) => {
      for (let runs = 1; ; runs++) {
        const verdict = evaluate([said('a', { ...standing, [currency]: step })], { held, standing })
        held = JSON.parse(JSON.stringify(verdict.held))
        if (currency in verdict.taken) {
          standing = { ...standing, [currency]: step }
          return runs
        }
      }
    })
    expect(Math.max(...waits)).toBe(2)
    expect(held).toEqual([])
  })

  test('a value that keeps moving is confirmed by one near it, and starts over with one far from it', () => {
    const { held } = evaluate([said('a', { ...STANDING, ETB: 74.74 })])
    expect(evaluate([said('a', { ...STANDING, ETB: 83 })], { held }).taken.ETB).toBe(
      '83 a second_fetch',
    )
    const astray = evaluate([said('a', { ...STANDING, ETB: 770 })], { held })
    expect(astray.taken.ETB).toBeUndefined()
    expect(astray.held[0]!.perUsd).toBe('770')
  })

  test('a held back value is forgotten when the old value returns', () => {
    const { held } = evaluate([said('a', { ...STANDING, ETB: 577 })])
    const back = evaluate([said('a', STANDING)], { held })
    expect([back.taken.ETB, back.held]).toEqual(['57.7 a unmoved', []])
  })

  test('a value stays held back through a run without a response', () => {
    const { held } = evaluate([said('a', { ...STANDING, ETB: 74.74 })])
    expect(evaluate([], { held }).held).toEqual(held)
    expect(evaluate([said('a', { KES: 131 })], { held }).held).toEqual(held)
  })
})

describe('in the mode consensus', () => {
  const both = [said('a', { ...STANDING, ZWG: 13.8 }), said('b', { ...STANDING, ZWG: 13.8 })]

  test('a value on which feeds agree is the first of its currency, near the last, or confirmed', () => {
    const { taken } = evaluate(both, { mode: 'consensus', standing: { ...STANDING, ETB: 5.77 } })
    const { ETB, KES, ZWG } = taken
    expect([ETB, KES, ZWG]).toEqual(['57.7 a second_feed', '131.25 a unmoved', '13.8 a first'])
  })

  test('a response of round numbers is doubted if a feed of another origin has finer ones', () => {
    const standing = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`C${i}`, 1.234]))
    const rough = said('a', Object.fromEntries(Object.keys(standing).map((code) => [code, 1.2])))
    const doubts = (origin: string, mode: ReferenceMode) =>
      evaluate([rough, said('b', standing, { origin })], { mode, standing }).doubted
    expect(doubts('b', 'consensus')).toMatchObject([{ moved: 0, rounded: 10, compared: 10 }])
    expect(doubts('a', 'consensus')).toEqual([])
    expect(doubts('b', 'order')).toEqual([])
  })
})

describe('a further feed', () => {
  test('is asked for values that are missing, held back, or confirmed only by repetition', () => {
    const { ETB, ...rest } = STANDING
    expect(evaluate([said('a', rest)]).open).toEqual(['ETB'])
    expect(evaluate([said('a', { KES: 131 })]).taken).toEqual({ KES: '131 a unmoved' })
    const { held } = evaluate([said('a', { ...STANDING, ETB: 74.74 })])
    const again = evaluate([said('a', { ...STANDING, ETB: 74.74 })], { held })
    expect([again.taken.ETB, again.open]).toEqual(['74.74 a second_fetch', ['ETB']])
  })

  test('fills in what the first feed lacks', () => {
    const { ETB, ...rest } = STANDING
    const { taken } = evaluate([said('a', rest), said('b', times(1.01))])
    expect(taken.ETB).toBe('58.277 b unmoved')
    expect(taken.KES).toBe('131.25 a unmoved')
  })

  test('confirms a value in the same run if it has another origin, and the preferred value is used', () => {
    const a = said('a', { ...STANDING, ETB: 74.74 })
    const b = said('b', { ...STANDING, ETB: 76 })
    expect(evaluate([a, b])).toMatchObject({ held: [], open: [] })
    expect(evaluate([a, b]).taken.ETB).toBe('74.74 a second_feed')
  })

  test('does not confirm a value if it has the same origin', () => {
    const feeds = ['ecb', 'frankfurter'].map((name) =>
      said(name, { ...STANDING, ZAR: 25 }, { origin: 'ecb' }),
    )
    expect(evaluate(feeds).taken.ZAR).toBeUndefined()
  })

  test('provides the value if it saw no move, and keeps the first feed from confirming itself', () => {
    const a = said('a', { ...STANDING, ETB: 577 })
    const b = said('b', { ...STANDING, ETB: 57.9 })
    let held: readonly HeldBack[] = []
    for (let run = 0; run < 5; run++) {
      const verdict = evaluate([{ ...a, fetchedMs: NOW + run }, b], { held })
      expect(verdict.taken.ETB).toBe('57.9 b unmoved')
      const since = { perUsd: '577', sinceMs: NOW, contradictedBy: 'b' }
      expect(verdict.held[0]).toMatchObject(since)
      held = verdict.held
    }
    expect(evaluate([a], { held }).taken.ETB).toBeUndefined()
  })

  test('does not contradict if its value moved elsewhere: the second fetch is accepted', () => {
    const a = said('a', { ...STANDING, ETB: 74.74 })
    const first = evaluate([a, said('b', { ...STANDING, ETB: 577 })])
    expect(first.held).toMatchObject([{ perUsd: '74.74', contradictedBy: null }])
    expect(evaluate([a], { held: first.held }).taken.ETB).toBe('74.74 a second_fetch')
  })

  test('does not count with older rates: the second fetch is accepted', () => {
    const a = said('a', { ...STANDING, ETB: 74.74 })
    const b = said('b', STANDING, { upstreamMs: NOW - 20 * HOUR_MS })
    const first = evaluate([a, b])
    expect(first.taken.ETB).toBe('57.7 b unmoved')
    expect(evaluate([a, b], { held: first.held }).taken.ETB).toBe('74.74 a second_fetch')
  })

  test('may confirm in the next run the value of another feed in this one', () => {
    const { held } = evaluate([said('a', { ...STANDING, ETB: 74.74 })])
    expect(evaluate([said('b', { ...STANDING, ETB: 75 })], { held }).taken.ETB).toBe(
      '75 b second_fetch',
    )
  })
})

describe('a feed with wrong rates of many currencies', () => {
  test('is refused entirely, and none of its values awaits confirmation', () => {
    const { taken, held, doubted, open } = evaluate([said('a', { ...times(10), ZAR: 18.27 })])
    expect([taken, held]).toEqual([{}, []])
    expect(doubted).toMatchObject([{ moved: 6, compared: 7 }])
    expect(open).toEqual(Object.keys(STANDING))
  })

  test('is replaced by the next feed', () => {
    const { taken } = evaluate([said('a', times(10)), said('b', times(1.01))])
    expect(new Set(Object.values(taken).map((text) => text.slice(-9)))).toEqual(
      new Set(['b unmoved']),
    )
  })

  test('does not confirm a jump of the accepted feed', () => {
    const { taken, held } = evaluate([said('a', { ...STANDING, ETB: 577 }), said('b', times(10))])
    expect(taken.ETB).toBeUndefined()
    expect(held).toHaveLength(1)
  })

  test('has at least three moves that are over a quarter, or two moves that are most of the values', () => {
    const moved = (count: number, of: number) => {
      const standing = Object.fromEntries(Array.from({ length: of }, (_, i) => [`C${i}`, 100]))
      const rates = { ...standing }
      for (let i = 0; i < count; i++) rates[`C${i}`] = 1000
      return evaluate([said('a', rates)], { standing }).doubted.length === 1
    }
    expect([moved(3, 11), moved(3, 12), moved(4, 12)]).toEqual([true, false, true])
    expect([moved(2, 3), moved(2, 4), moved(1, 1)]).toEqual([true, false, false])
  })

  test('is accepted if a feed of another origin agrees, since then the old values are wrong', () => {
    const { taken, held } = evaluate([said('a', times(0.1)), said('b', times(0.101))])
    expect(taken.ETB).toBe(`${57.7 * 0.1} a second_feed`)
    expect(Object.keys(taken)).toHaveLength(7)
    expect(held).toEqual([])
    const alike = said('b', times(0.1), { origin: 'a' })
    expect(evaluate([said('a', times(0.1)), alike]).taken).toEqual({})
  })

  test('is accepted if an operator confirms it', () => {
    const rules = trustingRules(GUARD_RULES)
    expect(Object.keys(evaluate([said('a', times(0.1))], { rules }).taken)).toHaveLength(7)
  })
})

describe('laws of the verdict', () => {
  const rates = fc
    .array(fc.double({ min: 0.01, max: 5000, noNaN: true }), { minLength: 2, maxLength: 60 })
    .map((list): Rates => Object.fromEntries(list.map((rate, i) => [`C${i}`, rate])))
  const move = fc.double({ min: 0.5, max: 2, noNaN: true })

  test('a single feed moves nothing beyond the bound in its first run', () => {
    const moves = fc.array(move, { minLength: 60, maxLength: 60 })
    fc.assert(
      fc.property(rates, moves, (standing, factors) => {
        const moved = Object.entries(standing).map(([code, rate], i) => [code, rate * factors[i]!])
        const { accepted } = evaluate([said('a', Object.fromEntries(moved))], { standing })
        for (const { currency, perUsd } of accepted)
          expect(isWithin(Number(perUsd), standing[currency]!, GUARD_RULES.moveMax)).toBe(true)
      }),
    )
  })

  test('a feed that is wrong about everything is never accepted, however often it repeats itself', () => {
    const lie = fc
      .double({ min: 1.21, max: 1000, noNaN: true })
      .chain((f) => fc.constantFrom(f, 1 / f))
    fc.assert(
      fc.property(rates, lie, fc.integer({ min: 2, max: 6 }), (standing, factor, runs) => {
        const lies = Object.entries(standing).map(([code, rate]) => [code, rate * factor])
        let held: readonly HeldBack[] = []
        for (let run = 0; run < runs; run++) {
          const verdict = evaluate([said('a', Object.fromEntries(lies))], { standing, held })
          expect(verdict.accepted).toEqual([])
          held = verdict.held
        }
      }),
    )
  })

  test('a correct feed after a wrong one is used as if the wrong one were absent', () => {
    fc.assert(
      fc.property(rates, move, (standing, factor) => {
        const lies = Object.entries(standing).map(([code, rate]) => [code, rate * 10 * factor])
        const honest = said('b', standing)
        const both = evaluate([said('a', Object.fromEntries(lies)), honest], { standing })
        expect(both.taken).toEqual(evaluate([honest], { standing }).taken)
      }),
    )
  })

  test('a real jump is accepted in its second run, with the state stored as JSON in between', () => {
    const jump = fc.double({ min: 1.21, max: 50, noNaN: true })
    fc.assert(
      fc.property(rates, jump, (some, factor) => {
        const standing = { ...some, KEEP: 3, NGN: 463.5 }
        const answer = said('a', { ...standing, NGN: 463.5 * factor })
        const first = evaluate([answer], { standing })
        expect(first.taken.NGN).toBeUndefined()
        const held = JSON.parse(JSON.stringify(first.held))
        expect(evaluate([answer], { standing, held }).taken.NGN).toEndWith('second_fetch')
      }),
    )
  })
})
