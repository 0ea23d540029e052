import type { Window } from '~/domain/period.ts'
import type { Sql } from '~/store/database.ts'

/** The age limit of a pool's reading; less than `ANNOUNCED_MS`, for which archiving waits. */
const LEARNED_MS = 10_000
/** The time between the announcement of a month and the first row that leaves it. */
export const ANNOUNCED_MS = 30_000

/** The starts of the months that are archived, or are about to be. */
export type Archive = ReadonlySet<number>

type Learned = { readonly months: Promise<Archive>; readonly untilMs: number }

const learned = new WeakMap<Sql, Learned>()

/** The archived months, as a pool read them recently; a standby, which may lag, reads each time. */
export function archivedMonths(sql: Sql): Promise<Archive> {
  const known = learned.get(sql)
  if (known && known.untilMs > performance.now()) return known.months
  const months = lookedUp(sql)
  learned.set(sql, { months, untilMs: performance.now() + LEARNED_MS })
  months.catch(() => learned.delete(sql))
  return months
}

/** Passes the pool's archived months on to one of its transactions. */
export function remembersArchive(tx: Sql, months: Archive): void {
  learned.set(tx, { months: Promise.resolve(months), untilMs: Number.POSITIVE_INFINITY })
}

/** Makes a pool read the archived months again, as after it archived. */
export const forgetArchive = (sql: Sql): boolean => learned.delete(sql)

async function lookedUp(sql: Sql): Promise<Archive> {
  const rows = await sql<{ month_ms: string | null; is_standby: boolean }[]>`
    select extract(epoch from month) * 1000 as month_ms, pg_is_in_recovery() as is_standby
    from (select) one left join public.archived_months on true`
  if (rows[0]?.is_standby) learned.delete(sql)
  return new Set(rows.flatMap((row) => (row.month_ms === null ? [] : [Number(row.month_ms)])))
}

/** The start of the UTC month of a time. */
export function monthStartMs(ms: number): number {
  if (!Number.isFinite(ms)) return ms
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
}

const monthEndMs = (startMs: number): number => {
  const at = new Date(startMs)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
}

export function touches(archive: Archive | undefined, { fromMs, beforeMs }: Window): boolean {
  for (const month of archive ?? []) if (month < beforeMs && monthEndMs(month) > fromMs) return true
  return false
}
