import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AlertOp, Condition, Standing } from '~/domain/alert/alert.ts'
import type { AlertField } from '~/domain/alert/field.ts'
import {
  evaluated,
  faultOf,
  MARGIN,
  MOVE_MARGIN,
  standingAt,
  type Value,
} from '~/domain/alert/rule.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { roundPercent } from '~/domain/round.ts'

const condition = (op: AlertOp, value: number, more: Partial<Condition> = {}): Condition => ({
  field: 'best',
  op,
  value,
  periodMs: null,
  ...more,
})
const stale: Condition = { field: 'stale', op: null, value: null, periodMs: null }
const overDay = (value: number) => condition('moves_pct', value, { periodMs: DAY_MS })

/** Firings of each value of a row, from the state of the first one. */
function firings(when: Condition, base: number | null, [first, ...values]: Value[]): boolean[] {
  let standing = standingAt(when, base, first ?? null)
  return values.map((value) => {
    const evaluation = evaluated(when, standing, value)
    standing = evaluation.standing
    return evaluation.fires
  })
}

const [yes, no] = [true, false]

describe('evaluated', () => {
  test('fires when a value passes its threshold, and not at it', () => {
    expect(firings(condition('above', 130), null, [129, 130, 130.01])).toEqual([no, yes])
    expect(firings(condition('below', 130), null, [131, 130, 129.99])).toEqual([no, yes])
  })

  test('fires again only after the value was a thousandth past the threshold on the other side', () => {
    const above = condition('above', 100)
    expect(firings(above, null, [99, 101, 99.95, 101])).toEqual([yes, no, no])
    expect(firings(above, null, [99, 101, 99.9, 101])).toEqual([yes, no, yes])
    const below = condition('below', 100)
    expect(firings(below, null, [101, 99, 100.05, 99])).toEqual([yes, no, no])
    expect(firings(below, null, [101, 99, 100.1, 99])).toEqual([yes, no, yes])
  })

  test('does not fire for a condition that is true at first until it has been false', () => {
    expect(firings(condition('above', 100), null, [101, 102, 98, 101])).toEqual([no, no, yes])
  })

  test('changes nothing for an unknown value', () => {
    expect(firings(condition('above', 100), null, [101, null, 101])).toEqual([no, no])
    expect(firings(condition('above', 100), null, [null, 101])).toEqual([yes])
    expect(firings(stale, null, [true, null, true])).toEqual([no, no])
  })

  test('ignores a move over a period while its base is unknown or zero', () => {
    for (const base of [null, 0])
      for (const isTrue of [yes, no])
        expect(evaluated(overDay(5), { isTrue, base }, 200)).toEqual({
          standing: { isTrue, base },
          fires: false,
        })
  })

  test('measures no move from a base of zero', () => {
    const before = { isTrue: false, base: 0 }
    const after = evaluated(condition('moves_pct', 10), before, 200)
    expect(after).toEqual({ standing: before, fires: false })
  })

  test('allows a threshold of zero no margin', () => {
    const below = condition('below', 0, { field: 'total_pct' })
    expect(firings(below, null, [1, -1, 0, -1])).toEqual([yes, no, yes])
  })

  test('fires when prices become stale, and again after fresh prices', () => {
    expect(firings(stale, null, [false, true, true, false, true])).toEqual([yes, no, no, yes])
  })

  test('fires for a move in either direction over a period, until it is a tenth smaller', () => {
    expect(firings(overDay(5), 100, [100, 105, 104.6, 105, 104.4, 95])).toEqual([
      ...[yes, no, no],
      ...[no, yes],
    ])
    expect(firings(overDay(5), null, [100, 200])).toEqual([no])
    expect(firings(overDay(5), 0, [100, 200])).toEqual([no])
  })

  test('measures a move without a period from where it last fired', () => {
    const move = condition('moves_pct', 10)
    expect(firings(move, null, [100, 109, 110, 115, 121, 108.9])).toEqual([
      ...[no, yes, no],
      ...[yes, yes],
    ])
    expect(standingAt(move, null, 100)).toEqual({ isTrue: false, base: 100 })
    expect(standingAt(move, null, null)).toEqual({ isTrue: false, base: null })
    expect(firings(move, null, [null, 50, 56])).toEqual([no, yes])
  })
})

