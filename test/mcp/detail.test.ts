import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { offer } from '../support/offers.ts'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld

beforeAll(() => {
  tools = new ToolWorld()
  tools.world.quote(
    { providerId: 'retail-a', rate: 130, notes: 'seen at the counter', offer: offer({}) },
    { providerId: 'retail-b', rate: 129 },
  )
})

afterAll(() => tools.stop())

const get = (path: string) => tools.world.get(path, tools.world.key('enterprise'))

const NOTES = { 'retail-a': 'seen at the counter', 'retail-b': null }

type Entry = { provider_id: string; notes?: string | null }

const notesOf = (entries: readonly Entry[]) =>
  Object.fromEntries(entries.map(({ provider_id, notes }) => [provider_id, notes]))

describe.each([
  ['/rates', 'from=USD&to=KES', 'get_rates', { from: 'USD', to: 'KES' }],
  ['/convert', 'from=USD&to=KES&amount=100', 'convert', { from: 'USD', to: 'KES', amount: 100 }],
])('%s and %s', (path, query, tool, args) => {
  test('have the notes of a price, or null, with detail=full', async () => {
    for (const more of ['', '0']) {
      const { body } = await get(`${path}?detail=full&${query}${path === '/convert' ? more : ''}`)
      expect(notesOf(body.providers)).toEqual(NOTES)
      if (body.best) expect(body.best.notes).toBe('seen at the counter')
    }
    const session = await tools.connect(tools.world.key())
    const answer = (await session.call(tool, { ...args, detail: 'full' })).body
    // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
    expect(notesOf((answer as any).providers)).toEqual(NOTES)
  })

  test('have no notes otherwise, even after the full response was given', async () => {
    await get(`${path}?detail=full&${query}`)
    for (const more of ['', '&detail=short']) {
      const { body } = await get(`${path}?${query}${more}`)
      expect(body.count).toBe(2)
      expect(JSON.stringify(body)).not.toContain('"notes"')
    }
    const session = await tools.connect(tools.world.key())
    expect(JSON.stringify((await session.call(tool, args)).body)).not.toContain('"notes"')
  })
})

test('/rates/provider and its tool have the notes with detail=full alone', async () => {
  const short = await get('/rates/provider?provider=retail-a')
  expect(short.body.corridors[0]).not.toHaveProperty('notes')
  const full = await get('/rates/provider?provider=retail-a&detail=full')
  expect(full.body.corridors).toMatchObject([{ notes: 'seen at the counter' }])
  const again = await get('/rates/provider?provider=retail-a')
  expect(again.body.corridors[0]).not.toHaveProperty('notes')
  const session = await tools.connect(tools.world.key())
  const args = { provider: 'retail-b', detail: 'full' }
  const { body } = await session.call('get_provider_rates', args)
  // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
  expect((body as any).corridors).toMatchObject([{ notes: null }])
})

test('an unknown detail is refused by its name', async () => {
  const { status, body } = await get('/rates?from=USD&to=KES&detail=much')
  expect({ status, parameter: body.parameter }).toEqual({ status: 400, parameter: 'detail' })
})
