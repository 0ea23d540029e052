import type { Readable } from 'node:stream'
import type { Sql, TransactionSql } from '~/store/database.ts'

/**
 * Passes the bytes of `statement`, a `COPY ... TO STDOUT`, on as they come.
 *
 * If they cannot be passed on, the server is asked to stop, on another connection, and bytes
 * already sent are read and dropped: unread, they would keep the transaction from ever ending.
 */
export async function copyOut(
  { sql, tx }: { sql: Sql; tx: TransactionSql },
  statement: string,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const [session] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
  const rows = (await tx.unsafe(statement).readable()) as Readable
  try {
    for await (const bytes of rows.iterator({ destroyOnReturn: false })) await write(bytes)
  } catch (error) {
    rows.on('error', () => {})
    rows.resume()
    await sql`select pg_cancel_backend(${session.pid})`.catch(() => {})
    throw error
  }
}

/**
 * Runs work as of one time. A month of observations that was dropped or moved meanwhile would be
 * missing even so; the lock, taken before, makes these wait.
 */
export const inSnapshot = <T>(sql: Sql, work: (tx: TransactionSql) => Promise<T>) =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`lock table observations in access share mode`
    return work(tx)
  }) as Promise<T>
