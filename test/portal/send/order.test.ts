import { beforeEach, describe, expect, test } from 'bun:test'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'
import { rowsOf, textOf, visit } from '../portal-world.ts'

const PAGE = '/send/united-states-to-kenya'
const HOUR_MS = 3_600_000
const PRICE = { rate: 130, fee: 1, at: '2026-03-05T13:00:00Z' }

let world: World
beforeEach(() => {
  world = new World()
  world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
  const between = (more = {}) => offer({ sourceCountry: 'US', targetCountry: 'KE', ...more })
  world.quote(
    { ...PRICE, providerId: 'retail-a', offer: between({ deliveryMaxMs: 48 * HOUR_MS }) },
    { ...PRICE, providerId: 'retail-b', rate: 129, offer: between({ deliveryMaxMs: HOUR_MS }) },
    { ...PRICE, providerId: 'p2p-a', rate: 128, fee: 3, offer: between() },
  )
})

const orderOf = async (query: string): Promise<string[]> => {
  const { text } = await visit(world, `${PAGE}?amount=200${query}`)
  const names = rowsOf(text).flatMap(([who]) => who?.match(/Provider (?:retail|p2p)-\w/) ?? [])
  return names.map((name) => name.slice('Provider '.length))
}

describe('GET /send/:pair?sort=', () => {
  test('starts with the most that arrives, also for an unknown order', async () => {
    for (const query of ['', '&sort=arrives', '&sort=<b>', '&sort='])
      expect((await orderOf(query)).slice(0, 2)).toEqual(['retail-a', 'retail-b'])
  })

  test('sorts by speed, and lists prices without a speed last', async () => {
    expect((await orderOf('&sort=speed')).filter((id) => id !== 'p2p-a')).toEqual([
      'retail-b',
      'retail-a',
    ])
  })

  test('shows by speed the numbers of the fastest offer of a provider, once', async () => {
    const said = { sourceCountry: 'US', targetCountry: 'KE', service: 'Express' }
    const fast = offer({ ...said, deliveryMaxMs: HOUR_MS / 2 })
    world.quote({ ...PRICE, providerId: 'retail-a', rate: 127, offer: fast })
    const { text } = await visit(world, `${PAGE}?amount=200&sort=speed`)
    const rows = rowsOf(text).filter(([who]) => who?.includes('Provider retail-a'))
    expect([rows.length, rows[0]?.join(' ')]).toEqual([1, expect.stringContaining('25,273.00')])
    expect((await orderOf('&sort=speed'))[0]).toBe('retail-a')
    const usual = rowsOf((await visit(world, `${PAGE}?amount=200`)).text)
    expect(usual.find(([who]) => who?.includes('Provider retail-a'))?.join(' ')).toContain(
      '25,870.00',
    )
  })

  test('sorts by cost', async () => {
    expect((await orderOf('&sort=cost')).filter((id) => id !== 'p2p-a')).toEqual([
      'retail-a',
      'retail-b',
    ])
  })

  test('keeps the order with a filter, and the filter with an order', async () => {
    const { text } = await visit(world, `${PAGE}?amount=200&delivery_max=P1D&sort=cost`)
    expect(text).toContain('name="sort" value="cost"')
    expect(text).toContain('amount=200&amp;delivery_max=P1D&amp;sort=speed"')
    expect(text).toMatch(/sort=cost" aria-current="true"/)
  })
})

describe('the page of a pair', () => {
  test('starts with what arrives and what it costs, in one sentence', async () => {
    expect(textOf((await visit(world, `${PAGE}?amount=200`)).text)).toContain(
      'Send $200 with Provider retail-a and 25,870.00 KES arrives, for a total cost of',
    )
  })

  test('starts without it if no price is for that exact amount', async () => {
    world = new World()
    world.reference({ KES: 131 }, { at: '2026-03-05T12:00:00Z' })
    const at150 = { sourceCountry: 'US', targetCountry: 'KE', amountMin: 150, amountMax: 150 }
    world.quote({ ...PRICE, providerId: 'retail-a', offer: offer(at150) })
    expect((await visit(world, `${PAGE}?amount=150`)).text).toContain('lead-answer')
    const { text } = await visit(world, `${PAGE}?amount=200`)
    expect(text).not.toContain('lead-answer')
  })

  test('draws the fee and the rate of a price separately, and names both', async () => {
    const { text } = await visit(world, `${PAGE}?amount=200`)
    expect(text.match(/row-bar-fee/g)).toHaveLength(3)
    expect(text.match(/row-bar-rate/g)).toHaveLength(3)
    expect(textOf(text)).toContain('fee 0.50%, rate 0.76%')
    expect(text).toContain('In each bar the solid part is the fee')
  })

  test('draws no bar on the board, nor for a rate better than the mid', async () => {
    expect((await visit(world, '/?from=USD&to=KES&amount=200')).text).not.toContain('row-bar')
    world.quote({ providerId: 'p2p-a', rate: 140, fee: 0, at: '2026-03-05T13:30:00Z' })
    expect((await visit(world, `${PAGE}?amount=200`)).text).not.toContain('width="-')
  })
})
