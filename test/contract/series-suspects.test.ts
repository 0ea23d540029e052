import { afterEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { pruneObservations } from '~/jobs/prune-observations.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../store/samples.ts'
import { PastWorld } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { ORIGIN } from '../support/world.ts'

const AT = '2026-03-05T14:25:30.500Z'
const NOW_MS = Date.parse(AT)
const DAY = '2026-03-04'
const DAY_START_MS = Date.parse(`${DAY}T00:00:00Z`)

let database: FreshDatabase | undefined
afterEach(() => database?.close())

async function stockedWorld(): Promise<PastWorld> {
  database = await stockedDatabase()
  return worldOf(database)
}

const worldOf = (of: FreshDatabase, midMaxAgeMs = 3 * DAY_MS) =>
  new PastWorld(of, { at: AT, quoteSuspectPct: 10, midMaxAgeMs }).start()

/** Records what a dollar is worth in shillings, as another process would. */
const fetched = (world: PastWorld, perUsd: string, fetchedMs: number) =>
  createReferenceStore(world.database).append({
    ...{ source: 'feed-a', fetchedMs },
    rates: [{ currency: 'KES', perUsd }],
  })

async function fix(world: PastWorld, perUsd: string, fetchedMs: number) {
  const references = await fetched(world, perUsd, fetchedMs)
  world.memory.publish({ references }, NOW_MS)
  return references
}

const row = (rate: number, atMs: number, provider_id = 'retail-a') => ({
  ...{ provider_id, from: 'USD', to: 'KES', rate },
  effective_from: new Date(atMs).toISOString(),
})

type Point = { t: string; best: number | null; samples: number }

/** The best of each bucket that has observations, by its start. */
async function bests(world: PastWorld, asked = 'interval=P1D&period=7d') {
  const { status, body } = await world.get(`/time-series?from=USD&to=KES&${asked}`)
  expect(status).toBe(200)
  const data = body.data as unknown as Point[]
  return data.flatMap(({ t, best, samples }) => (samples > 0 ? [[t.slice(0, 16), best]] : []))
}

describe('the best of a bucket', () => {
  test.each([
    ['exactly at the percent', 110, 110],
    ['one step beyond it', 110.000000001, 90],
    ['exactly at half the mid', 50, 90],
  ])('is believed or left out %s', async (_, rate, best) => {
    const world = await stockedWorld()
    await fix(world, '100', DAY_START_MS)
    await world.post([row(90, DAY_START_MS), row(rate, DAY_START_MS + HOUR_MS, 'retail-b')])
    expect(await bests(world)).toEqual([[`${DAY}T00:00`, best]])
  })

  test('is null if every price was suspect, one below half of the mid too', async () => {
    const world = await stockedWorld()
    await fix(world, '100', DAY_START_MS - HOUR_MS)
    await world.post([row(49.9999, DAY_START_MS), row(120, DAY_START_MS + HOUR_MS, 'retail-b')])
    expect(await bests(world)).toEqual([[`${DAY}T00:00`, null]])
    const hours = await bests(world, 'interval=PT1H&period=7d')
    expect(hours.map(([, best]) => best)).toEqual([null, null])
  })

  test('is evaluated by the mid of the time if that moved within the bucket', async () => {
    const world = await stockedWorld()
    await fix(world, '130', DAY_START_MS - 1)
    await fix(world, '100', DAY_START_MS + 5 * HOUR_MS)
    await fix(world, '130', DAY_START_MS + 6 * HOUR_MS)
    const at = (rate: number, ms: number, provider?: string) =>
      row(rate, DAY_START_MS + 5 * HOUR_MS + ms, provider)
    await world.post([at(140, 0), at(105, 1, 'retail-b'), at(120, HOUR_MS - 1), at(50, HOUR_MS)])
    expect(await bests(world)).toEqual([[`${DAY}T00:00`, 105]])
    await world.post([at(138, HOUR_MS, 'retail-b'), at(143, -1)])
    expect(await bests(world)).toEqual([[`${DAY}T00:00`, 143]])
  })

  test('has every price if the mid of the time was too old to count', async () => {
    database = await stockedDatabase()
    const world = await worldOf(database, HOUR_MS)
    await fix(world, '100', DAY_START_MS)
    await world.post([row(200, DAY_START_MS + HOUR_MS), row(300, DAY_START_MS + HOUR_MS + 1)])
    expect(await bests(world)).toEqual([[`${DAY}T00:00`, 300]])
    await fix(world, '100', DAY_START_MS + 1)
    expect(await bests(world)).toEqual([[`${DAY}T00:00`, null]])
  })

  test('is evaluated again on every replica when a mid arrives later', async () => {
    const world = await stockedWorld()
    const other = await worldOf(database!)
    await world.post([row(120, DAY_START_MS + HOUR_MS), row(101, DAY_START_MS + HOUR_MS + 1)])
    const both = async () => [await bests(world), await bests(other)]
    expect(await both()).toEqual(Array(2).fill([[`${DAY}T00:00`, 120]]))
    await fix(world, '100', DAY_START_MS)
    await other.follower.caughtUp()
    expect(await both()).toEqual(Array(2).fill([[`${DAY}T00:00`, 101]]))
  })
})

describe('the chart of a page', () => {
  const rates = async (world: PastWorld) => {
    const url = `${ORIGIN}/board/series.csv?from=USD&to=KES&period=30d`
    const csv = await (await world.app.handle(new Request(url))).text()
    const [head, ...lines] = csv
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','))
    return lines.slice(-3).map((line) => [line[head!.indexOf('best')], line[STANDING]])
  }
  const STANDING = 5

  test('has no suspect price among those that held at the end of a day', async () => {
    const world = await stockedWorld()
    const at = (rate: number, hours: number, provider: string) =>
      row(rate, DAY_START_MS + hours * HOUR_MS, provider)
    await world.post([at(99, -20, 'retail-b'), at(98, 1, 'retail-a'), at(120, 2, 'retail-a')])
    expect(await rates(world)).toEqual([
      ['99', '99'],
      ['120', '120'],
      ['', '120'],
    ])
    await fix(world, '100', DAY_START_MS - DAY_MS)
    expect(await rates(world)).toEqual([
      ['99', '99'],
      ['98', '99'],
      ['', '99'],
    ])
    await fix(world, '100', DAY_START_MS + 1.5 * HOUR_MS)
    await fix(world, '115', DAY_START_MS + 2 * HOUR_MS)
    expect(await rates(world)).toEqual([
      ['99', '99'],
      ['120', '120'],
      ['', '120'],
    ])
  })
})

