import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Database } from '~/store/database.ts'
import { listenForNotifications } from '~/store/notification-channel.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { otherHandle, stockedDatabase } from '../store/samples.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const AT = '2026-03-05T14:25:30.500Z'
const NOW_MS = Date.parse(AT)
const RUNS = Number(process.env.WITHDRAWAL_RUNS ?? 5)
const RUN_MS_MAX = 300_000
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }

/** Few instants, so that offers often have two observations at the same one. */
const instant = fc.constantFrom(
  0,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  HOUR_MS + MINUTE_MS,
  DAY_MS,
  3 * DAY_MS,
  40 * DAY_MS,
)
const row = fc
  .record({
    provider_id: fc.constantFrom('retail-a', 'retail-b', 'p2p-a', 'official-a'),
    to: fc.constantFrom('KES', 'NGN'),
    rate: fc.integer({ min: 100, max: 120 }),
    fee: fc.constantFrom(0, 1.5),
    agoMs: instant,
    channel: fc.constantFrom(undefined, 'internet'),
    forMs: fc.constantFrom(undefined, 5 * MINUTE_MS, 12 * HOUR_MS, 60 * DAY_MS),
  })
  .map(({ agoMs, forMs, ...said }) => ({
    ...said,
    from: 'USD',
    effective_from: new Date(NOW_MS - agoMs).toISOString(),
    ...(forMs && { valid_until: new Date(NOW_MS - agoMs + forMs).toISOString() }),
  }))
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never

const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ rows: fc.array(row, { minLength: 1, maxLength: 6 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ picks: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }) }),
  },
)

async function worldOn(database: Database): Promise<PastWorld> {
  return new PastWorld(database, { at: AT, staleAfterMs: 7 * DAY_MS }).start()
}

const QUESTIONS = ['KES', 'NGN'].flatMap((to) => [
  `/rates?from=USD&to=${to}&offers=all`,
  `/convert?from=USD&to=${to}&amount=100`,
  `/corridors`,
  `/rates/provider?provider=retail-a`,
  `/historical?from=USD&to=${to}&date=2026-03-05&offers=all`,
  `/historical?from=USD&to=${to}&date=2026-03-04`,
  `/change?from=USD&to=${to}&period=24h`,
  `/change?from=USD&to=${to}&period=7d`,
  `/time-series?from=USD&to=${to}&interval=PT1H&period=7d`,
  `/time-series?from=USD&to=${to}&interval=P1D&period=90d`,
])

async function answersOf(world: PastWorld): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const tier of ['realtime', 'hourly'] as Tier[])
    for (const path of QUESTIONS) {
      const { status, body } = await world.get(path, tier)
      answers.push([tier, path, status, body])
    }
  return answers
}

const rollupsOf = async ({ sql }: Database) => [
  ...(await sql`
    select c.target, extract(epoch from hour)::text as hour, best_rate, counted_best, samples
    from rollups r join corridors c on c.id = r.corridor_id order by 1, 2`),
]

async function differencesIn(database: Database): Promise<unknown[]> {
  const store = createRollupStore(database)
  const found = (await store.corridors()).map((one) => store.differences(one, ALWAYS))
  return (await Promise.all(found)).flat()
}

/** A second process on the same database, which receives only commits. */
async function replicaOf(database: FreshDatabase) {
  const handle = otherHandle(database)
  const world = await worldOn(handle)
  const listening = await listenForNotifications(handle, {
    onNotification: (news) => {
      if (news.kind === 'observations') world.follower.receive(news)
    },
    onConnect() {},
  })
  const close = async () => {
    listening.stop()
    await handle.close()
  }
  return { world, close }
}

describe('what was withdrawn', () => {
  test(
    'appears nowhere: live, past, roll-ups, on another replica and after a restart',
    async () => {
      const steps = fc.array(step, { minLength: 2, maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const [database, plain] = [await stockedDatabase(), await stockedDatabase()]
          const world = await worldOn(database)
          const replica = await replicaOf(database)
          const recorded: { id: number; row: Row; isWithdrawn: boolean }[] = []
          for (const one of all) {
            if ('rows' in one) {
              const { status, body } = await world.post(one.rows)
              expect(status).toBe(201)
              body.ids.forEach((id: number, i: number) => {
                recorded.push({ id, row: one.rows[i]!, isWithdrawn: false })
              })
            } else if (recorded.length > 0) {
              const picked = one.picks.map((pick) => recorded[pick % recorded.length]!)
              const ids = picked.map(({ id }) => id)
              const { status, body } = await withdrawn(world, ids)
              expect([status, body.withdrawn.length + body.already_withdrawn.length]).toEqual([
                200,
                new Set(ids).size,
              ])
              for (const each of picked) each.isWithdrawn = true
            }
          }
          const never = await worldOn(plain)
          for (const { row: kept, isWithdrawn } of recorded)
            if (!isWithdrawn) expect((await never.post([kept])).status).toBe(201)
          const expected = await answersOf(never)
          expect(await rollupsOf(database)).toEqual(await rollupsOf(plain))
          expect(await differencesIn(database)).toEqual([])
          expect(await answersOf(world)).toEqual(expected)
          expect(await answersOf(await worldOn(database))).toEqual(expected)
          await until('the replica has received everything', async () => {
            await replica.world.refresher.settled()
            return Bun.deepEquals(await answersOf(replica.world), expected)
          })
          await replica.close()
          await database.close()
          await plain.close()
        }),
        { numRuns: RUNS },
      )
    },
    RUN_MS_MAX,
  )
})

const withdrawn = async (world: PastWorld, ids: readonly number[]) =>
  world.send('/rates/withdrawals', { observations: ids, reason: 'wrong' })
