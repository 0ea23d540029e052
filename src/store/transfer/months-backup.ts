import type { Database, TransactionSql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'

/** Beginning of the months of observations. */
export async function firstMonth(tx: TransactionSql): Promise<string | null> {
  const [row] = await tx<[{ sinceMs: number | null }]>`
    select (extract(epoch from since) * 1000)::float8 as "sinceMs" from observation_months()`
  return row.sinceMs === null ? null : instantText(row.sinceMs)
}

/**
 * Creates the months of a backup, if nothing is recorded yet, in a transaction of their own: so
 * readers of the table wait for an instant, and not until all is restored.
 */
export async function makeMonthsBefore(database: Database, since: string): Promise<void> {
  const sinceMs = Date.parse(since)
  if (Number.isNaN(sinceMs)) return
  const [any] = await database.sql`select 1 from observations limit 1`
  if (!any) await makeEarlierMonths(database, sinceMs)
}
