import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { briefly } from './briefly.ts'

/**
 * Creates the months of observations up to a time. Returns their number, or null if the table was
 * too busy to be locked for an instant. Rows of a month that does not exist yet are held aside, so
 * there is time to try again.
 */
export const makeMonths = (database: Pick<Database, 'sql'>, untilMs: number) =>
  briefly(database, async (tx) => {
    const [row] = await tx<[{ made: number }]>`
      select make_observation_months(${instantText(untilMs)}::timestamptz) as made`
    return row.made
  })
