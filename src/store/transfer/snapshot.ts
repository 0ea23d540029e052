import type { TransactionSql } from 'postgres'
import type { Sql } from '~/store/database.ts'

/**
 * Does work as of one moment. A month of observations that were dropped or moved meanwhile would be
 * gone whatever the moment; the lock, taken before it, has these wait.
 */
export const inSnapshot = <T>(sql: Sql, work: (tx: TransactionSql) => Promise<T>) =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`lock table observations in access share mode`
    return work(tx)
  }) as Promise<T>
