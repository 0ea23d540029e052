import { afterAll } from 'bun:test'
import { drizzle } from 'drizzle-orm/postgres-js'
import type { PendingQuery, TransactionSql } from 'postgres'
import type { Corridor } from '~/domain/corridor.ts'
import type { Observation } from '~/domain/observation.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Place } from '~/store/corridor-ids.ts'
import { connect, type Database } from '~/store/database.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { copiesOf, type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

export const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

/** Creates databases, and closes them once the tests of the file are done. */
export function databasesOfFile(make: () => Promise<FreshDatabase> = freshDatabase) {
  const opened: FreshDatabase[] = []
  afterAll(async () => {
    for (const database of opened) await database.close()
  })
  return async (): Promise<FreshDatabase> => {
    const database = await make()
    opened.push(database)
    return database
  }
}

/** A fresh database that knows the currencies and providers of the tests. */
export const stockedDatabase = copiesOf((database) =>
  createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS }),
)

/**
 * Fills histories with consistent rows, without the checks of each one (foreign keys, its offer,
 * how long its price is valid), which would take longer than the rows.
 */
export const inBulk = ({ sql }: Database, fill: (tx: TransactionSql) => Promise<unknown>) =>
  sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await fill(tx)
  })

/** Gives a database thirty currencies with a reference an hour, and no statistics. */
export async function recordHistory({ sql }: Database): Promise<void> {
  await sql`alter table reference_rates set (autovacuum_enabled = false)`
  await sql`alter table reference_snapshots set (autovacuum_enabled = false)`
  await sql`insert into reference_snapshots (source, fetched_at)
    select 'feed', now() - i * interval '1 hour' from generate_series(1, 2000) i`
  await sql`insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
    select s.fetched_at, s.id, 'C' || c, s.id from reference_snapshots s, generate_series(1, 30) c`
}

/** Another handle on the same database, like another process. */
export function otherHandle({ url }: Pick<FreshDatabase, 'url'>): Database {
  const sql = connect(url, { connectionsMax: 4 })
  const close = () => sql.end({ timeout: 1 })
  return { sql, db: drizzle(sql), kind: 'external', where: 'test', close }
}

export function observation(more: Partial<Observation> = {}): Observation {
  return {
    providerId: 'retail-a',
    from: 'USD',
    to: 'KES',
    rate: '129.5',
    fee: null,
    feeCurrency: null,
    rateType: 'retail',
    evidence: 'observed',
    offer: null,
    effectiveMs: NOW_MS,
    notes: null,
    ...more,
  }
}

export async function* inArrays<T>(rows: readonly T[], size = 2): AsyncGenerator<T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size)
}

/** Resolves once at least so many of the database's sessions wait for a lock. */
export const untilWaiting = ({ sql }: Database, count: number): Promise<void> =>
  until(`${count} waiting for a lock`, async () => {
    const rows = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return rows.length >= count
  })

/** The tables a plan reads from end to end. */
export async function scannedTables<Rows extends readonly (object | undefined)[]>(
  { sql }: Database,
  statement: PendingQuery<Rows>,
): Promise<string[]> {
  const [row] = await sql`explain (format json) ${statement}`
  const found: string[] = []
  const walk = (node: Record<string, unknown>) => {
    if (node['Node Type'] === 'Seq Scan') found.push(String(node['Relation Name']))
    for (const child of (node.Plans as Record<string, unknown>[] | undefined) ?? []) walk(child)
  }
  const [{ Plan }] = row!['QUERY PLAN'] as [{ Plan: Record<string, unknown> }]
  walk(Plan)
  return found
}

/** A corridor as statements name it; the corridor has to exist. */
export async function placeIn({ sql }: Database, corridor: Corridor): Promise<Place> {
  const [row] = await sql<[{ id: number }]>`
    select id from corridors where source = ${corridor.from} and target = ${corridor.to}`
  return { corridor, corridorId: row.id, isDistributed: false, isLong: false, isThen: false }
}
