import { afterEach, describe, expect, test } from 'bun:test'
import { promptOf } from '~/mcp/prompt.ts'
import { offer } from '../support/offers.ts'
import { emptyPast } from '../support/past.ts'
import { ToolWorld } from './tool-world.ts'

const CORRIDOR = { from: 'USD', to: 'KES' }
const PAIR = { source_country: 'US', target_country: 'KE' }
const CALLS: readonly [string, Record<string, unknown>][] = [
  ['get_rates', CORRIDOR],
  ['convert', { ...CORRIDOR, amount: 200 }],
  ['convert', { ...CORRIDOR, recipient_gets: 20_000 }],
  ['get_costs', { ...PAIR, amount: 200 }],
  ['fetch_rates', CORRIDOR],
  ['get_history', CORRIDOR],
  ['get_history', { ...CORRIDOR, interval: 'P1D' }],
  ['get_change', { ...CORRIDOR, period: '7d' }],
  ['get_official', { currency: 'KES', date: '2026-03-04' }],
  ['get_provider_rates', { provider: 'retail-a' }],
  ['list_corridors', {}],
]

let tools: ToolWorld
afterEach(() => tools.stop())

async function answers(name: string, args: object) {
  const session = await tools.connect(tools.world.key())
  const { isError, body, result } = await session.call(name, { ...args })
  expect([name, isError]).toEqual([name, false])
  return { body, text: JSON.stringify(result.content) }
}

describe('a result of a tool', () => {
  test.each(CALLS)('is marked as a sample: %s %p', async (name, args) => {
    tools = new ToolWorld({ past: emptyPast() })
    for (const isSample of [false, true, true]) {
      tools.world.memory.isSample = isSample
      for (const detail of [{}, { detail: 'full' }]) {
        const { body, text } = await answers(name, { ...args, ...detail })
        expect([name, detail, body.sample]).toEqual([name, detail, isSample || undefined])
        expect(text.includes('\\"sample\\":true')).toBe(isSample)
      }
    }
  })
})

describe('the note of a tool', () => {
  const surveyed = { providerId: 'retail-b', to: 'ETB', rate: 1500, fee: 1 }
  const PLACES = { source_country: 'US', target_country: 'ET' }
  const at = (amount: number) =>
    offer({ sourceCountry: 'US', targetCountry: 'ET', amountMin: amount, amountMax: amount })

  test('names the amounts with known prices if none is for the requested one', async () => {
    tools = new ToolWorld({ past: emptyPast() })
    tools.world.quote({ ...surveyed, to: 'NGN', offer: at(150) })
    const asked = { from: 'USD', to: 'NGN', amount: 10_000, ...PLACES }
    const { body } = await answers('convert', asked)
    expect([body.best_current, body.note]).toEqual([null, expect.stringContaining('are known for')])
    const { amount: _, ...rates } = asked
    expect((await answers('get_rates', rates)).body.note).toBeUndefined()
  })

  test('has the percentage on each suspect price of get_costs, and counts them', async () => {
    tools = new ToolWorld({ past: emptyPast() })
    const { world } = tools
    world.reference({ NGN: 1500 }, { at: '2026-03-05T12:00:00Z' })
    for (const [providerId, rate] of [
      ['retail-a', 1490],
      ['retail-b', 1800],
    ] as const)
      world.quote({ ...surveyed, providerId, rate, to: 'NGN', offer: at(200) })
    for (const detail of ['short', 'full']) {
      const { body } = await answers('get_costs', { ...PLACES, to: 'NGN', amount: 200, detail })
      const offers = body.offers as { suspect?: string }[]
      expect([body.count, body.suspect, offers.map(({ suspect }) => suspect)]).toEqual([
        ...[2, 1],
        [undefined, expect.stringMatching(/^20\.0 % above the /)],
      ])
    }
  })

  test('has the reason why the costs of a pair are unknown', async () => {
    tools = new ToolWorld({ past: emptyPast() })
    const { body } = await answers('get_costs', { ...PLACES, to: 'NGN', amount: 200 })
    expect([body.count, body.average_pct, body.note]).toEqual([
      ...[0, null],
      'No offer in USD/NGN says that it is for US to ET.',
    ])
    tools.world.quote({ ...surveyed, to: 'NGN', offer: at(150) })
    const far = (await answers('get_costs', { ...PLACES, to: 'NGN', amount: 10_000 })).body
    expect([far.count, far.average_pct, far.out_of_range, far.note]).toEqual([
      ...[1, null, 1],
      expect.stringContaining('are known for 75 to 300 USD'),
    ])
  })
})

test('the prompt explains every mark of a price', () => {
  tools = new ToolWorld()
  const { messages } = promptOf('compare_providers', { ...CORRIDOR, amount: '200' })
  const { text } = messages[0]!.content
  for (const word of ['amount_match', 'at_amount', 'out_of_range', 'suspect', 'unspecified'])
    expect(text).toContain(word)
  expect(text).toContain('a nearest price is compared at at_amount')
  expect(text).not.toContain('cost.total as')
})
