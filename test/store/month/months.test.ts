import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { migrate } from '~/store/migrate.ts'
import { makeMonths } from '~/store/month/ahead.ts'
import { folderBefore } from '../../support/migrations.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'

const MONTHS = '0019_corridor_keys'
const ROWS = 5_000

const parts = ({ sql }: FreshDatabase) =>
  sql<{ part: string; rows: number }[]>`
    select split_part(tableoid::regclass::text, '.', 2) as part, count(*)::int as rows
    from observations group by 1 order by 1`

async function stock({ sql }: FreshDatabase): Promise<void> {
  await sql`insert into currencies (code, name, type, kind, is_active, sort_order)
    values ('USD', 'US Dollar', 'source', 'fiat', true, 1),
      ('KES', 'Kenyan Shilling', 'target', 'fiat', true, 2)`
  await sql`insert into providers (id, name, rate_type, is_active)
    values ('wise', 'Wise', 'retail', true)`
  await sql`insert into corridors (source, target) values ('USD', 'KES')`
  await sql`insert into provider_corridors (corridor_id, provider_id) select id, 'wise' from corridors`
}

/** Records one row like a version without monthly partitions; returns its id. */
async function record({ sql }: FreshDatabase, days: number): Promise<number> {
  const at = new Date(Date.now() + days * DAY_MS).toISOString()
  const [row] = await sql<{ id: number }[]>`
    insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
    select ${at}::timestamptz, corridor_id, id, 'retail', 129 from provider_corridors returning id`
  return Number(row!.id)
}

/** Creates an offer, and a price of it that is valid for long, as earlier versions do. */
async function offerAsBefore({ sql }: FreshDatabase, key: string): Promise<void> {
  await sql`insert into offers (provider_corridor_id, key) select id, ${key} from provider_corridors`
  await sql`
    insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate,
      offer_id, valid_until)
    select now(), p.corridor_id, p.id, 'retail', 130, f.id, now() + interval '40 days'
    from provider_corridors p join offers f on f.provider_corridor_id = p.id and f.key = ${key}`
}

const refusal = (work: PromiseLike<unknown>) =>
  work.then(
    () => null,
    ({ message }: Error) => message,
  )

