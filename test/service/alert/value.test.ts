import { describe, expect, test } from 'bun:test'
import { watchedValue } from '~/service/alert/value.ts'
import { convert } from '~/service/convert.ts'
import { offer } from '../../support/offers.ts'
import { viewOf } from '../../support/views.ts'
import { World } from '../../support/world.ts'

const CORRIDOR = { from: 'USD', to: 'KES' }
const AMOUNT = 1000

const totalOf = (world: World) =>
  watchedValue(viewOf(world), {
    ...{ corridor: CORRIDOR, amount: AMOUNT },
    when: { field: 'total_pct', op: null, value: null, periodMs: null },
  })

/** A mid of 130 all along, and a price whose total cost is 2 percent. */
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
  test('is the least that an executable price costs, in percent of the amount', () => {
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

  test('leaves a price out whose fee nobody stated', () => {
    const world = priced()
    world.quote({ providerId: 'retail-b', rate: 130 })
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

  test('is not known where nothing is left', () => {
    const world = new World()
    world.reference({ KES: 130 })
    world.quote(costing(1, 'official-a'))
    expect(totalOf(world)).toBeNull()
  })
})
