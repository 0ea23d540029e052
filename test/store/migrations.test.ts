import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { migrate } from '~/store/migrate.ts'
import { createRollupStore } from '~/store/rollup-store.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { TEST_MS_MAX } from '../support/embedded-process.ts'
import { folderBefore } from '../support/migrations.ts'
import { emptyDatabase, type FreshDatabase } from '../support/postgres.ts'
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
    await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS })
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
