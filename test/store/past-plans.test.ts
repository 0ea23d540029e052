import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PendingQuery } from 'postgres'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { ALWAYS_MS } from '~/domain/period.ts'
import { bucketStartsMs } from '~/domain/series.ts'
import type { Place } from '~/store/corridor-ids.ts'
import type { Sql } from '~/store/database.ts'
import { foundRows } from '~/store/day-references.ts'
import { pageStatement } from '~/store/past/history-store.ts'
import { differenceRows } from '~/store/past/rollup-store.ts'
import {
  believedRows,
  bucketRows,
  firstObserved,
  rangeRows,
  turnRows,
  worthRows as worthsBefore,
} from '~/store/past/series-store.ts'
import { standingQuotes } from '~/store/past/snapshot-store.ts'
import { sendingRows } from '~/store/portal/sending-store.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { inBulk, NOW_MS, placeIn, stockedDatabase } from './samples.ts'

const ROWS = 200_000
/** Four series of each of ten providers, on 35 days and the present one. */
const DAILY_PROBES = 4 * 10 * 36
/** Tables of the past; rows from before the first month are in the partition `early`. */
const HISTORIES = ['early', 'reference_rates', 'reference_snapshots', 'rollups']

let database: FreshDatabase
let place: Place
let unheard: Place

/** Two years of 56 corridors with ten providers each, as they would be recorded. */
beforeAll(async () => {
  database = await stockedDatabase()
  const { sql } = database
  const newest = new Date(NOW_MS).toISOString()
  await sql`
    insert into corridors (source, target)
    select a.code, b.code from currencies a, currencies b
    where a.code <> b.code and a.kind = 'fiat' and b.kind = 'fiat' and a.is_active and b.is_active`
  await sql`insert into provider_corridors (corridor_id, provider_id)
    select c.id, p.id from corridors c, providers p order by p.id, c.id`
  await inBulk(database, async (tx) => {
    await tx`
      insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate)
      select ${newest}::timestamptz - (${ROWS} - n) * interval '300 seconds',
        p.corridor_id, p.id, 'retail', 100 + n % 7
      from generate_series(1, ${ROWS}) n
      join (select *, row_number() over (order by id) - 1 as place from provider_corridors) p
        on p.place = n % (select count(*) from provider_corridors)`
    await tx`
      insert into rollups (corridor_id, hour, best_rate, samples)
      select corridor_id, date_bin('1 hour', effective_from, 'epoch'), max(rate), count(*)
      from observations group by 1, 2`
    await tx`insert into reference_snapshots (source, fetched_at)
      select 'feed', ${newest}::timestamptz - n * interval '1 hour' from generate_series(1, 17000) n`
    await tx`
      insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
      select fetched_at, id, code, 2 from reference_snapshots, currencies where code <> 'USD'`
  })
  await sql`
    insert into provider_activity (provider_id, is_active, since)
    select id, n % 2 = 0, ${newest}::timestamptz - (21 - n) * interval '30 days'
    from generate_series(1, 20) n, providers order by n`
  await sql`analyze`
  place = await placeIn(database, { from: 'USD', to: 'KES' })
  unheard = { ...place, corridor: { from: 'USD', to: 'USDT' }, corridorId: 99_999 }
}, TEST_MS_MAX)

afterAll(() => database.close())

const endMs = hourStartMs(NOW_MS)
const page = () =>
  ({
    ...place,
    providerId: null,
    order: 'asc',
    fromMs: endMs - 90 * DAY_MS,
    beforeMs: endMs + 1,
    limit: 501,
    offset: 0,
  }) as const
const year = { fromMs: NOW_MS - 366 * DAY_MS, beforeMs: NOW_MS }
const days = bucketStartsMs({ fromMs: 0, beforeMs: 366 * DAY_MS }, 'P1D').map(
  (ms) => endMs - 366 * DAY_MS + ms,
)

/** Every tenth day of the year. */
const fewDays = days
  .filter((_, i) => i % 10 === 0)
  .map((fromMs) => ({ fromMs, beforeMs: fromMs + DAY_MS }))

const past = NOW_MS - 200 * DAY_MS

type Statement = () => PendingQuery<(object | undefined)[] & Record<number, never>>

