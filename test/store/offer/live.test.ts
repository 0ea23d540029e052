import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TransactionSql } from 'postgres'
import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import { boundariesMs, hourStartMs } from '~/domain/freshness.ts'
import { offerKey, PLAIN } from '~/domain/offer/terms.ts'
import { newestFirst, type Quote } from '~/domain/quote.ts'
import { QuoteIndex } from '~/memory/quote-index.ts'
import type { Sql } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import type { OfferPlace } from '~/store/offer/live.ts'
import { keepLong } from '~/store/offer/long-prices.ts'
import { createQuoteStore, liveStatement } from '~/store/quote-store.ts'
import { offer } from '../../support/offers.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { databasesOfFile, NOW_MS, observation, scannedTables, stockedDatabase } from '../samples.ts'

const newDatabase = databasesOfFile(stockedDatabase)

const HOUR = hourStartMs(NOW_MS)

const identity = fc.constantFrom(null, offer(), offer({ service: 'a' }), offer({ amountMin: 1 }))
const row = fc.record({
  identity,
  to: fc.constantFrom('KES', 'NGN'),
  effectiveMs: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.integer({ min: -10, max: 4 }).map((n) => HOUR + n * 20 * MINUTE_MS),
    },
    fc.constantFrom(31, 32, 33, 34, 90, 400).map((days) => HOUR - days * DAY_MS),
  ),
  validMinutes: fc.option(
    fc.constantFrom(1, 20, 40, 60, 61, 90, 120, 121, 600, 9000, 46_080, 46_081, 50_000, 999_999),
  ),
})

/** Times that any reader may request: the top of an hour, or any time from the first on. */
function answerable(all: readonly Quote[], nowMs: number): number[] {
  const tops = boundariesMs(nowMs).filter(Number.isFinite)
  const sinceMs = Math.min(...tops)
  const lastMs = ({ offer }: Quote) => offer?.validUntilMs ?? Number.POSITIVE_INFINITY
  const moments = [sinceMs, ...all.map((one) => lastMs(one) + 1), Number.MAX_SAFE_INTEGER]
  const found = new Set<number>()
  const series = ({ to, offer }: Quote) => `${to} ${offerKey(offer ?? PLAIN)}`
  for (const quotes of Map.groupBy(all, series).values()) {
    const newest = quotes.toSorted(newestFirst)
    const note = (isFit: (quote: Quote) => boolean) => {
      const quote = newest.find(isFit)
      if (quote) found.add(quote.id)
    }
    for (const top of tops) note((quote) => quote.atMs <= top && lastMs(quote) >= top)
    for (const ms of moments.filter((ms) => ms >= sinceMs)) note((quote) => lastMs(quote) >= ms)
  }
  return [...found].sort((a, b) => a - b)
}

/** Quotes that memory retains. */
const served = (quotes: readonly Quote[], nowMs: number) => [
  ...QuoteIndex.empty.with(quotes, nowMs).allQuotes(),
]

const emptied = ({ sql }: FreshDatabase) =>
  sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`truncate observations, long_prices, offers, rollups`
  })

describe('live', () => {
  test('returns the requested quotes of every offer, for any history, validity and clock', async () => {
    const database = await newDatabase()
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async (rows) => {
        await emptied(database)
        const observations = rows.map(({ identity, to, effectiveMs, validMinutes }) => ({
          ...observation({ to, effectiveMs }),
          offer:
            validMinutes === null
              ? identity
              : { ...(identity ?? PLAIN), validUntilMs: effectiveMs + validMinutes * MINUTE_MS },
        }))
        const store = createObservationStore(database)
        const recorded = await store.record({ observations, idempotency: null })
        if (recorded.kind !== 'recorded') throw new Error(recorded.kind)
        const quotes = createQuoteStore(database)
        const all = await quotes.byIds(recorded.ids, null)
        expect(all.map((quote) => offerKey(quote.offer ?? PLAIN))).toEqual(
          observations.map((one) => offerKey(one.offer ?? PLAIN)),
        )
        for (const minutes of [-200, -90, 0, 30, 60, 119, 700]) {
          const nowMs = HOUR + minutes * MINUTE_MS
          const live = served(await quotes.live(nowMs), nowMs)
          expect(live.map(({ id }) => id).sort((a, b) => a - b)).toEqual(answerable(all, nowMs))
        }
      }),
      { numRuns: 50 },
    )
  }, 120_000)
})

const ROWS = 250_000
const OFFERS = 5040
const ROWS_OF_OFFER = Math.floor(ROWS / OFFERS)

/**
 * A quarter of a million rows of 560 series with 9 offers each. In one third of the series no row
 * expires; in one third all do and the newest is still valid; in one third the newer half has
 * expired, and the older half has not or never does.
 */
