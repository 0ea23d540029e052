import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { listenForNotifications } from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { switchProvider } from '../../support/activity.ts'
import { PROVIDERS } from '../../support/catalogue.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import {
  inArrays,
  NOW_MS,
  observation,
  otherHandle,
  stockedDatabase,
  untilWaiting,
} from '../samples.ts'

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
const HOUR = hourStartMs(NOW_MS)
const RUNS = 15

let database: FreshDatabase
let other: Database
let store: ReturnType<typeof createRollupStore>

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
  store = createRollupStore(database)
}, TEST_MS_MAX)
afterAll(async () => {
  await other.close()
  await database.close()
})

const record = (observations: Observation[], through: Database = database) =>
  createObservationStore(through).record({ observations, idempotency: null })

const imported = (rows: Observation[], through: Database = database) =>
  importObservations({ database: through, rows: inArrays(rows, 3) })

const rollups = async (to: string) => [
  ...(await database.sql`
    select (extract(epoch from hour) * 1000)::float8 as hour, best_rate as best, samples
    from rollups r join corridors c on c.id = r.corridor_id
    where c.source = 'USD' and c.target = ${to} order by hour`),
]

const allDifferences = () => differencesIn(store)

async function differencesIn(of: typeof store) {
  const corridors = await of.corridors()
  const found = await Promise.all(corridors.map((corridor) => of.differences(corridor, ALWAYS)))
  return found.flat()
}

const corridorTo = async (to: string) =>
  (await store.corridors()).find((corridor) => corridor.from === 'USD' && corridor.to === to)!

