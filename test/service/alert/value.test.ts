import { describe, expect, test } from 'bun:test'
import { ALERT_FIELDS, type AlertField, fieldOf } from '~/domain/alert/field.ts'
import { watchedValue } from '~/service/alert/value.ts'
import { convert } from '~/service/convert.ts'
import { offer } from '../../support/offers.ts'
import { viewOf } from '../../support/views.ts'
import { World } from '../../support/world.ts'

const CORRIDOR = { from: 'USD', to: 'KES' }
const AMOUNT = 1000

const valueIn = (world: World, field: AlertField, targetCountry: string | null = null) =>
  watchedValue(viewOf(world, 'realtime', { quoteSuspectPct: 10 }), {
    ...{ corridor: CORRIDOR, sourceCountry: null, targetCountry },
    amount: fieldOf(field).isForAmount ? AMOUNT : null,
    when: { field, op: null, value: null, periodMs: null },
  })

const totalOf = (world: World) => valueIn(world, 'total_pct')

/** A constant mid of 130, and a price whose total cost is 2 percent. */
function priced(): World {
  const world = new World()
  for (const at of ['2026-02-01T00:00:00.000Z', '2026-03-05T00:00:00.000Z'])
    world.reference({ KES: 130 }, { at })
  world.quote(costing(2))
  return world
}

const costing = (pct: number, providerId = 'retail-a') => ({
  ...{ providerId, rate: 130, fee: (pct / 100) * AMOUNT, feeCurrency: 'USD' },
})

describe('total_pct', () => {
  test('is the lowest cost of an executable price, in percent of the amount', () => {
    const world = priced()
    expect(totalOf(world)).toBe(2)
    world.quote(costing(1.5, 'retail-b'))
    expect(totalOf(world)).toBe(1.5)
  })

  test('leaves a stale price out', () => {
    const world = priced()
    world.quote({ ...costing(1, 'retail-b'), at: '2026-02-01T00:00:00.000Z' })
    expect(totalOf(world)).toBe(2)
  })

  test('leaves official and parallel prices out', () => {
    const world = priced()
    world.quote(costing(1, 'official-a'), { ...costing(1, 'retail-b'), rateType: 'parallel' })
    expect(totalOf(world)).toBe(2)
  })

  test('leaves out a price whose fee is not stated', () => {
    const world = priced()
    world.quote({ providerId: 'retail-b', rate: 130 })
    expect(totalOf(world)).toBe(2)
  })

  test('leaves out a price that has no mid of its day', () => {
    const world = new World()
    world.quote({ ...costing(1, 'retail-b'), at: '2026-03-04T00:00:00.000Z' })
    world.reference({ KES: 130 }, { at: '2026-03-05T00:00:00.000Z' })
    world.quote(costing(2))
    expect(totalOf(world)).toBe(2)
  })

  test('counts one offer of a provider, the one that /convert shows', () => {
    const world = new World()
    world.reference({ KES: 120 }, { at: '2026-03-03T00:00:00.000Z' })
    const worse = { ...costing(0), rate: 119, offer: offer({ service: 'Saver' }) }
    world.quote({ ...worse, at: '2026-03-04T00:00:00.000Z' })
    world.reference({ KES: 130 }, { at: '2026-03-05T00:00:00.000Z' })
    world.quote({ ...costing(0), rate: 127.4 })
    const view = viewOf(world)
    const goal = { amount: AMOUNT, recipientGets: null }
    const { entries } = convert(view, { ...CORRIDOR, goal })
    expect(entries.map(({ ranked }) => ranked.quote.rate)).toEqual([127.4])
    expect(totalOf(world)).toBe(2)
  })

  test('is unknown if no price is left', () => {
    const world = new World()
    world.reference({ KES: 130 })
    world.quote(costing(1, 'official-a'))
    expect(totalOf(world)).toBeNull()
  })
})

