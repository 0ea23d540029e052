import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { boundariesMs } from '~/domain/freshness.ts'
import type { Passing } from '~/domain/offer/terms.ts'
import type { Dated } from '~/domain/quote.ts'
import { pruned, type Trail, trailWith, valueAt } from '~/memory/trail.ts'
import { offer } from '../support/offers.ts'
import { BASE_MS, changesOf, lives, oracleAt, spots } from './histories.ts'

type Held = Dated & Passing

const at = (atMs: number, id = 1): Held => ({ id, atMs })
/** A value that expires by its own terms. */
const until = (validUntilMs: number | null, atMs: number, id = 1): Held => ({
  id,
  atMs,
  offer: offer({ validUntilMs }),
})
const trailOf = (values: readonly Held[], nowMs: number): Trail<Held> =>
  values.reduce((trail: Trail<Held>, value) => trailWith(trail, value, nowMs), [])

const dated = fc
  .array(fc.tuple(spots(4), lives), { maxLength: 25 })
  .map((all) =>
    all.map(([atMs, life], i) => until(life === null ? null : atMs + life, atMs, i + 1)),
  )

/** Times that a reader can request from a clock on: a cutoff, and the time of evaluation. */
const sightsFrom = (nowMs: number): [cutoffMs: number, validMs: number][] => {
  const [end, ...tops] = boundariesMs(nowMs)
  const clocks = [tops.at(-1)!, nowMs, nowMs + 1, ...tops, nowMs + HOUR_MS / 2, nowMs + 9 * HOUR_MS]
  return [
    ...tops.map((topMs): [number, number] => [topMs, topMs]),
    ...clocks.map((clockMs): [number, number] => [end!, clockMs]),
  ]
}

describe('valueAt', () => {
  const trail = [at(300, 3), at(200, 2), at(100, 1)]

  test('is the value at the cutoff: of that very millisecond, or the newest before', () => {
    expect(valueAt(trail, 200)?.id).toBe(2)
    expect(valueAt(trail, 199)?.id).toBe(1)
    expect(valueAt(trail, 201)?.id).toBe(2)
    expect(valueAt(trail, Number.POSITIVE_INFINITY)?.id).toBe(3)
  })

  test('is an older value that is still valid once the newer has expired', () => {
    const passing = [until(320, 300, 3), until(310, 250, 2), at(100, 1)]
    const held = [319, 320, 321].map((validMs) => valueAt(passing, Infinity, validMs)?.id)
    expect(held).toEqual([3, 3, 1])
    expect(valueAt(passing, 299, 310)?.id).toBe(2)
    expect(valueAt(passing, 299, 311)?.id).toBe(1)
    expect(valueAt([until(320, 300)], Infinity, 321)).toBeUndefined()
  })

  test('is undefined before the first value, and without values', () => {
    expect(valueAt(trail, 99)).toBeUndefined()
    expect(valueAt([], Number.POSITIVE_INFINITY)).toBeUndefined()
  })
})

describe('boundariesMs', () => {
  test('are the end of time, the coming hour, this one and the one before', () => {
    const expected = [Number.POSITIVE_INFINITY, BASE_MS + HOUR_MS, BASE_MS, BASE_MS - HOUR_MS]
    expect(boundariesMs(BASE_MS)).toEqual(expected)
    expect(boundariesMs(BASE_MS + HOUR_MS - 1)).toEqual(expected)
  })

  test('are those of each of several times, without duplicates and latest first', () => {
    const [, ...tops] = boundariesMs(BASE_MS)
    const [, ...later] = boundariesMs(BASE_MS + 9 * HOUR_MS)
    const expected = [Number.POSITIVE_INFINITY, ...later, ...tops]
    expect(boundariesMs(BASE_MS, BASE_MS + 9 * HOUR_MS + 1)).toEqual(expected)
    expect(boundariesMs(BASE_MS, BASE_MS + 1)).toEqual([Number.POSITIVE_INFINITY, ...tops])
    const next = [Number.POSITIVE_INFINITY, BASE_MS + 2 * HOUR_MS, BASE_MS + HOUR_MS]
    expect(boundariesMs(BASE_MS, BASE_MS + HOUR_MS)).toEqual([...next, BASE_MS, BASE_MS - HOUR_MS])
  })
})

