import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { migrate } from '~/store/migrate.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { applyWithoutPegs, folderBefore } from '../support/migrations.ts'
import { emptyDatabase, type FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { NOW_MS } from './samples.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await emptyDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

test(
  '0002_history rolls up what was recorded before it',
  async () => {
    expect(await migrate(database, await folderBefore('0002_history'))).toBe(2)
    const { sql } = database
    await applyWithoutPegs(database, { currencies: CURRENCIES, providers: PROVIDERS })
    await sql`insert into corridors (source, target) values ('USD', 'KES'), ('USD', 'NGN')`
    await sql`insert into provider_corridors (corridor_id, provider_id)
    select id, unnest(array['retail-a', 'official-a']) from corridors`
    const newest = new Date(NOW_MS).toISOString()
    await sql`
    insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
    select ${newest}::timestamptz - n * interval '7 minutes', p.corridor_id, p.id,
      case p.provider_id when 'official-a' then 'official' else 'retail' end::rate_type, 100 + n % 9
    from generate_series(1, 500) n, provider_corridors p where (n + p.id) % 3 > 0`
    expect(await migrate(database)).toBeGreaterThan(0)
    const store = createRollupStore(database)
    const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
    for (const corridor of await store.corridors()) {
      expect(await store.differences(corridor, always)).toEqual([])
      const [first] = await store.differences({ ...corridor, id: 99 }, always)
      expect(first).toBeUndefined()
    }
    const [rolled] =
      await sql`select sum(samples)::int as samples, max(hour) as newest from rollups`
    const [seen] = await sql`select count(*)::int as samples from observations`
    expect(rolled!.samples).toBe(seen!.samples)
    expect(Date.parse(rolled!.newest)).toBe(hourStartMs(NOW_MS - HOUR_MS / 6))
  },
  TEST_MS_MAX,
)

test(
  '0007_activity counts nothing from an inactive provider, and runs while the previous version serves',
  async () => {
    const older = await emptyDatabase()
    const { sql } = older
    await migrate(older, await folderBefore('0007_activity'))
    const off = ['p2p-a', 'retail-b']
    await applyWithoutPegs(older, {
      currencies: CURRENCIES,
      providers: PROVIDERS.map((one) => ({ ...one, isActive: !off.includes(one.id) })),
    })
    await sql`insert into corridors (source, target) values ('USD', 'KES'), ('USD', 'NGN')`
    await sql`insert into provider_corridors (corridor_id, provider_id)
      select id, unnest(array['retail-a', 'retail-b']) from corridors where target = 'KES'
      union all select id, 'p2p-b' from corridors`
    const hour = hourStartMs(NOW_MS)
    const say = async (id: string, rate: number, hours: number) => {
      const at = new Date(hour - hours * HOUR_MS).toISOString()
      await sql`
        with added as (
          insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
          select ${at}::timestamptz, corridor_id, id, 'retail', ${rate} from provider_corridors
          where provider_id = ${id} returning corridor_id, rate
        ) insert into rollups (corridor_id, hour, best_rate, samples)
        select corridor_id, ${at}::timestamptz, rate, 1 from added
        on conflict (corridor_id, hour) do update set samples = rollups.samples + excluded.samples,
          best_rate = greatest(rollups.best_rate, excluded.best_rate)`
    }
    await say('retail-b', 9, 5)
    await say('retail-a', 8, 5)
    await say('retail-b', 9, 4)
    await say('retail-b', 7, 3)
    await say('p2p-b', 8, 3)
    await say('p2p-b', 8, 2)
    await sql`update rollups set pruned = 1, samples = 2 where best_rate = 9 and samples = 1`
    expect(await migrate(older)).toBeGreaterThan(0)
    const bests = async () => {
      const window = { fromMs: hour - 5 * HOUR_MS, beforeMs: hour }
      const ask = { corridor: { from: 'USD', to: 'KES' }, interval: 'PT1H' as const, ...window }
      const buckets = await createSeriesStore(older).buckets(ask)
      return buckets.sort((a, b) => a.startMs - b.startMs).map(({ best }) => best)
    }
    expect(await bests()).toEqual([8, 9, 8, 8])
    const rollups = createRollupStore(older)
    const [corridor] = await rollups.corridors()
    const always = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
    expect(await rollups.differences(corridor!, always)).toEqual([])
    await sql`update providers set is_active = true where id = 'retail-b'`
    expect(await bests()).toEqual([8, 9, 8, 8])
    await say('retail-b', 20, 2)
    const [wrong] = await rollups.differences(corridor!, always)
    expect(wrong).toMatchObject({ kept: { counted: '20' }, observed: { best: '20', counted: '8' } })
    await rollups.repair(corridor!, [wrong!.hourMs])
    expect(await bests()).toEqual([8, 9, 8, 8])
    await older.close()
  },
  TEST_MS_MAX,
)

test(
  '0022_month_drop lets every role that may prune drop months',
  async () => {
    const older = await emptyDatabase()
    const { sql } = older
    await migrate(older, await folderBefore('0022_month_drop'))
    const [pruner, reader] = [sql(`pruner_${process.pid}`), sql(`reader_${process.pid}`)]
    await sql`create role ${pruner}`
    await sql`create role ${reader}`
    await sql`grant execute on function prune_observations to ${pruner}`
    expect(await migrate(older)).toBeGreaterThan(0)
    const rows = await sql<{ role: string; may: boolean }[]>`
      select rolname as role, has_function_privilege(r.oid, p.oid, 'EXECUTE') as may
      from pg_roles r, pg_proc p
      where rolname ~ ${`^(pruner|reader)_${process.pid}$`}
        and proname in ('drop_observation_month', 'prove_early_observations')
      order by 1`
    expect(rows.map(({ may }) => may)).toEqual([true, true, false, false])
    await sql`drop owned by ${pruner}`
    await sql`drop role ${pruner}`
    await sql`drop role ${reader}`
    await older.close()
  },
  TEST_MS_MAX,
)