describe('an alert between countries', () => {
  const FRESH = '2026-03-05T13:00:00.000Z'

  function sold(): World {
    const world = priced()
    const to = (targetCountry: string) => offer({ targetCountry })
    world.quote(
      { ...costing(1.5), rate: 131, offer: to('UG'), at: FRESH },
      { ...costing(3, 'retail-b'), rate: 128, offer: to('KE'), at: '2026-02-01T00:00:00.000Z' },
    )
    return world
  }

  const valuesIn = (world: World, country: string | null) =>
    Object.fromEntries(ALERT_FIELDS.map((field) => [field, valueIn(world, field, country)]))

  test('ignores prices for another country', () => {
    const [anywhere, kenya] = [valuesIn(sold(), null), valuesIn(sold(), 'KE')]
    expect([anywhere.best, kenya.best, valueIn(sold(), 'best', 'UG')]).toEqual([131, 128, 131])
    expect(anywhere.best_current_net).toBe(131 * 985)
    expect(kenya.best_current_net).toBe(130 * 980)
    expect([kenya.mid, anywhere.mid]).toEqual([130, 130])
  })

  test('counts prices without countries if nothing else is current', () => {
    expect(valueIn(sold(), 'total_pct', 'KE')).toBe(2)
    expect(valueIn(sold(), 'stale', 'KE')).toBe(false)
  })

  test('ignores prices without countries if another is current', () => {
    const world = sold()
    const ours = { ...costing(2.5, 'retail-b'), offer: offer({ targetCountry: 'KE' }) }
    world.quote(ours)
    expect(valueIn(world, 'total_pct', 'KE')).toBe(2.5)
  })
})

describe('a suspect price', () => {
  test('never counts for an alert, unless the mid makes it plausible', () => {
    const world = priced()
    const before = ALERT_FIELDS.map((field) => [field, valueIn(world, field)])
    world.quote({ ...costing(0, 'retail-b'), rate: 145 })
    expect(ALERT_FIELDS.map((field) => [field, valueIn(world, field)])).toEqual(before)
    world.quote({ ...costing(0, 'retail-b'), rate: 140 })
    expect(valueIn(world, 'best')).toBe(140)
  })

  test('leaves the value unknown if there is no other price', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T00:00:00.000Z' })
    world.quote({ ...costing(0), rate: 145 })
    const values = ALERT_FIELDS.map((field) => [field, valueIn(world, field)])
    expect(Object.fromEntries(values)).toEqual({
      ...{ best: null, best_current_net: null, mid: 130, total_pct: null, stale: null },
      monthly: null,
    })
  })

  test('does not count as newer than the others for an alert on stale prices', () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-02-01T00:00:00.000Z' })
    world.quote({ ...costing(1), at: '2026-02-01T00:00:00.000Z' })
    world.reference({ KES: 130 }, { at: '2026-03-05T00:00:00.000Z' })
    world.quote({ ...costing(0, 'retail-b'), rate: 145 })
    expect(valueIn(world, 'stale')).toBe(true)
  })
})

describe('a price surveyed for other amounts', () => {
  const surveyedAt = (amount: number): World => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T00:00:00.000Z' })
    world.quote({ ...costing(2), offer: offer({ amountMin: amount, amountMax: amount }) })
    return world
  }

  test('counts up to twice its amount, and not beyond', () => {
    for (const near of [AMOUNT / 2, AMOUNT * 2])
      expect(valueIn(surveyedAt(near), 'best_current_net')).not.toBeNull()
    for (const far of [AMOUNT / 2 - 1, AMOUNT * 2 + 1]) {
      const world = surveyedAt(far)
      expect([valueIn(world, 'best_current_net'), totalOf(world)]).toEqual([null, null])
    }
  })
})

describe('mid', () => {
  test('is unknown while feeds dispute it, so that no alert fires', () => {
    const world = new World()
    world.reference({ KES: 130 })
    expect(valueIn(world, 'mid')).toBe(130)
    const disputed = { currency: 'KES', perUsd: 140, source: 'a', basis: 'disputed' } as const
    const atMs = world.clock.now()
    world.memory.publish({ references: [{ id: 9999, atMs, ...disputed }] }, atMs)
    expect(valueIn(world, 'mid')).toBeNull()
  })
})