describe('roll-ups', () => {
  test('have the best executable rate and the number of observations of each hour', async () => {
    const row = (providerId: string, rate: string, effectiveMs: number) => {
      const { rateType } = PROVIDERS.find(({ id }) => id === providerId)!
      return observation({ to: 'NGN', providerId, rate, effectiveMs, rateType })
    }
    await record([
      row('retail-a', '99.5', HOUR),
      row('p2p-a', '100.50', HOUR + 1),
      row('interbank-a', '100.4', HOUR + HOUR_MS - 1),
      row('official-a', '500', HOUR + 2),
      row('parallel-b', '600', HOUR + 3),
      row('official-a', '700', HOUR - 1),
    ])
    expect(await rollups('NGN')).toEqual([
      { hour: HOUR - HOUR_MS, best: null, samples: 1 },
      { hour: HOUR, best: '100.50', samples: 5 },
    ])
  })

  test('have the best rate of active providers as well as that of all', async () => {
    const row = (providerId: string, rate: string, hours: number) =>
      observation({ to: 'SLL', providerId, rate, effectiveMs: HOUR - hours * HOUR_MS })
    const offMs = HOUR - 8 * HOUR_MS
    await switchProvider(database, { providerId: 'retail-b', isActive: false, atMs: offMs })
    await switchProvider(database, { providerId: 'retail-b', isActive: true, atMs: HOUR })
    await record([row('retail-b', '9', 9), row('retail-b', '9', 8), row('retail-b', '9', 7)])
    await record([row('retail-a', '8', 7), row('retail-b', '9', 5), row('retail-b', '9', 0)])
    await imported([row('retail-a', '7', 8), row('retail-a', '8.0', 8), row('retail-a', '10', 5)])
    const kept = await database.sql`
      select (extract(epoch from hour) * 1000)::float8 as hour, best_rate as best, counted_best
      from rollups r join corridors c on c.id = r.corridor_id where c.target = 'SLL' order by hour`
    const hour = (hours: number) => HOUR - hours * HOUR_MS
    expect([...kept]).toEqual([
      { hour: hour(9), best: '9', counted_best: null },
      { hour: hour(8), best: '9', counted_best: '8.0' },
      { hour: hour(7), best: '9', counted_best: '8' },
      { hour: hour(5), best: '10', counted_best: null },
      { hour: hour(0), best: '9', counted_best: null },
    ])
    expect(await allDifferences()).toEqual([])
    await database.sql`update rollups set counted_best = 5 where counted_best is not null`
    const corridor = await corridorTo('SLL')
    expect(await store.differences(corridor, ALWAYS)).toMatchObject([
      { hourMs: hour(8), kept: { counted: '5' }, observed: { counted: '8.0' } },
      { hourMs: hour(7), kept: { counted: '5' }, observed: { counted: '8' } },
    ])
    await store.repair(corridor, [hour(8), hour(7), hour(9), hour(0)])
    expect(await allDifferences()).toEqual([])
  })

  test('drop a best rate that is recorded again as one at which no money can be moved', async () => {
    const row = (rateType: Observation['rateType'], rate: string) =>
      observation({ to: 'USDC', providerId: 'retail-a', rate, effectiveMs: HOUR, rateType })
    await record([row('retail', '101')])
    await record([row('official', '99')])
    expect(await rollups('USDC')).toEqual([{ hour: HOUR, best: null, samples: 2 }])
    await record([row('official', '98'), row('retail', '97')])
    expect(await rollups('USDC')).toEqual([{ hour: HOUR, best: '97', samples: 4 }])
    expect(await allDifferences()).toEqual([])
  })

  test('keep every digit of the best rate', async () => {
    await record([
      observation({ to: 'UGX', rate: '123456789012.345678' }),
      observation({ to: 'UGX', rate: '123456789012.345679' }),
    ])
    expect(await rollups('UGX')).toEqual([{ hour: HOUR, best: '123456789012.345679', samples: 2 }])
  })

  test('are right for any batches, imports and backfill, in any order', async () => {
    const row = fc.record({
      provider: fc.constantFrom(...PROVIDERS),
      to: fc.constantFrom('KES', 'XOF', 'ZAR'),
      rate: fc.constantFrom('1', '1.5', '2', '0.000001'),
      minutesAgo: fc.constantFrom(0, 25, 26, 60, 85, 86, 1440, 60 * 24 * 400),
    })
    const batches = fc.array(
      fc.record({ isImport: fc.boolean(), rows: fc.array(row, { minLength: 1, maxLength: 12 }) }),
      { maxLength: 6 },
    )
    const turns = fc.uniqueArray(fc.constantFrom(25, 60, 85, 1440), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(batches, turns, async (story, ages) => {
        const fresh = await stockedDatabase()
        for (const [i, minutes] of ages.sort((a, b) => b - a).entries()) {
          const isActive = (ages.length - i) % 2 === 1
          const atMs = NOW_MS - minutes * 60_000
          await switchProvider(fresh, { providerId: 'retail-a', isActive, atMs })
        }
        for (const { isImport, rows } of story) {
          const observations = rows.map(({ provider, minutesAgo, ...rest }) =>
            observation({
              ...rest,
              providerId: provider.id,
              rateType: provider.rateType,
              effectiveMs: NOW_MS - minutesAgo * 60_000,
            }),
          )
          await (isImport ? imported(observations, fresh) : record(observations, fresh))
        }
        expect(await differencesIn(createRollupStore(fresh))).toEqual([])
        await fresh.close()
      }),
      { numRuns: RUNS },
    )
  })

  test('are right when many batches of the same hours are recorded at once', async () => {
    const batch = (seed: number) =>
      Array.from({ length: 40 }, (_, i) =>
        observation({
          to: ['KES', 'NGN', 'UGX', 'XOF'][(i * 7 + seed) % 4]!,
          providerId: PROVIDERS[(i + seed) % 6]!.id,
          rate: String(100 + ((i * seed) % 13)),
          effectiveMs: NOW_MS - ((i * 31 + seed) % 9) * HOUR_MS,
        }),
      )
    const work = Array.from({ length: 24 }, (_, i) => {
      const through = i % 2 ? other : database
      return i % 11 ? record(batch(i), through) : imported(batch(i).reverse(), through)
    })
    await Promise.all(work)
    expect(await allDifferences()).toEqual([])
  })

  test('are committed with their observations or not at all', async () => {
    const before = await rollups('KES')
    const refused = [observation(), observation({ rateType: 'none' as 'retail' })]
    await expect(record(refused)).rejects.toThrow()
    await expect(imported(refused)).rejects.toThrow()
    expect(await rollups('KES')).toEqual(before)
  })

  test('count a batch once if it is sent again with its idempotency key', async () => {
    const [account] = await database.sql`
      insert into accounts (email, plan, role) values ('a@example.com', 'pro', 'treasury') returning id`
    const idempotency = {
      accountId: String(account!.id),
      key: 'again',
      bodyHash: 'a'.repeat(64),
      nowMs: NOW_MS,
    }
    const batch = { observations: [observation({ to: 'EUR' })], idempotency }
    for (const _ of [1, 2, 3]) await createObservationStore(database).record(batch)
    expect(await rollups('EUR')).toEqual([{ hour: HOUR, best: '129.5', samples: 1 }])
  })

  test('do not count rows for an import that others record while it runs', async () => {
    const half = Promise.withResolvers<void>()
    const rest = Promise.withResolvers<void>()
    const import_ = importObservations({
      database: other,
      rows: (async function* () {
        yield [observation({ to: 'GBP' })]
        half.resolve()
        await rest.promise
        yield [observation({ to: 'GBP', rate: '131' })]
      })(),
    })
    await half.promise
    await record([observation({ to: 'GBP', rate: '130' })])
    rest.resolve()
    await import_
    expect(await rollups('GBP')).toEqual([{ hour: HOUR, best: '131', samples: 3 }])
  })

  test('let others record into the hours of an import that still reads its file', async () => {
    const half = Promise.withResolvers<void>()
    const rest = Promise.withResolvers<void>()
    const import_ = imported_(half, rest.promise)
    await half.promise
    expect(await record([observation({ to: 'ZAR' })])).toMatchObject({ kind: 'recorded' })
    rest.resolve()
    await import_
    expect(await allDifferences()).toEqual([])
  })
})

const imported_ = (half: { resolve(): void }, rest: Promise<void>) =>
  importObservations({
    database: other,
    rows: (async function* () {
      yield [observation({ to: 'ZAR' })]
      half.resolve()
      await rest
    })(),
  })