describe('trailWith', () => {
  test('keeps the value in force at this hour and the newest value', () => {
    const trail = trailOf([at(BASE_MS - 5, 1), at(BASE_MS + 5, 2)], BASE_MS + 10)
    expect(trail.map(({ id }) => id)).toEqual([2, 1])
  })

  test('takes the one recorded last of two at one time, whichever comes first', () => {
    const [first, second] = [at(BASE_MS, 1), at(BASE_MS, 2)]
    expect(trailOf([first, second], BASE_MS)).toEqual([second])
    expect(trailOf([second, first], BASE_MS)).toEqual([second])
  })

  test('returns the same trail for a backfilled value that cannot be requested', () => {
    const trail = trailOf([at(BASE_MS - 2 * HOUR_MS, 2)], BASE_MS)
    expect(trailWith(trail, at(BASE_MS - 3 * HOUR_MS, 9), BASE_MS)).toBe(trail)
  })

  test('returns the same trail for a value that it has', () => {
    const trail = trailOf([at(BASE_MS, 1)], BASE_MS)
    expect(trailWith(trail, at(BASE_MS, 1), BASE_MS)).toBe(trail)
  })

  test('never holds more values than there are boundaries', () => {
    fc.assert(
      fc.property(dated, (values) => {
        const nowMs = BASE_MS + 2 * HOUR_MS
        const lasting = values.map(({ id, atMs }) => at(atMs, id))
        expect(trailOf(lasting, nowMs).length).toBeLessThanOrEqual(boundariesMs(nowMs).length)
      }),
    )
  })

  test('returns the same trail for any order and any repetition', () => {
    const arrivals = dated.chain((values) =>
      fc.record({
        values: fc.constant(values),
        again: fc.shuffledSubarray(values),
        order: fc.shuffledSubarray(values, { minLength: values.length }),
      }),
    )
    fc.assert(
      fc.property(arrivals, spots(4), ({ values, again, order }, nowMs) => {
        const plain = trailOf(values, nowMs)
        expect(trailOf([...again, ...order, ...again], nowMs)).toEqual([...plain])
        expect(trailOf(again, nowMs).length).toBeLessThanOrEqual(plain.length + values.length)
      }),
    )
  })

  test('agrees with a filter and a sort over all values at every boundary', () => {
    fc.assert(
      fc.property(dated, spots(4), (values, nowMs) => {
        const trail = trailOf(values, nowMs)
        for (const sight of sightsFrom(nowMs))
          expect(valueAt(trail, ...sight)).toEqual(oracleAt(values, ...sight))
      }),
    )
  })

  test('agrees with them while the clock moves on, with late arrivals, repetitions and prunes in between', () => {
    fc.assert(
      fc.property(changesOf(spots(1)), fc.infiniteStream(lives), (changes, ends) => {
        let trail: Trail<Held> = []
        const known: Held[] = []
        for (const { nowMs, back, isPruned, isRepeated } of changes) {
          const atMs = nowMs + HOUR_MS / 2 - back
          const life: number | null = ends.next().value
          const value = until(life === null ? null : atMs + life, atMs, known.length + 1)
          known.push(value)
          trail = trailWith(trail, value, nowMs)
          if (isRepeated) trail = trailWith(trail, known[back % known.length]!, nowMs)
          if (isPruned) trail = pruned(trail, nowMs)
          for (const sight of sightsFrom(nowMs))
            expect(valueAt(trail, ...sight)).toEqual(oracleAt(known, ...sight))
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('pruned', () => {
  test('removes what the new hour has made unreachable, and nothing else', () => {
    const trail = trailOf([at(BASE_MS - 5, 1), at(BASE_MS + 5, 2)], BASE_MS + 10)
    expect(pruned(trail, BASE_MS + HOUR_MS)).toBe(trail)
    expect(pruned(trail, BASE_MS + 2 * HOUR_MS).map(({ id }) => id)).toEqual([2])
  })

  test('keeps of expiring values those in force again when newer ones have expired', () => {
    const values = [
      at(BASE_MS - 5 * HOUR_MS, 1),
      until(BASE_MS + 4 * HOUR_MS, BASE_MS - 4 * HOUR_MS, 2),
      until(BASE_MS + 3 * HOUR_MS, BASE_MS - 3 * HOUR_MS, 3),
      until(BASE_MS + 3 * HOUR_MS, BASE_MS - 2 * HOUR_MS, 4),
    ]
    const trail = trailOf(values, BASE_MS)
    expect(trail.map(({ id }) => id)).toEqual([4, 2, 1])
    const later = pruned(trail, BASE_MS + 4 * HOUR_MS)
    expect(later.map(({ id }) => id)).toEqual([4, 2, 1])
    expect(pruned(trail, BASE_MS + 5 * HOUR_MS).map(({ id }) => id)).toEqual([2, 1])
  })

  test('leaves nothing of a series that has expired before the last hour', () => {
    const trail = trailOf([until(BASE_MS + 5, BASE_MS)], BASE_MS)
    expect(pruned(trail, BASE_MS + HOUR_MS)).toBe(trail)
    expect(pruned(trail, BASE_MS + 2 * HOUR_MS)).toEqual([])
  })

  test('keeps the last value for ever', () => {
    const trail = trailOf([at(BASE_MS)], BASE_MS)
    expect(pruned(trail, BASE_MS + 1000 * HOUR_MS)).toBe(trail)
  })
})