const value = fc.oneof(fc.double({ min: 50, max: 150, noNaN: true }), fc.constant(null))
const when = fc.oneof(
  fc.record({
    field: fc.constant<AlertField>('best'),
    op: fc.constantFrom<AlertOp>('above', 'below'),
    value: fc.double({ min: 60, max: 140, noNaN: true }),
    periodMs: fc.constant(null),
  }),
  fc.record({
    field: fc.constant<AlertField>('best'),
    op: fc.constant<AlertOp>('moves_pct'),
    value: fc.double({ min: 1, max: 40, noNaN: true }),
    periodMs: fc.constantFrom(null, DAY_MS),
  }),
)

/** Reports whether a condition holds for a value, whatever came before. */
function isPlainlyTrue({ op, value: threshold }: Condition, base: number, now: number): boolean {
  if (op === 'above') return now > threshold!
  if (op === 'below') return now < threshold!
  return roundPercent((Math.abs(now - base) / base) * 100) >= threshold!
}

describe('evaluated, of any values', () => {
  test('fires twice without being false in between only for a move from its last firing', () => {
    fc.assert(
      fc.property(when, fc.array(value), (condition, values) => {
        if (condition.op === 'moves_pct' && condition.periodMs === null) return
        let standing: Standing = { isTrue: false, base: 100 }
        for (const now of values) {
          const after = evaluated(condition, standing, now)
          if (after.fires) expect([standing.isTrue, after.standing.isTrue]).toEqual([false, true])
          standing = after.standing
        }
      }),
    )
  })

  test('fires exactly when a false condition becomes plainly true', () => {
    fc.assert(
      fc.property(when, fc.array(value), (condition, values) => {
        let standing: Standing = { isTrue: false, base: 100 }
        for (const now of values) {
          const after = evaluated(condition, standing, now)
          const isTrue = now !== null && isPlainlyTrue(condition, standing.base!, now)
          expect(after.fires).toBe(isTrue && !standing.isTrue)
          standing = after.standing
        }
      }),
    )
  })

  test('stays true within the margin, however the value moves there', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 60, max: 140, noNaN: true }),
        fc.array(fc.double({ min: -0.99, max: 1, noNaN: true })),
        (threshold, parts) => {
          const within = parts.map((part) => threshold * (1 + part * MARGIN))
          const values = [threshold * 0.9, threshold * 1.1, ...within]
          const fired = firings(condition('above', threshold), null, values)
          expect(fired.filter(Boolean)).toHaveLength(1)
        },
      ),
    )
    const moves = [100, 110, 100 + 10 * MOVE_MARGIN + 0.01, 110]
    expect(firings(overDay(10), 100, moves)).toEqual([yes, no, no])
  })
})

