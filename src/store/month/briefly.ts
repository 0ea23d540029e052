import type { TransactionSql } from 'postgres'
import type { Database } from '~/store/database.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

/**
 * Does work that needs the whole table of observations for an instant, in a transaction; null where
 * the table was too busy, and nothing was done.
 */
export async function briefly<T>(
  { sql }: Pick<Database, 'sql'>,
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T | null> {
  try {
    return (await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '250ms'`
      return await work(tx)
    })) as T
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED) return null
    throw error
  }
}
