import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { briefly } from './briefly.ts'

const TRIES_MAX = 5
const PAUSE_MS = 250

/**
 * Makes the months of observations back to a moment, while next to nothing is recorded from before
 * the first month.
 *
 * Answers how many it made, and null where the table was too busy: without them, rows are recorded
 * in the part for all that is older.
 */
export async function makeEarlierMonths(
  database: Pick<Database, 'sql'>,
  sinceMs: number,
): Promise<number | null> {
  for (let tries = 1; ; tries++) {
    const made = await briefly(database, async (tx) => {
      const [row] = await tx<[{ made: number }]>`
        select make_earlier_months(${instantText(sinceMs)}::timestamptz) as made`
      return row.made
    })
    if (made !== null || tries === TRIES_MAX) return made
    await delay(PAUSE_MS)
  }
}
