import { hourStartMs } from '~/domain/freshness.ts'
import type { Part, Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { recount } from '~/store/past/recount.ts'
import type { NewRows } from './new-rows.ts'

/** The error of the function `refuse_restated`. */
const RESTATED = 'CR001'

/** Reports whether rows were refused as they take the place of others of their offers and times. */
export const isRestated = (error: unknown): boolean =>
  (error as { code?: unknown }).code === RESTATED

/**
 * The call that refuses rows of which one has the offer and the time of another, recorded before or
 * with it. A row of any kind counts: one that no money can be moved at may replace one that had the
 * best rate of its hour. `added` is a relation with the columns of the rows.
 */
export const refuseRestated = (sql: Sql, added: Part) => sql`refuse_restated(
  array_agg(${added}.provider_corridor_id), array_agg(${added}.offer_id),
  array_agg(${added}.effective_from))`

/** The statement that finds such rows after recording, if observations are on several servers. */
export function restatedAmong(sql: Sql, { series, observations }: NewRows) {
  const corridorIds = arrayLiteral([...new Set(series.map(({ corridorId }) => corridorId))])
  const times = arrayLiteral(observations.map(({ effectiveMs }) => instantText(effectiveMs)))
  const sorted = observations.map(({ effectiveMs }) => effectiveMs).sort((a, b) => a - b)
  return sql`
    select corridor_id from observations
    where corridor_id = any(${corridorIds}::int[])
      and provider_corridor_id = any(${arrayLiteral(series.map(({ id }) => id))}::int[])
      and effective_from = any(${times}::timestamptz[])
      and effective_from >= ${instantText(sorted[0]!)}::timestamptz
      and effective_from <= ${instantText(sorted.at(-1)!)}::timestamptz
    group by corridor_id, provider_corridor_id, offer_id, effective_from having count(*) > 1`
}

/** Counts the hours of rows again, corridor by corridor, without waiting between two of them. */
export async function recountHours(sql: Sql, tx: TransactionSql, rows: NewRows): Promise<void> {
  const { observations, series } = rows
  const hours = new Map<number, Set<number>>()
  for (const [i, { corridorId }] of series.entries())
    hours
      .getOrInsertComputed(corridorId, () => new Set())
      .add(hourStartMs(observations[i]!.effectiveMs))
  const sorted = [...hours].sort(([a], [b]) => a - b)
  await Promise.all(
    sorted.map(([corridorId, hoursMs]) => recount(sql, tx, { corridorId, hoursMs: [...hoursMs] })),
  )
}
