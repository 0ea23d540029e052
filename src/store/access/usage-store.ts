import type { DaySpan, Settlement, UsageBatch, UsageCount } from '~/domain/quota.ts'
import type { Database, Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import { NOTIFICATION_CHANNEL, notificationPayload } from '~/store/notification-channel.ts'
import { takingShares } from './share-store.ts'

/** The maximum number of accounts that one announcement names; its payload has a limit. */
const NOTIFIED_ACCOUNTS_MAX = 150

/** The longest time that the server waits for the rest of a write before it drops it. */
const SILENCE_SECONDS_MAX = 5

export function createUsageStore(database: Database) {
  return { ...usageReads(database), settle: settlingOf(database) }
}

function usageReads({ sql }: Database) {
  return {
    async since(day: number) {
      const rows = await sql<UsageCount[]>`
        select day - date '1970-01-01' as day,
          account_id as "accountId", key_id as "keyId", requests
        from usage where day >= date '1970-01-01' + ${day}::int`
      return [...rows]
    },
    async ofAccounts(accountIds: readonly string[], { day, days }: DaySpan) {
      const all = Array.from({ length: days }, (_, i) => day + i)
      const rows = await sql<UsageCount[]>`
        select day - date '1970-01-01' as day,
          account_id as "accountId", key_id as "keyId", requests
        from usage
        where day = any(
          select date '1970-01-01' + asked.day from unnest(${arrayLiteral(all)}::int[]) asked (day)
        ) and account_id = any(${arrayLiteral(accountIds)}::uuid[])`
      return [...rows]
    },
  }
}

function settlingOf(database: Database) {
  const { sql } = database
  let unanswered: Unanswered | null = null
  /** Counts written by calls that rejected, which the next call must not write again. */
  let written: readonly UsageCount[] = []
  return async ({ counts, asks }: UsageBatch): Promise<Settlement> => {
    if (counts.length === 0 && asks.length === 0) return { totals: [], shares: [] }
    if (unanswered && (await wasCommitted(sql, unanswered.transaction))) written = unanswered.counts
    unanswered = null
    const missing = [
      ...counts,
      ...written.map((count) => ({ ...count, requests: -count.requests })),
    ]
    let transaction: string | null = null
    try {
      const settled = await sql.begin(async (tx) => {
        const [[begun], added, , shares, totals] = await Promise.all([
          tx<{ id: string }[]>`
            select pg_current_xact_id()::text as id, set_config(
              'idle_in_transaction_session_timeout', ${`${SILENCE_SECONDS_MAX}s`}, true)`,
          missing.length > 0 ? addition(database, tx, missing) : [],
          ...takingShares(database, tx, asks),
        ])
        transaction = begun!.id
        return { totals: [...added, ...totals], shares: [...shares] }
      })
      written = []
      return settled
    } catch (error) {
      if (transaction !== null) unanswered = { transaction, counts }
      throw error
    }
  }
}

/** A transaction whose commit was sent but not acknowledged. */
type Unanswered = { readonly transaction: string; readonly counts: readonly UsageCount[] }

/**
 * Reports whether a recent transaction was committed. A transaction that the server has forgotten
 * counts as committed. An unknown one does not, as after a failover. Throws while it is still
 * running.
 */
async function wasCommitted(sql: Sql, transaction: string): Promise<boolean> {
  const status = await sql<{ status: string | null }[]>`
    select pg_xact_status(${transaction}::xid8) as status`.then(
    ([row]) => row!.status,
    (error: { code?: unknown }) => {
      if (error.code === OUT_OF_RANGE) return 'aborted'
      throw error
    },
  )
  if (status === 'in progress')
    throw new Error('whether the usage of the last second was written is not known yet')
  return status !== 'aborted'
}

/** The server's code for a transaction that has yet to begin. */
const OUT_OF_RANGE = '22023'

function addition(database: Database, tx: TransactionSql, counts: readonly UsageCount[]) {
  return tx<UsageCount[]>`
    with added as (
      insert into usage (day, account_id, key_id, requests)
      select date '1970-01-01' + added.day, k.account_id, k.id, sum(added.requests)::int
      from unnest(
        ${arrayLiteral(counts.map(({ day }) => day))}::int[],
        ${arrayLiteral(counts.map(({ accountId }) => accountId))}::uuid[],
        ${arrayLiteral(counts.map(({ keyId }) => keyId))}::uuid[],
        ${arrayLiteral(counts.map(({ requests }) => requests))}::int[]
      ) as added (day, account_id, key_id, requests)
      join keys k on k.id = added.key_id and k.account_id = added.account_id
      group by added.day, k.account_id, k.id
      order by added.day, k.account_id, k.id
      on conflict (day, account_id, key_id)
      do update set requests = usage.requests + excluded.requests
      returning day - date '1970-01-01' as day, account_id as "accountId", key_id as "keyId",
        requests
    ), announced as materialized (
      select count(pg_notify(${NOTIFICATION_CHANNEL}, payload))
      from unnest(${arrayLiteral(announcements(database, counts))}::text[]) as noted (payload)
      where exists (select from added)
    )
    select added.* from added, announced`
}

function announcements(database: Database, counts: readonly UsageCount[]): string[] {
  const accountIds = [...new Set(counts.map(({ accountId }) => accountId))]
  const payloads: string[] = []
  for (let start = 0; start < accountIds.length; start += NOTIFIED_ACCOUNTS_MAX) {
    const some = accountIds.slice(start, start + NOTIFIED_ACCOUNTS_MAX)
    payloads.push(notificationPayload(database, { kind: 'usage', accountIds: some }))
  }
  return payloads
}