describe('an hour whose observations were pruned', () => {
  const YEAR_START_MS = Date.parse('2025-01-01T00:00:00Z')
  const asked = 'interval=P1D&start=2025-01-01T00:00:00Z&end=2025-01-04T00:00:00Z'

  test('keeps the best of its roll-up unless that was suspect all along', async () => {
    const world = await stockedWorld()
    const day = (n: number, ms = 0) => YEAR_START_MS + n * DAY_MS + ms
    await fix(world, '100', day(0, -HOUR_MS))
    await fix(world, '100', day(1, -HOUR_MS))
    await fix(world, '200', day(1, HOUR_MS / 2))
    await fix(world, '100', day(2, -HOUR_MS))
    await world.post([
      ...[row(120, day(0)), row(90, day(0, 1))],
      ...[row(150, day(1)), row(105, day(2)), row(109, day(40))],
    ])
    const before = [
      ['2025-01-01T00:00', 90],
      ['2025-01-02T00:00', null],
      ['2025-01-03T00:00', 105],
    ]
    expect(await bests(world, asked)).toEqual(before)
    const deps = {
      store: createRetentionStore(database!),
      rollups: createRollupStore(database!),
      clock: world.clock,
      actor: 'a test',
    }
    expect((await pruneObservations(deps, 1))!.observations).toBe(4)
    world.windows.clear()
    expect(await bests(world, asked)).toEqual([
      ['2025-01-01T00:00', null],
      ['2025-01-02T00:00', 150],
      ['2025-01-03T00:00', 105],
    ])
  })
})