describe('an upgrade with observations in it', () => {
  let database: FreshDatabase
  let stop = false
  const ids: number[] = []
  let writing: Promise<void>

  beforeAll(async () => {
    database = await emptyDatabase()
    await migrate(database, await folderBefore(MONTHS))
    await stock(database)
    await database.sql`
      insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
      select now() - n * interval '8 hours', corridor_id, id, 'retail', 100 + n % 9
      from provider_corridors, generate_series(${ROWS}::int, 1, -1) n`
    await offerAsBefore(database, 'before')
    writing = (async () => {
      while (!stop) ids.push(await record(database, -ids.length % 900))
    })()
  }, TEST_MS_MAX)
  afterAll(() => database.close())

  test('a run that was interrupted before the migration blocks nothing, and is resumed', async () => {
    const { sql } = database
    await sql.begin('isolation level repeatable read', async (tx) => {
      await tx`select from currencies`
      const refused = refusal(migrate(database))
      await until('the index of the new key is being made', async () => {
        const cut = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query ~ '^\\s*create unique index'
            and pid <> pg_backend_pid() and to_regclass('observations_place') is not null`
        return cut.length > 0
      })
      expect(await refused).toContain('its prepared part is retained: run it again')
    })
    const [index] = await sql`
      select indisvalid as is_valid from pg_index
      where indexrelid = 'observations_place'::regclass`
    expect(index).toEqual({ is_valid: false })
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString()
    await sql.unsafe(`alter table observations drop constraint observations_end,
      add constraint observations_end
      check (effective_from < '${tomorrow}') not valid`)
    await record(database, 0)
    const applied = await Promise.all([migrate(database), migrate(database)])
    expect(applied.filter((count) => count === 0)).toEqual([0])
  })

  test('keeps all of them, and the rows that the previous version recorded meanwhile', async () => {
    await record(database, 0)
    stop = true
    await writing
    expect(ids.length).toBeGreaterThan(0)
    const [row] = await database.sql`
      select count(*)::int as rows, count(distinct id)::int as ids, max(id)::int as last
      from observations`
    expect(row).toEqual({ rows: ROWS + 3 + ids.length, ids: row!.rows, last: expect.any(Number) })
    expect(await record(database, 0)).toBeGreaterThan(row!.last)
    expect([...(await parts(database))]).toEqual([{ part: 'early', rows: row!.rows + 1 }])
  })

  test('accepts a row of any time', async () => {
    for (const days of [-3000, 0, 61, 400]) await record(database, days)
    expect((await parts(database)).map(({ part }) => part)).toEqual(['early', 'late'])
  })

  test('stores the corridor of offers, and long prices separately, from before and after', async () => {
    const { sql } = database
    await offerAsBefore(database, 'after')
    const offers = await sql`
      select key, f.corridor_id = p.corridor_id as is_right from offers f
      join provider_corridors p on p.id = f.provider_corridor_id order by f.id`
    expect([...offers]).toEqual(['before', 'after'].map((key) => ({ key, is_right: true })))
    const long = await sql`
      select key from long_prices l join offers f on f.id = l.offer_id order by l.id`
    expect([...long]).toEqual([{ key: 'before' }, { key: 'after' }])
  })

  test('logs the changes of a previous version, without their times', async () => {
    const { sql } = database
    await sql`select log_change('observations', array[1]::bigint[], null)`
    const [row] = await sql`select ids, since, until from changes order by position desc limit 1`
    expect(row).toEqual({ ids: [1], since: null, until: null })
  })

  test('gives the planner the statistics of all parts together', async () => {
    const [row] = await database.sql`
      select reltuples as rows from pg_class where oid = 'observations'::regclass`
    expect(row!.rows).toBeGreaterThanOrEqual(ROWS)
  })

  test('drops the last index of the old table, and gives each part every index', async () => {
    const rows = await database.sql<{ part: string; indexes: number }[]>`
      select i.inhrelid::regclass::text as part, count(*)::int as indexes
      from pg_inherits i join pg_index x on x.indrelid = i.inhrelid and x.indisvalid
      where i.inhparent = 'observations'::regclass group by 1`
    expect(new Set(rows.map(({ indexes }) => indexes))).toEqual(new Set([7]))
  })
})

test('an upgrade with observations of future months moves them in', async () => {
  const database = await emptyDatabase()
  await migrate(database, await folderBefore(MONTHS))
  await stock(database)
  for (const days of [0, 100]) await record(database, days)
  await migrate(database)
  expect([...(await parts(database))]).toEqual([{ part: 'early', rows: 2 }])
  await database.close()
})

describe('months', () => {
  let database: FreshDatabase
  const make = async (months: number) => {
    const [row] = await database.sql<[{ made: number }]>`
      select make_observation_months(now() + make_interval(months => ${months})) as made`
    return row.made
  }

  beforeAll(async () => {
    database = await freshDatabase()
    await stock(database)
  }, TEST_MS_MAX)
  afterAll(() => database.close())

  test('are created once, four months ahead at most', async () => {
    expect(await make(1)).toBe(0)
    expect(await make(100)).toBeGreaterThan(0)
    expect(await make(100)).toBe(0)
    const [row] = await database.sql`
      select until < now() + interval '5 months' as near from observation_months()`
    expect(row!.near).toBe(true)
  })

  test('receive the rows that were recorded before them', async () => {
    const fresh = await freshDatabase()
    await stock(fresh)
    const id = await record(fresh, 100)
    const [before] = await parts(fresh)
    expect(before).toEqual({ part: 'late', rows: 1 })
    await fresh.sql`select make_observation_months(now() + interval '4 months')`
    const [kept] = await fresh.sql`
      select id::int as id, tableoid::regclass::text as part from observations`
    expect(kept).toEqual({ id, part: expect.stringMatching(/^observation_months\.m\d{4}_\d\d$/) })
    await fresh.close()
  })

  test('are postponed while another session holds the table', async () => {
    const fresh = await freshDatabase()
    const untilMs = Date.now() + 110 * DAY_MS
    await fresh.sql.begin(async (tx) => {
      await tx`select from observations`
      expect(await makeMonths(fresh, untilMs)).toBe(null)
    })
    expect(await makeMonths(fresh, untilMs)).toBeGreaterThan(0)
    await fresh.close()
  })

  test('refuse changes under every name', async () => {
    await record(database, 63)
    const [month] = await parts(database)
    for (const table of ['observations', `observation_months.${month!.part}`])
      for (const change of [
        `delete from ${table}`,
        `update ${table} set rate = 1`,
        `truncate ${table}`,
      ])
        expect(await refusal(database.sql.unsafe(change))).toContain('append-only')
  })

  test('refuse an offer that does not exist', async () => {
    const offered = database.sql`
      insert into observations
        (effective_from, corridor_id, provider_corridor_id, rate_type, rate, offer_id)
      select now() + interval '63 days', corridor_id, id, 'retail', 129, 7 from provider_corridors`
    expect(await refusal(offered)).toContain('has no offer 7')
  })
})