const statements: Record<string, () => unknown> = {
  'a first page': () => pageStatement(database, page()),
  'a first page, newest first': () => pageStatement(database, { ...page(), order: 'desc' }),
  'a page of 5,000': () => pageStatement(database, { ...page(), limit: 5001 }),
  'a deep page': () => pageStatement(database, { ...page(), offset: 1500 }),
  'a deep page, newest first': () =>
    pageStatement(database, { ...page(), offset: 1500, order: 'desc' }),
  'a page of one provider': () => pageStatement(database, { ...page(), providerId: 'retail-a' }),
  'a deep page of one provider, newest first': () =>
    pageStatement(database, { ...page(), providerId: 'retail-a', offset: 100, order: 'desc' }),
  'a page of a corridor without quotes': () =>
    pageStatement(database, { ...page(), ...unheard, offset: 10 }),
  'the latest quotes before a time': () =>
    standingQuotes(database, place, { sinceMs: past, beforeMs: past + 1, firstMs: ALWAYS_MS }),
  'the latest references before a time': () =>
    foundRows(database, [
      { currency: 'GBP', atMs: NOW_MS - 200 * DAY_MS },
      { currency: 'USD', atMs: NOW_MS - 200 * DAY_MS },
    ]),
  'a year in days': () => bucketRows(database, { ...year, ...place, interval: 'P1D' }),
  'a week in hours': () =>
    bucketRows(database, {
      ...place,
      interval: 'PT1H',
      fromMs: endMs - 7 * DAY_MS,
      beforeMs: endMs + 1,
    }),
  'the first observation': () => firstObserved(database, place),
  'the references at the ends of a year of days': () => worthsBefore(database, 'KES', days),
  'the range of a currency on each day of a year': () => rangeRows(database, 'KES', days),
  'what a currency was worth on a few days': () => turnRows(database, 'KES', fewDays),
  'the best believed rates of a few days': () =>
    believedRows(database, place, {
      interval: 'P1D',
      stretches: fewDays.map((day) => ({ ...day, least: 0, most: 130 })),
    }),
  'how regularly providers and corridors are sent for': () =>
    sendingRows(database, NOW_MS, { isDistributed: false }),
  'the verification of a slice': () =>
    differenceRows(
      database,
      { id: 7, from: 'USD', to: 'KES' },
      { fromMs: endMs - 31 * DAY_MS, beforeMs: endMs },
    ),
  'the verification of the last hours': () =>
    differenceRows(
      database,
      { id: 7, from: 'USD', to: 'KES' },
      { fromMs: endMs - 3 * HOUR_MS, beforeMs: endMs },
    ),
}

describe('no sequential scan of a history', () => {
  test.each(Object.keys(statements))('is needed for %s', async (name) => {
    const plan = await planOf(statements[name] as Statement)
    expect(scansOf(plan)).toEqual([])
  })

  test('is missed by the check itself', async () => {
    const whole = () => database.sql`select sum(rate) from observations`
    expect(scansOf(await planOf(whole as unknown as Statement))).toEqual(['early'])
  })
})

test('queries as of a time probe once for each provider of the corridor', async () => {
  const plan = await planOf(statements['the latest quotes before a time'] as Statement)
  const probes = nodesOf(plan).filter((node) => node['Index Name'] === 'early_endless')
  expect(probes.map((node) => [node['Actual Loops'], node['Actual Rows']])).toEqual([[10, 1]])
})

test('the query of usual intervals probes each series once, for sixteen rows, and a few by day', async () => {
  const [row] = await database.sql`select count(*)::int as series from provider_corridors`
  const name = 'how regularly providers and corridors are sent for'
  const plan = await planOf(statements[name] as Statement)
  const probes = nodesOf(plan).filter((node) => node['Relation Name'] === 'early')
  expect(probes.map((node) => [node['Index Name'], node['Actual Loops']])).toEqual([
    ['early_as_of', row!.series],
    ['early_as_of', DAILY_PROBES],
    ['early_as_of', expect.any(Number)],
  ])
  expect(probes[0]!['Actual Rows']).toBeLessThanOrEqual(16)
  for (const probe of probes.slice(1)) expect(probe['Actual Rows']).toBeLessThanOrEqual(1)
  expect(probes[2]!['Actual Loops']).toBeLessThanOrEqual(DAILY_PROBES)
})

test('a deep page reads its own rows and one hour, and not the rows that it skips', async () => {
  const plan = await planOf(statements['a deep page'] as Statement)
  const read = nodesOf(plan)
    .filter((node) => node['Relation Name'] === 'early')
    .map((node) => Number(node['Actual Rows']) * Number(node['Actual Loops']))
  expect(Math.max(...read)).toBeLessThan(501 + 50)
})

test('a deep page of past knowledge reads the hours that changed since, and no others', async () => {
  const ask = { ...page(), limit: 6, offset: 300, isThen: true }
  const plan = await database.sql.begin(async (tx) => {
    const sql = tx as unknown as Sql
    const [{ ms }] = await sql<[{ ms: string }]>`select extract(epoch from now()) * 1000 as ms`
    const knownMs = Math.ceil(Number(ms))
    await sql`
      update rollups set changed_at = now() + interval '1 hour' where (corridor_id, hour) in (
        select corridor_id, hour from rollups where corridor_id = ${place.corridorId}
        order by hour desc offset 9 limit 2
      )`
    await sql`select set_config('search_path', 'known, public', true),
      set_config('corridor.known_at', ${new Date(knownMs).toISOString()}, true)`
    return planOf(() => pageStatement({ ...database, sql, knownMs }, ask) as never, sql)
  })
  const reads = nodesOf(plan).filter((node) => node['Relation Name'] === 'early')
  expect(reads.filter((node) => node['Actual Loops'] === 2)).toHaveLength(1)
  for (const read of reads)
    expect(Number(read['Actual Rows']) * Number(read['Actual Loops'])).toBeLessThan(50)
})

type Node = Record<string, unknown>

async function planOf(statement: Statement, sql: Sql = database.sql): Promise<Node> {
  const [row] = await sql`explain (analyze, format json) ${statement()}`
  const [{ Plan }] = row!['QUERY PLAN'] as [{ Plan: Node }]
  return Plan
}

const nodesOf = (node: Node): Node[] => [node, ...((node.Plans as Node[]) ?? []).flatMap(nodesOf)]

const scansOf = (plan: Node): string[] =>
  nodesOf(plan)
    .filter((node) => String(node['Node Type']).includes('Seq Scan'))
    .map((node) => String(node['Relation Name']))
    .filter((table) => HISTORIES.includes(table))
