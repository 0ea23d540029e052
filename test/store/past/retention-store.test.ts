import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TransactionSql } from 'postgres'
import { HOUR_MS } from '~/domain/duration.ts'
import { keptFromMs } from '~/jobs/prune-observations.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { NOW_MS, observation, stockedDatabase, untilWaiting } from '../samples.ts'

const LIMIT = { beforeMs: keptFromMs(NOW_MS, 5), rowsMax: 100 }

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

const record = (to: string, ...hoursBefore: number[]) =>
  createObservationStore(database).record({
    observations: hoursBefore.map((hours) =>
      observation({ to, effectiveMs: LIMIT.beforeMs - hours * HOUR_MS }),
    ),
    idempotency: null,
  })

const kept = async (to: string) => {
  const rows = await database.sql<{ at: number }[]>`
    select (extract(epoch from o.effective_from) * 1000)::float8 as at from observations o
    join corridors c on c.id = o.corridor_id where c.target = ${to} order by o.effective_from`
  return rows.map(({ at }) => (LIMIT.beforeMs - at) / HOUR_MS)
}

/** Prunes the only outdated series while a transaction holds `lock` and then runs `work`. */
async function pruneBehind(lock: string, work: (tx: TransactionSql) => Promise<unknown>) {
  const store = createRetentionStore(database)
  const [series] = await store.outdated(LIMIT.beforeMs)
  const { pruned } = await database.sql.begin(async (tx) => {
    await tx.unsafe(lock)
    const pruned = store.prune(series!.id, LIMIT)
    await untilWaiting(database, 1)
    await work(tx)
    return { pruned }
  })
  return pruned
}

test('prune keeps the rows needed at its start, whatever is recorded meanwhile', async () => {
  await record('KES', 30, 20, 10)
  await database.sql.unsafe(`
    alter function kept_observations rename to kept_of_old;
    create function kept_observations(series integer, age_limit timestamptz)
    returns setof bigint language plpgsql stable as $$
    begin
      return query select kept_of_old(series, age_limit);
      perform pg_advisory_xact_lock(1);
    end $$`)
  const count = await pruneBehind('select pg_advisory_xact_lock(1)', () => record('KES', 5))
  expect(count).toBe(2)
  expect(await kept('KES')).toEqual([10, 5])
  await database.sql.unsafe(`
    drop function kept_observations; alter function kept_of_old rename to kept_observations`)
  const store = createRetentionStore(database)
  const [series] = await store.outdated(LIMIT.beforeMs)
  expect(await store.prune(series!.id, LIMIT)).toBe(1)
  expect(await kept('KES')).toEqual([5])
})

test('prune counts the rows that it deletes, and not those withdrawn meanwhile', async () => {
  await record('NGN', 30, 20, 10)
  const count = await pruneBehind('lock table rollups', (tx) =>
    tx.unsafe(`
      set local corridor.pruning = 'on';
      delete from observations where id in (
        select o.id from observations o join corridors c on c.id = o.corridor_id
        where c.target = 'NGN' order by effective_from limit 1)`),
  )
  expect(count).toBe(1)
  const [noted] = await database.sql`
    select sum(pruned)::int as pruned from rollups r
    join corridors c on c.id = r.corridor_id where c.target = 'NGN'`
  expect(noted!.pruned).toBe(1)
})
