import type { Database, TransactionSql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { instantText } from '~/store/encoding.ts'
import { briefly } from './briefly.ts'

const TRIES = { triesMax: 5, pauseMs: 250 }
/** A month takes some milliseconds, and up to a second if it is a table for each shard. */
const AT_ONCE = 12
const SPREAD_AT_ONCE = 1

type Step = { readonly made: number; readonly is_last: boolean }

/**
 * Creates the months of observations back to a time, the newest first, while next to nothing is
 * recorded from before the first month. Each transaction creates a few, so that a writer waits for
 * those alone. A later call continues after an interruption.
 *
 * Returns the number created, or null if the table was too busy for any. Rows without a month are
 * recorded in the part for all older ones.
 */
export async function makeEarlierMonths(
  database: Pick<Database, 'sql'>,
  sinceMs: number,
): Promise<number | null> {
  const atOnce = (await isDistributed(database.sql)) ? SPREAD_AT_ONCE : AT_ONCE
  for (let all = 0, back = atOnce; ; back += atOnce) {
    const step = await stepBack(database, sinceMs, back)
    if (!step) return all || null
    all += step.made
    if (step.is_last) return all
  }
}

/** Creates those of the months that lie at most this many before now. */
function stepBack(
  database: Pick<Database, 'sql'>,
  sinceMs: number,
  months: number,
): Promise<Step | null> {
  const step = async (tx: TransactionSql) => {
    const [row] = await tx<[Step]>`
      select make_earlier_months(asked) as made, asked = since as is_last from (
        select since, greatest(since, now() - make_interval(months => ${months})) as asked from (
          select greatest(${instantText(sinceMs)}::timestamptz, now() - interval '10 years')
            as since
        ) wanted
      ) bounded`
    return row
  }
  return briefly(database, step, TRIES)
}
