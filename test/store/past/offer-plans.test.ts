import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PendingQuery } from 'postgres'
import { DAY_MS } from '~/domain/duration.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { ALWAYS_MS } from '~/domain/period.ts'
import type { Place } from '~/store/corridor-ids.ts'
import { lastRows } from '~/store/past/held-store.ts'
import { pageStatement } from '~/store/past/history-store.ts'
import { standingQuotes } from '~/store/past/snapshot-store.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { inBulk, NOW_MS, placeIn, stockedDatabase } from '../samples.ts'

const ROWS = 120_000
/** The number of offers of each provider: half of them state how long a price is valid. */
const PROVIDER_OFFERS = 10
const VALID_HOURS = 6

let database: FreshDatabase
let kenya: Place
let gone: Place

/**
 * A year of 100 offers in each of two corridors, one of which has had no quotes for half a year.
 * Each offer is quoted every 15 hours or so.
 */
beforeAll(async () => {
  database = await stockedDatabase()
  const { sql } = database
  const newest = new Date(NOW_MS).toISOString()
  await sql`insert into corridors (source, target) values ('USD', 'KES'), ('GBP', 'NGN')`
  await sql`insert into provider_corridors (corridor_id, provider_id)
    select c.id, p.id from corridors c, providers p order by p.id, c.id`
  await sql`
    insert into offers (provider_corridor_id, key, source_country, target_country, pay_out, channel)
    select p.id, 'key ' || n, case n when 0 then 'US' end, 'KE', array['cash'], 'agent'
    from provider_corridors p, generate_series(0, ${PROVIDER_OFFERS - 1}) n`
  await inBulk(
    database,
    (tx) => tx`
      insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type, rate,
        offer_id, valid_until)
      select at, corridor_id, series, 'retail', 100 + n % 7, offer_id,
        case right(key, 1)::int % 2 when 0 then at + ${VALID_HOURS} * interval '1 hour' end
      from (
        select n, p.corridor_id, p.id as series, f.id as offer_id, key, ${newest}::timestamptz
          - (${ROWS} - n) * interval '263 seconds'
          - case when c.source = 'GBP' then interval '182 days' else '0' end as at
        from generate_series(1, ${ROWS}) n
        join (select *, row_number() over (order by id) - 1 as place from offers) f
          on f.place = n % (select count(*) from offers)
        join provider_corridors p on p.id = f.provider_corridor_id
        join corridors c on c.id = p.corridor_id
      ) said`,
  )
  await sql`analyze`
  kenya = await placeIn(database, { from: 'USD', to: 'KES' })
  gone = await placeIn(database, { from: 'GBP', to: 'NGN' })
}, TEST_MS_MAX)

afterAll(() => database.close())

const standing = (place: Place, ms: number) =>
  standingQuotes(database, place, { sinceMs: ms, beforeMs: ms + 1, firstMs: ALWAYS_MS })
const page = () =>
  ({
    ...kenya,
    providerId: null,
    order: 'asc',
    fromMs: NOW_MS - 90 * DAY_MS,
    beforeMs: NOW_MS + 1,
    limit: 501,
    offset: 0,
  }) as const
const fromUs = { ...NO_FILTERS, sourceCountry: 'US' }
const stretches = Array.from({ length: 30 }, (_, i) => {
  const beforeMs = NOW_MS - i * DAY_MS
  return { fromMs: beforeMs - DAY_MS, beforeMs, lastMs: beforeMs - 1 }
})

type Node = Record<string, unknown>

type Statement = () => PendingQuery<(object | undefined)[] & Record<number, never>>

const statements: Record<string, () => unknown> = {
  'the prices long ago': () => standing(kenya, NOW_MS - 200 * DAY_MS),
  'the current prices': () => standing(kenya, NOW_MS),
  'the prices of a corridor without recent quotes': () => standing(gone, NOW_MS),
  'the prices before the first quote': () => standing(kenya, NOW_MS - 800 * DAY_MS),
  'the last price on each of thirty days': () =>
    lastRows(database, kenya, { stretches, firstMs: ALWAYS_MS }),
  'a page of what fits': () => pageStatement(database, { ...page(), filters: fromUs }),
  'a deep page of what fits': () =>
    pageStatement(database, { ...page(), filters: fromUs, offset: 500, order: 'desc' }),
  'a page without any offer': () =>
    pageStatement(database, { ...page(), filters: { ...NO_FILTERS, payOut: ['debit_card'] } }),
  'a page of one provider that fits': () =>
    pageStatement(database, { ...page(), filters: fromUs, providerId: 'retail-a' }),
}

describe("no sequential scan of the offers' history", () => {
  test.each(Object.keys(statements))('is needed for %s', async (name) => {
    const scans = nodesOf(await planOf(statements[name] as Statement)).filter((node) =>
      String(node['Node Type']).includes('Seq Scan'),
    )
    expect(scans.map((node) => node['Relation Name'])).not.toContain('early')
  })
})

test.each([
  ['the prices long ago', 100],
  ['the current prices', 100],
  ['the prices of a corridor without recent quotes', 50],
  ['the prices before the first quote', 0],
])('for %s no more rows are read than there are offers', async (name, offers) => {
  const plan = await planOf(statements[name] as Statement)
  const rows = nodesOf(plan)
    .filter((node) => node['Relation Name'] === 'early')
    .map((node) => {
      const dropped = Number(node['Rows Removed by Filter'] ?? 0)
      return (Number(node['Actual Rows']) + dropped) * Number(node['Actual Loops'])
    })
  expect(Math.max(...rows)).toBeLessThanOrEqual(offers)
})

test('the price at a time is the last one that was still valid then', async () => {
  const rows = await standing(kenya, NOW_MS)
  const expected = await database.sql`
    select distinct on (offer_id) id from observations
    where corridor_id = (select id from corridors where source = 'USD')
      and coalesce(valid_until, 'infinity') >= ${new Date(NOW_MS).toISOString()}::timestamptz
    order by offer_id, effective_from desc`
  const ids = (list: readonly { id?: string | null }[]) =>
    list.flatMap(({ id }) => (id ? Number(id) : [])).sort((a, b) => a - b)
  expect(ids(rows)).toEqual(ids(expected))
  expect(ids(rows).length).toBeGreaterThan(50)
  expect(ids(rows).length).toBeLessThan(100)
})

async function planOf(statement: Statement): Promise<Node> {
  const [row] = await database.sql`explain (analyze, format json) ${statement()}`
  const [{ Plan }] = row!['QUERY PLAN'] as [{ Plan: Node }]
  return Plan
}

const nodesOf = (node: Node): Node[] => [node, ...((node.Plans as Node[]) ?? []).flatMap(nodesOf)]
