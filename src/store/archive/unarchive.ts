import type { Database, Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { isBusy } from '~/store/month/briefly.ts'
import { again } from '~/store/rerun.ts'
import { forgetArchive, monthStartMs } from './archived.ts'

const TRIES_MAX = 20
const PAUSE_MS = 500

/** Moves all that is archived of a corridor in the months of some times back to observations. */
export async function unarchiveMonths(
  tx: TransactionSql,
  corridorId: number,
  timesMs: readonly number[],
): Promise<void> {
  const months = [...new Set(timesMs.map(monthStartMs))].sort((a, b) => a - b)
  await tx`
    select unarchive_observations(${corridorId}::int, month)
    from unnest(${arrayLiteral(months.map(instantText))}::timestamptz[]) month`
}

/**
 * Moves the months that begin before a time back to observations, each corridor of a month in a
 * transaction; returns the number of rows moved. `reach` receives each step.
 */
export async function unarchiveBefore(
  { sql }: Pick<Database, 'sql'>,
  beforeMs: number,
  reach: (done: number, total: number) => void = () => {},
): Promise<number> {
  const months = await sql<{ month: string }[]>`
    select month::text from archived_months where month < ${instantText(beforeMs)}::timestamptz
    order by month`
  if (months.length === 0) return 0
  const corridors = await sql<{ id: number }[]>`select id from corridors order by id`
  const total = months.length * corridors.length
  let [rows, done] = [0, 0]
  for (const { month } of months) {
    for (const { id } of corridors) {
      const [row] = await sql<[{ moved: number }]>`
        select unarchive_observations(${id}::int, ${month}::timestamptz) as moved`
      rows += row.moved
      reach(++done, total)
    }
    await patiently(() => sql`select forget_archive(${month}::timestamptz)`)
  }
  forgetArchive(sql as Sql)
  return rows
}

/** Runs work that needs a table for an instant, again while others are too busy with it. */
export const patiently = <T>(work: () => PromiseLike<T>): Promise<T> =>
  again(work, { triesMax: TRIES_MAX, pauseMs: PAUSE_MS, isWorth: isBusy })
