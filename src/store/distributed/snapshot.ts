import { setTimeout as delay } from 'node:timers/promises'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { isBusy } from '~/store/month/briefly.ts'
import { onOwnConnection } from '~/store/own-connection.ts'
import { REFERENCE_TABLES } from './shape.ts'

const LOCK_WAIT_MS = 250
const LOCK_WAIT_MS_MAX = 1500
const PAUSE_MS = 500
const WAIT_MS_MAX = 600_000
/** Tables to lock; a writer of observations has written roll-ups by its commit. */
const TABLES = [...REFERENCE_TABLES, 'provider_corridors', 'offers', 'rollups'].join()

/**
 * Runs `work` in a read-only transaction that sees all servers as of one time.
 *
 * Each server has a snapshot of its own. So writers are locked out, in short turns, until none of
 * them is committing and no server has a prepared transaction whose end it has not received. Then
 * all snapshots are taken, which takes some milliseconds, and writers go on. The transaction locks
 * `provider_corridors` to the end, against sessions that create or drop a month. It needs the
 * rights of the tables' owner, and throws if there is no such time for ten minutes.
 */
export const inOneSnapshot = <T>(sql: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> =>
  onOwnConnection(
    sql,
    (holder) =>
      sql.begin('isolation level repeatable read read only', async (tx) => {
        await tx`set local citus.max_adaptive_executor_pool_size = 1`
        await quietly(holder, async () => {
          await tx`select count(*) from provider_corridors`
        })
        return work(tx)
      }) as Promise<T>,
  )

/** Runs short work while no session writes to tables on the workers. */
async function quietly(holder: Sql, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX
  for (let waitMs = LOCK_WAIT_MS; ; waitMs = Math.min(waitMs + LOCK_WAIT_MS, LOCK_WAIT_MS_MAX)) {
    if (await isDoneAlone(holder, waitMs, work)) return
    if (performance.now() > deadline)
      throw new Error(
        'timed out after 10 minutes: a worker has an open transaction or writes never paused; ' +
          'check that all workers respond, then retry',
      )
    await delay(PAUSE_MS)
  }
}

async function isDoneAlone(holder: Sql, waitMs: number, work: () => Promise<void>) {
  try {
    return await holder.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`
      await tx.unsafe(`lock table ${TABLES} in share mode`)
      if (await hasPrepared(tx)) return false
      await work()
      return true
    })
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** Reports whether a server has a part of a transaction whose end it has not received yet. */
async function hasPrepared(tx: TransactionSql): Promise<boolean> {
  const answers = await tx<{ success: boolean; result: string }[]>`
    select success, result from run_command_on_all_nodes(
      'select count(*) from pg_prepared_xacts
        where database = current_database() and gid like ''citus\\_%''')`
  return answers.some(({ success, result }) => !success || result !== '0')
}

/** A table, or its parts, as a coordinator copies them without keeping all rows itself. */
export async function streamed(
  tx: TransactionSql,
  { name, columns }: { readonly name: string; readonly columns: readonly string[] },
): Promise<string[]> {
  const parts = await tx<{ part: string }[]>`
    select inhrelid::regclass::text as part from pg_inherits
    where inhparent = ${`public.${name}`}::regclass order by 1`
  const tables = parts.length > 0 ? parts.map(({ part }) => part) : [`"${name}"`]
  return tables.map((table) => `${table} ("${columns.join('", "')}")`)
}