describe('faultOf', () => {
  const corridor = { from: 'GBP', to: 'KES' }
  const COUNTRIES = { sourceCountry: null, targetCountry: null }
  const fault = (when: Partial<Condition>, amount: number | null = null) =>
    faultOf({ ...COUNTRIES, corridor, amount, when: { ...condition('above', 100), ...when } })
      ?.name ?? null

  test('accepts a condition that can be evaluated', () => {
    expect(fault({})).toBeNull()
    expect(fault({ field: 'best_current_net' }, 200)).toBeNull()
    expect(fault({ field: 'total_pct', value: -3 }, 200)).toBeNull()
    expect(fault({ op: 'moves_pct', value: 2 })).toBeNull()
    expect(fault({ op: 'moves_pct', value: 2, periodMs: 7 * DAY_MS })).toBeNull()
    expect(fault({ ...stale, periodMs: HOUR_MS })).toBeNull()
  })

  test('names the field that is wrong, missing or superfluous', () => {
    expect(fault({ field: 'best_current_net' })).toBe('amount')
    expect(fault({}, 200)).toBe('amount')
    expect(fault({ op: null })).toBe('when.op')
    expect(fault({ ...stale, op: 'above' })).toBe('when.op')
    expect(fault({ ...stale, value: 1 })).toBe('when.value')
    expect(fault({ value: null })).toBe('when.value')
    expect(fault({ value: 0 })).toBe('when.value')
    expect(fault({ value: 1.1e15 })).toBe('when.value')
    expect(fault({ op: 'moves_pct', value: -1 })).toBe('when.value')
    expect(fault({ op: 'moves_pct', value: 1001 })).toBe('when.value')
    expect(fault({ periodMs: DAY_MS })).toBe('when.period')
    expect(fault({ op: 'moves_pct', value: 2, periodMs: HOUR_MS })).toBe('when.period')
    const net = { field: 'best_current_net', op: 'moves_pct', value: 2 } as const
    expect(fault({ ...net, periodMs: DAY_MS }, 200)).toBe('when.period')
  })

  const between = (said: object, when: Partial<Condition>, amount: number | null = null) =>
    faultOf({
      ...{ ...COUNTRIES, ...said, corridor, amount },
      when: { ...condition('above', 100), ...when },
    })?.name ?? null

  test('accepts countries for every field that offers decide', () => {
    const both = { sourceCountry: 'GB', targetCountry: 'KE' }
    expect(between(both, {})).toBeNull()
    expect(between(both, { field: 'best_current_net' }, 200)).toBeNull()
    expect(between(both, { field: 'total_pct' }, 200)).toBeNull()
    expect(between(both, stale)).toBeNull()
    expect(between(both, { ...stale, periodMs: HOUR_MS })).toBeNull()
    expect(between(both, { op: 'moves_pct', value: 2 })).toBeNull()
  })

  test('names a country that has no effect or whose past is unknown', () => {
    expect(between({ sourceCountry: 'GB' }, { field: 'mid' })).toBe('source_country')
    expect(between({ targetCountry: 'KE' }, { field: 'mid' })).toBe('target_country')
    const move = { op: 'moves_pct', value: 2, periodMs: DAY_MS } as const
    expect(between({ targetCountry: 'KE' }, move)).toBe('target_country')
  })

  const said = (when: Partial<Condition>, amount: number | null = null) =>
    faultOf({ ...COUNTRIES, corridor, amount, when: { ...condition('above', 100), ...when } })
      ?.fault

  test('describes the error in words for that field', () => {
    expect(said({ field: 'best_current_net' })).toContain('is evaluated for an amount')
    expect(said({}, 200)).toBe('best is the same for every amount; leave it out')
    const monthly = { field: 'monthly', op: null, value: null } as const
    expect(said({ ...monthly, periodMs: DAY_MS }, 200)).toContain('monthly takes no period')
    expect(said(monthly, 200)).toBeUndefined()
    expect(said({ ...stale, op: 'above' })).toContain('stale compares nothing')
    expect(said({ value: null })).toBe('above needs a number')
    expect(said({ periodMs: DAY_MS })).toContain('only moves_pct and stale take a period')
    const net = { field: 'best_current_net', op: 'moves_pct', value: 2 } as const
    expect(said({ ...net, periodMs: DAY_MS }, 200)).toBe(
      'only best and mid have a past; leave it out',
    )
  })

  test('states the limit of a value, and accepts a value at the limit', () => {
    const ends = [
      [{ op: 'moves_pct', value: 0 }, 'a move is more than 0 and at most 1000 percent'],
      [{ value: -1 }, 'it must be more than 0 and at most 1000000000000000'],
      [
        { field: 'total_pct', value: -1.1e15 },
        'it must be at least -1000000000000000 and at most 1000000000000000',
      ],
    ] as const
    for (const [when, fault] of ends) expect(said(when, 'field' in when ? 200 : null)).toBe(fault)
    expect(said({ op: 'moves_pct', value: 1000 })).toBeUndefined()
    expect(said({ value: 1e15 })).toBeUndefined()
    expect(said({ field: 'total_pct', value: 0 }, 200)).toBeUndefined()
  })
})
