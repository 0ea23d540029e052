import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Makes the months of observations up to a moment; answers how many, and null where the table was
 * too busy to be locked for an instant. Rows of a month that is not made yet are kept aside, so
 * there is time to try again.
 */
export async function makeMonths(
  { sql }: Pick<Database, 'sql'>,
  untilMs: number,
): Promise<number | null> {
  try {
    return await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '250ms'`
      const [row] = await tx<[{ made: number }]>`
        select make_observation_months(${instantText(untilMs)}::timestamptz) as made`
      return row.made
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return null
    throw error
  }
}
