import type { Window } from '~/domain/period.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { briefly } from './briefly.ts'

const TRIES = { triesMax: 3, pauseMs: 1000 }
const PROOF_STEPS_MAX = 2

/** The months before `beforeMs` that are parts of observations, oldest first. */
export async function monthsBefore({ sql }: Database, beforeMs: number): Promise<Window[]> {
  const [oldest] = await sql<{ since: string }[]>`
    select extract(epoch from since) * 1000 as since from oldest_observation_month()`
  const months: Window[] = []
  if (!oldest) return months
  for (let fromMs = Number(oldest.since); ; fromMs = months.at(-1)!.beforeMs) {
    const next = new Date(fromMs)
    const month = { fromMs, beforeMs: next.setUTCMonth(next.getUTCMonth() + 1) }
    if (month.beforeMs > beforeMs) return months
    months.push(month)
  }
}

/**
 * Drops the oldest month, whole or not at all, and returns the number of observations deleted; null
 * if it or the table is too busy, or if another month is the oldest.
 *
 * The roll-ups of the month must be right. Observations that are needed after `beforeMs` stay.
 */
export async function dropMonth(
  database: Database,
  { fromMs }: Window,
  beforeMs: number,
): Promise<number | null> {
  for (let steps = 0; steps < PROOF_STEPS_MAX; steps++)
    if (!(await briefly(database, (tx) => tx`select prove_early_observations()`, TRIES)))
      return null
  const rows = await briefly(
    database,
    (tx) => tx<{ gone: number | null }[]>`
      select drop_observation_month(
        ${instantText(fromMs)}::timestamptz, ${instantText(beforeMs)}::timestamptz
      ) as gone`,
    TRIES,
  )
  return rows?.[0]?.gone ?? null
}
