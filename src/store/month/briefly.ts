import type { Database, TransactionSql } from '~/store/database.ts'
import { again } from '~/store/rerun.ts'

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

const ONCE = { triesMax: 1, pauseMs: 0 }

/**
 * Runs work that needs the whole table of observations for an instant, in a transaction; null if
 * the table was too busy each time, and nothing was done.
 */
export async function briefly<T>(
  { sql }: Pick<Database, 'sql'>,
  work: (tx: TransactionSql) => Promise<T>,
  tries: { readonly triesMax: number; readonly pauseMs: number } = ONCE,
): Promise<T | null> {
  const begun = () =>
    sql.begin(async (tx) => {
      await tx`set local lock_timeout = '250ms'`
      return await work(tx)
    }) as Promise<T>
  try {
    return await again(begun, { ...tries, isWorth: isBusy })
  } catch (error) {
    if (isBusy(error)) return null
    throw error
  }
}

/** Reports whether a transaction was ended because others hold what it needs. */
export function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED
}
