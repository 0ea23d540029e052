import { beforeAll, describe, expect, test } from 'bun:test'
import type { Quote } from '~/domain/quote.ts'
import { World } from '../support/world.ts'

/**
 * The day on which all quotes here took effect, and later mids, which must not affect their costs.
 */
const THEN = '2026-03-03T10:00:00.000Z'

let world: World

beforeAll(() => {
  world = new World()
  world.reference({ KES: 130, GBP: 0.8 }, { at: '2026-03-03T05:00:00.000Z' })
  const said = (quote: Partial<Quote> & { providerId: string; rate: number }) =>
    world.quote({ ...quote, at: THEN })
  for (const quote of [
    { providerId: 'retail-a', rate: 127.4, fee: 5, feeCurrency: 'USD', evidence: 'observed' },
    { providerId: 'retail-b', rate: 131.3, fee: 260, feeCurrency: 'KES', evidence: 'derived' },
    { providerId: 'p2p-a', rate: 130, fee: 4, feeCurrency: 'GBP', evidence: 'indicative' },
    { providerId: 'p2p-b', rate: 123.5, fee: 0, feeCurrency: 'USD' },
    { providerId: 'interbank-a', rate: 126.1 },
    { providerId: 'interbank-b', rate: 126.1, fee: 3, feeCurrency: 'USDT' },
  ] satisfies Parameters<typeof said>[0][])
    said(quote)
})

type Entry = { provider_id: string; [member: string]: unknown }

const entries = async (query = 'amount=200'): Promise<Record<string, Entry>> => {
  const { body } = await world.get(`/convert?from=USD&to=KES&${query}`, world.key('enterprise'))
  return Object.fromEntries(body.providers.map((entry: Entry) => [entry.provider_id, entry]))
}

/** Fee and margin in percent of 200 dollars, their sum, and the sum in dollars, by hand. */
const BY_HAND: [string, string, string, [number, number, number, number]][] = [
  ['retail-a', 'observed', '5 USD of 200', [2.5, 2, 4.5, 9]],
  ['retail-b', 'derived', '260 KES at 130, above the mid', [1, -1, 0, 0]],
  ['p2p-a', 'indicative', '4 GBP at 0.8', [2.5, 0, 2.5, 5]],
  ['p2p-b', 'observed', 'no fee at all', [0, 5, 5, 10]],
]

describe('the cost of an entry of GET /convert', () => {
  test.each(BY_HAND)('%s (%s): %s', async (id, evidence, _, [fee, margin, both, total]) => {
    const entry = (await entries())[id]
    const cost = { fee_pct: fee, margin_pct: margin, total_pct: both, total, currency: 'USD' }
    expect(entry).toMatchObject({ evidence, fee_stated: true, margin_pct: margin, cost })
  })

  test('is null if no fee is stated, with a known margin', async () => {
    const unstated = { fee: null, fee_stated: false, margin_pct: 3, cost: null }
    expect((await entries())['interbank-a']).toMatchObject(unstated)
  })

  test('is null if the fee is in a currency without a mid that day', async () => {
    const unpriced = { fee_stated: true, margin_pct: 3, cost: null, net_converted: null }
    expect((await entries())['interbank-b']).toMatchObject(unpriced)
  })

  test('stays that of its day when the mid moves, while vs_mid_bps follows', async () => {
    const before = await entries()
    world.clock.advance(1000)
    world.reference({ KES: 100, GBP: 0.5 })
    const after = await entries()
    for (const id of ['retail-a', 'retail-b', 'p2p-b']) {
      expect(after[id]!.cost).toEqual(before[id]!.cost)
      expect(after[id]!.mid_at_quote).toEqual(before[id]!.mid_at_quote)
      expect(after[id]!.vs_mid_bps).not.toBe(before[id]!.vs_mid_bps)
    }
  })

  test('of an amount to arrive is that of the amount to send', async () => {
    const { 'retail-a': entry } = await entries('recipient_gets=25480')
    expect(entry).toMatchObject({ send_amount: 205, net_converted: 25_480 })
    expect(entry!.cost).toMatchObject({
      ...{ fee_pct: 2.439024, margin_pct: 2, total_pct: 4.439024 },
      total: 9.0999992,
    })
  })

  test('is null for a quote of a day without a recent mid', async () => {
    const late = new World()
    late.reference({ KES: 130 }, { at: '2026-02-20T05:00:00.000Z' })
    late.quote({ providerId: 'retail-a', rate: 127.4, fee: 5, feeCurrency: 'USD', at: THEN })
    const { body } = await late.get('/convert?from=USD&to=KES&amount=200', late.key('enterprise'))
    expect(body.best.cost).toBeNull()
    expect(body.best).not.toHaveProperty('mid_at_quote')
    expect(body.best).not.toHaveProperty('margin_pct')
  })
})