async function fill({ sql }: FreshDatabase): Promise<void> {
  const newest = new Date(NOW_MS).toISOString()
  await sql`
    insert into corridors (source, target)
    select a.code, b.code from currencies a, currencies b
    where a.code <> b.code and a.kind = 'fiat' and b.kind = 'fiat' and a.is_active and b.is_active`
  await sql`insert into provider_corridors (corridor_id, provider_id)
    select c.id, p.id from corridors c, providers p order by p.id, c.id`
  await sql`insert into offers (provider_corridor_id, key, amount_min)
    select p.id, '[null,null,null,null,null,"' || n || '",null,null]', n
    from provider_corridors p, generate_series(1, 9) n order by n, p.id`
  const indexes = await sql<{ name: string; made: string }[]>`
    select indexname as name, indexdef as made from pg_indexes
    where tablename = 'observations' and indexname <> 'observations_pkey'`
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    for (const { name } of indexes) await tx`drop index ${tx(name)}`
    await tx`
      insert into observations
        (effective_from, corridor_id, provider_corridor_id, rate_type, rate, offer_id, valid_until)
      select at, p.corridor_id, p.id, 'retail', 100 + n % 7, f.id, case f.id % 3
        when 1 then at + interval '30 days'
        when 2 then case when n > ${Math.floor(ROWS_OF_OFFER / 2)} then at + interval '1 minute'
          when f.id % 2 = 0 then ${newest}::timestamptz + interval '30 days' end
        end
      from generate_series(1, ${ROWS_OF_OFFER}) n
      cross join lateral (
        select ${newest}::timestamptz - (${ROWS_OF_OFFER} - n + 1) * interval '14 days' as at
      ) moment
      cross join offers f join provider_corridors p on p.id = f.provider_corridor_id`
    for (const { made } of indexes) await tx.unsafe(made.replace(' ON ONLY ', ' ON '))
    await tx`${keepLong(sql, sql`observations`)}`
  })
}

type Node = Record<string, unknown>
const nodesOf = (node: Node): Node[] => [node, ...((node.Plans as Node[]) ?? []).flatMap(nodesOf)]

describe(`the plan of live on ${ROWS.toLocaleString('en')} observations`, () => {
  let database: FreshDatabase

  beforeAll(async () => {
    database = await newDatabase()
    await database.sql`alter table observation_months.early set (autovacuum_enabled = false)`
    await fill(database)
  }, 3 * TEST_MS_MAX)

  /** The statement for all offers, in the latest months or in all of history. */
  const asked = async (isFar: boolean, tx: Sql | TransactionSql) => {
    const offers = await tx<OfferPlace[]>`
      select provider_corridor_id as series, id as offer from offers`
    const ask = { nowMs: NOW_MS, isDistributed: false, offers: isFar ? offers : null }
    return { statement: liveStatement(database.sql, tx, ask) }
  }

  const measured = (isFar: boolean) =>
    database.sql.begin(async (tx) => {
      await tx`set local enable_sort = off`
      const { statement } = await asked(isFar, tx)
      const [row] = await tx`explain (analyze, buffers, format json) ${statement}`
      if (!isFar) expect(JSON.stringify(row)).toContain('offer_id_valid_until')
      return rowsRead(row!)
    })

  const rowsRead = (row: Node) => {
    const [{ Plan }] = row['QUERY PLAN'] as [{ Plan: Node }]
    const read = nodesOf(Plan).filter((node) => node['Relation Name'] === 'early')
    const older = read.filter((node) => /offer_id_valid_until/.test(String(node['Index Name'])))
    for (const node of older) expect(String(node['Index Cond'])).toContain('valid_until >')
    const joined = nodesOf(Plan).map(
      (node) => Number(node['Rows Removed by Join Filter'] ?? 0) * Number(node['Actual Loops']),
    )
    expect(joined.reduce((sum, count) => sum + count, 0)).toBeLessThan(8 * OFFERS)
    const rows = read.map((node) => {
      const each = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)
      return each * Number(node['Actual Loops'])
    })
    return rows.reduce((sum, count) => sum + count, 0)
  }

  for (const statistics of ['before it has statistics', 'once it has statistics'])
    test(
      `reads a few rows of each offer, ${statistics}`,
      async () => {
        if (statistics.startsWith('once')) await database.sql`analyze`
        const { statement } = await asked(false, database.sql)
        expect(await scannedTables(database, statement)).not.toContain('early')
        expect(await measured(false)).toBeLessThan(8 * OFFERS)
        expect(await measured(true)).toBeLessThan(8 * OFFERS)
      },
      TEST_MS_MAX,
    )

  test('finds the valid price of every offer, even if its newest rows have expired', async () => {
    const quotes = await createQuoteStore(database).live(NOW_MS)
    const now = quotes.filter(({ offer }) => (offer?.validUntilMs ?? Infinity) >= NOW_MS)
    expect(
      new Set(
        now.map(
          ({ from, to, providerId, offer }) => `${from} ${to} ${providerId} ${offer!.amountMin}`,
        ),
      ).size,
    ).toBe(OFFERS)
  })
})
