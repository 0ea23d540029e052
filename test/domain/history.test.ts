import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Activity, wasActive } from '~/domain/activity.ts'
import { byPlace, spreadsThen, supersededAmong } from '~/domain/history.ts'
import type { Quote } from '~/domain/quote.ts'
import { offer } from '../support/offers.ts'
import { quote } from '../support/quotes.ts'

const ALWAYS: Activity = { isActive: true, changes: [] }
const always = { activityOf: () => ALWAYS, fits: () => true, isSuspect: () => false }

describe('spreadsThen', () => {
  const a = quote({ id: 1, atMs: 1, rate: 100 })
  const b = quote({ id: 2, atMs: 2, rate: 80, providerId: 'retail-b' })
  const worse = quote({ id: 3, atMs: 3, rate: 60 })

  test('compares each observation with the quotes of its kind at its time', () => {
    const official = quote({ id: 4, atMs: 3, rate: 500, rateType: 'official', providerId: 'o' })
    const spreads = spreadsThen([a, b, worse, official], [], always)
    expect([...spreads]).toEqual([
      [1, 0],
      [2, 2000],
      [3, 2500],
      [4, 0],
    ])
  })

  test('returns the same for a page and the next one, in either order', () => {
    const whole = spreadsThen([a, b, worse], [], always)
    expect([...spreadsThen([worse, b], [a], always)]).toEqual([...whole].slice(1))
  })

  test('compares observations of one time with each other, in whatever order they were recorded', () => {
    for (const [first, second] of [
      [5, 6],
      [6, 5],
    ] as const) {
      const low = quote({ id: first, atMs: 2, rate: 80, providerId: 'retail-b' })
      const high = quote({ id: second, atMs: 2, rate: 160, providerId: 'retail-c' })
      const spreads = spreadsThen([low, high], [a], always)
      expect([spreads.get(first), spreads.get(second)]).toEqual([5000, 0])
      expect(spreadsThen([low], [a, high], always).get(first)).toBe(5000)
    }
  })

  test("counts the last of a provider's observations at one time, and compares each of them", () => {
    const mistake = quote({ id: 5, atMs: 2, rate: 1000, providerId: 'retail-b' })
    const right = quote({ id: 6, atMs: 2, rate: 90, providerId: 'retail-b' })
    const spreads = spreadsThen([mistake, right], [a], always)
    expect([...spreads]).toEqual([
      [5, 0],
      [6, 1000],
    ])
  })

  test('counts a provider from when it was switched on until it was switched off', () => {
    const activity: Activity = {
      isActive: true,
      changes: [
        { sinceMs: 2, isActive: false },
        { sinceMs: 4, isActive: true },
      ],
    }
    const activityOf = (id: string) => (id === 'best' ? activity : ALWAYS)
    const best = (atMs: number) => quote({ id: 10 + atMs, atMs, rate: 200, providerId: 'best' })
    const other = (atMs: number) => quote({ id: 20 + atMs, atMs, rate: 100 })
    const said = [best(1), other(1), other(2), best(3), other(3), other(4), other(5)]
    expect([...spreadsThen(said, [], { ...always, activityOf }).values()]).toEqual([
      0,
      5000,
      0,
      null,
      0,
      5000,
      5000,
    ])
  })

  test('returns nothing for no observations', () => {
    expect(spreadsThen([], [a], always).size).toBe(0)
  })

  test('agrees with the simplest computation for any history, activity and page', () => {
    const ids = ['a', 'b', 'c', 'd']
    const rows = fc.array(
      fc.record({
        atMs: fc.nat({ max: 8 }),
        providerId: fc.constantFrom(...ids),
        rate: fc.constantFrom(100, 101, 102, 103),
        rateType: fc.constantFrom('retail' as const, 'retail' as const, 'official' as const),
        offer: fc.constantFrom(null, ...OFFERS),
        validFor: fc.constantFrom(null, null, 1, 2, 5),
      }),
      { maxLength: 30 },
    )
    const turns = fc.array(fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 3 }), {
      minLength: ids.length,
      maxLength: ids.length,
    })
    fc.assert(
      fc.property(
        rows,
        turns,
        fc.nat({ max: 30 }),
        fc.nat({ max: 30 }),
        (found, at, skip, take) => {
          const all = found.map((row, i) => offeredQuote(row, i + 1)).sort(byPlace)
          const activity = new Map(ids.map((id, i) => [id, alternating(at[i]!)]))
          const activityOf = (id: string) => activity.get(id)!
          const page = all.slice(skip, skip + take)
          const edges = [page[0]!, page.at(-1)!].filter(Boolean)
          const others = edges.flatMap(({ atMs }) => all.filter((row) => row.atMs <= atMs))
          const expected = page.map((row): [number, number | null] => [
            row.id,
            plain(all, row, activityOf),
          ])
          expect([...spreadsThen(page, others, { activityOf, fits, isSuspect })]).toEqual(expected)
        },
      ),
    )
  })
})

describe('supersededAmong', () => {
  const first = quote({ id: 1, atMs: 1 })
  const again = quote({ id: 2, atMs: 1 })
  const card = quote({ id: 3, atMs: 1, offer: offer({ payIn: ['debit_card'] }) })
  const later = quote({ id: 4, atMs: 2 })

  test('returns what was recorded before another of its offer and time, on the page or not', () => {
    expect([...supersededAmong([later, first, card, again], [])]).toEqual([1])
    expect([...supersededAmong([first, later], [again, card])]).toEqual([1])
    expect([...supersededAmong([again], [first, again])]).toEqual([])
  })
})

const alternating = (times: number[]): Activity => ({
  isActive: true,
  changes: times
    .sort((a, b) => a - b)
    .map((sinceMs, i) => ({ sinceMs, isActive: (times.length - i) % 2 === 1 })),
})

const OFFERS = [offer({ channel: 'agent' }), offer({ channel: 'internet' })]
const isSuspect = ({ rate, rateType }: Quote) => rateType !== 'official' && rate > 101
const fits = (quote: Quote) => quote.offer?.channel !== 'internet'

type Row = Partial<Quote> & { atMs: number; validFor: number | null }

function offeredQuote({ validFor, ...row }: Row, id: number): Quote {
  const terms = validFor === null ? {} : { validUntilMs: row.atMs + validFor }
  const isSilent = !row.offer && validFor === null
  return quote({ ...row, id, offer: isSilent ? null : offer({ ...row.offer, ...terms }) })
}

function latestAt(all: Quote[], atMs: number): Quote[] {
  const valid = all.filter((row) => row.atMs <= atMs && (row.offer?.validUntilMs ?? 99) >= atMs)
  const latest = new Map(valid.map((row) => [`${row.providerId} ${row.offer?.channel ?? ''}`, row]))
  return [...latest.values()].filter(fits)
}

function plain(all: Quote[], row: Quote, activityOf: (id: string) => Activity): number | null {
  const isThere = ({ providerId }: Quote) => wasActive(activityOf(providerId), row.atMs)
  if (!isThere(row) || !fits(row)) return null
  const kin = latestAt(all, row.atMs).filter((one) => one.rateType === row.rateType && isThere(one))
  const believed = kin.filter((one) => !isSuspect(one))
  const isLone = !isSuspect(row) || believed.length === 0
  const rivals = isSuspect(row) && believed.length === 0 ? kin : believed
  const best = Math.max(isLone ? row.rate : 0, ...rivals.map(({ rate }) => rate))
  return ((best - row.rate) / best) * 10_000
}
