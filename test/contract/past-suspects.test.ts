import { afterEach, describe, expect, test } from 'bun:test'
import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../store/samples.ts'
import { PastWorld } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'

const AT = '2026-03-05T14:25:30.500Z'
const NOW_MS = Date.parse(AT)

type Point = { rate: number; spread_bps: number; suspect?: string }

let database: FreshDatabase | undefined
afterEach(() => database?.close())

async function stockedWorld(): Promise<PastWorld> {
  database = await stockedDatabase()
  return new PastWorld(database, { at: AT, quoteSuspectPct: 10 }).start()
}

async function fix(world: PastWorld, perUsd: string, agoMs: number) {
  const snapshot = { source: 'feed-a', fetchedMs: NOW_MS - agoMs }
  const references = await createReferenceStore(world.database).append({
    ...snapshot,
    rates: [{ currency: 'KES', perUsd }],
  })
  world.memory.publish({ references }, NOW_MS)
}

const row = (provider_id: string, rate: number, agoMs: number) => ({
  ...{ provider_id, from: 'USD', to: 'KES', rate },
  effective_from: new Date(NOW_MS - agoMs).toISOString(),
})

async function pointsOf(
  world: PastWorld,
  asked = 'period=7d',
): Promise<[number, number, unknown][]> {
  const { status, body } = await world.get(`/rates/history?from=USD&to=KES&${asked}`, 'hourly')
  expect(status).toBe(200)
  const data = body.data as unknown as Point[]
  return data.map(({ rate, spread_bps, suspect }) => [rate, spread_bps, suspect])
}

describe('suspect observations', () => {
  test('are named as soon as a mid of their time is known, and do not count for others then', async () => {
    const world = await stockedWorld()
    await world.post([row('retail-a', 200, 3 * HOUR_MS), row('retail-b', 100, 2 * HOUR_MS)])
    expect(await pointsOf(world)).toEqual([
      [200, 0, undefined],
      [100, 5000, undefined],
    ])
    await fix(world, '100', 4 * HOUR_MS)
    const marked = [
      [200, 0, '100.0 % above the mid of its day'],
      [100, 0, undefined],
    ]
    expect(await pointsOf(world)).toEqual(marked as never)
    expect(await pointsOf(world, 'period=7d&provider=retail-b')).toEqual([marked[1]] as never)
  })

  test('are found in a long page by the mid of each, of those that moved within it', async () => {
    const world = await stockedWorld()
    await fix(world, '100', 5 * HOUR_MS)
    await fix(world, '200', 3 * HOUR_MS)
    const rates = Array.from({ length: 160 }, (_, i) => ({
      rate: i % 40 === 7 ? 150 : i % 2 === 0 ? 100 : 109,
      agoMs: 4.5 * HOUR_MS - i * MINUTE_MS,
    }))
    for (let start = 0; start < rates.length; start += 80)
      await world.post(
        rates.slice(start, start + 80).map(({ rate, agoMs }) => row('retail-a', rate, agoMs)),
      )
    const said = (await pointsOf(world)).map(([, , suspect]) => suspect)
    const expected = rates.map(({ rate, agoMs }) =>
      agoMs > 3 * HOUR_MS && rate === 150 ? '50.0 % above the mid of its day' : undefined,
    )
    expect(said).toEqual(expected)
    expect(expected.filter((one) => one !== undefined).length).toBeGreaterThan(0)
    expect(
      expected.filter((one, i) => one === undefined && rates[i]!.rate === 150).length,
    ).toBeGreaterThan(0)
  })
  test('are found in a long page by a mid of the very time of the newest', async () => {
    const world = await stockedWorld()
    await fix(world, '100', 5 * HOUR_MS)
    await fix(world, '50', 2 * HOUR_MS)
    const rows = Array.from({ length: 120 }, (_, i) =>
      row('retail-a', 100 + (i % 2), 4 * HOUR_MS - (i + 1) * MINUTE_MS),
    )
    await world.post(rows.slice(0, 60))
    await world.post(rows.slice(60))
    const said = (await pointsOf(world)).map(([, , suspect]) => suspect)
    expect(said).toEqual([...Array(119).fill(undefined), '102.0 % above the mid of its day'])
  })
})