describe('differences and repair', () => {
  const spoil = async () => {
    const { id } = await corridorTo('XOF')
    const at = (hours: number) => new Date(HOUR - hours * HOUR_MS).toISOString()
    const { sql } = database
    await sql`delete from rollups where corridor_id = ${id}`
    await sql`insert into rollups (corridor_id, hour, best_rate, samples) values
      (${id}, ${at(0)}, 1, 1), (${id}, ${at(1)}, 9, 1), (${id}, ${at(2)}, 1, 7),
      (${id}, ${at(9)}, 1, 1), (${id}, ${at(5)}, 1, 1)`
  }

  test('names each hour that is wrong, missing or without observations', async () => {
    const fresh = await stockedDatabase()
    try {
      const row = (hours: number, rate = '1') =>
        observation({ rate, effectiveMs: HOUR - hours * HOUR_MS })
      await record([row(0), row(1), row(2), row(3), row(5, '1.0')], fresh)
      const rollupStore = createRollupStore(fresh)
      const [corridor] = await rollupStore.corridors()
      expect(await rollupStore.differences(corridor!, ALWAYS)).toEqual([])
      const at = (hours: number) => new Date(HOUR - hours * HOUR_MS).toISOString()
      const { sql } = fresh
      await sql`update rollups set best_rate = 9 where hour = ${at(1)}`
      await sql`update rollups set samples = 7 where hour = ${at(2)}`
      await sql`delete from rollups where hour = ${at(3)}`
      await sql`insert into rollups (corridor_id, hour, best_rate, samples)
        values (${corridor!.id}, ${at(9)}, 1, 1)`
      const right = { best: '1', counted: '1', samples: 1 }
      const differences = await rollupStore.differences(corridor!, ALWAYS)
      expect(differences).toEqual([
        { hourMs: HOUR - 9 * HOUR_MS, kept: right, observed: null },
        { hourMs: HOUR - 3 * HOUR_MS, kept: null, observed: right },
        { hourMs: HOUR - 2 * HOUR_MS, kept: { ...right, samples: 7 }, observed: right },
        {
          hourMs: HOUR - HOUR_MS,
          kept: { best: '9', counted: '9', samples: 1 },
          observed: right,
        },
      ])
      const window = { fromMs: HOUR - 2 * HOUR_MS, beforeMs: HOUR - HOUR_MS }
      expect(await rollupStore.differences(corridor!, window)).toHaveLength(1)
      await rollupStore.repair(
        corridor!,
        differences.map(({ hourMs }) => hourMs),
      )
      expect(await rollupStore.differences(corridor!, ALWAYS)).toEqual([])
      const [left] = await sql`select count(*)::int as count from rollups`
      expect(left).toEqual({ count: 5 })
    } finally {
      await fresh.close()
    }
  })

  test('repair makes other processes reload everything', async () => {
    await spoil()
    const received = Promise.withResolvers<object>()
    const news = await listenForNotifications(other, {
      onNotification: received.resolve,
      onConnect() {},
    })
    await store.repair(await corridorTo('XOF'), [HOUR])
    expect(await received.promise).toMatchObject({ kind: 'observations' })
    news.stop()
  })

  test('repair waits for a batch in progress and counts it, and a later batch adds to it', async () => {
    await record([observation({ to: 'XOF' })])
    await spoil()
    const corridor = await corridorTo('XOF')
    const hours = [0, 1, 2, 5, 9].map((hour) => HOUR - hour * HOUR_MS)
    const repairing = Promise.withResolvers<Promise<void>>()
    await other.sql.begin(async (tx) => {
      await tx`select from rollups where corridor_id = ${corridor.id} for update`
      repairing.resolve(store.repair(corridor, hours))
      await untilWaiting(database, 1)
    })
    const batches = Array.from({ length: 5 }, () => record([observation({ to: 'XOF' })]))
    await Promise.all([...batches, await repairing.promise])
    const window = { fromMs: HOUR - 9 * HOUR_MS, beforeMs: HOUR + HOUR_MS }
    const wrong = await store.differences(corridor, window)
    expect(wrong.filter(({ hourMs }) => hours.includes(hourMs))).toEqual([])
    await store.repair(
      corridor,
      (await store.differences(corridor, ALWAYS)).map(({ hourMs }) => hourMs),
    )
  })

  test('repair while others record leaves everything right', async () => {
    const corridor = await corridorTo('XOF')
    const recording = Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        record(
          [observation({ to: 'XOF', effectiveMs: HOUR - (i % 3) * HOUR_MS })],
          i % 2 ? other : database,
        ),
      ),
    )
    const hours = [0, 1, 2].map((hour) => HOUR - hour * HOUR_MS)
    for (let i = 0; i < 12; i++) await store.repair(corridor, hours)
    await recording
    expect(await store.differences(corridor, ALWAYS)).toEqual([])
  })

  test('repair does nothing without hours', async () => {
    await store.repair(await corridorTo('XOF'), [])
    expect(await allDifferences()).toEqual([])
  })
})
