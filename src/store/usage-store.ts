import type { UsageCount } from '~/domain/quota.ts'
import type { Database } from './database.ts'
import { arrayLiteral } from './encoding.ts'
import { NEWS_CHANNEL, newsPayload } from './news-channel.ts'

export type UsageStore = {
  /** What is counted on `day` and later, in no promised order. */
  since(day: number): Promise<UsageCount[]>
  /** The same of some accounts only, on the days from `day` to `day + days - 1`. */
  ofAccounts(
    accountIds: readonly string[],
    span: { day: number; days: number },
  ): Promise<UsageCount[]>
  /**
   * Adds to what is counted, all or nothing; the new totals of the counts named, in no promised
   * order. Other processes hear whose totals they are.
   *
   * Any number of processes may add at once: rows are locked in one order, so none waits in a
   * circle. Counts of keys that do not exist are dropped and have no total.
   */
  add(counts: readonly UsageCount[]): Promise<UsageCount[]>
}

/** Accounts named in one piece of news, whose payload has a limit. */
const NEWS_ACCOUNTS_MAX = 150

export function createUsageStore(database: Database): UsageStore {
  const { sql } = database
  return {
    async since(day) {
      const rows = await sql<UsageCount[]>`
        select day - date '1970-01-01' as day,
          account_id as "accountId", key_id as "keyId", requests
        from usage where day >= date '1970-01-01' + ${day}::int`
      return [...rows]
    },
    async ofAccounts(accountIds, { day, days }) {
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
    async add(counts) {
      if (counts.length === 0) return []
      const rows = await sql<UsageCount[]>`
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
          select count(pg_notify(${NEWS_CHANNEL}, payload))
          from unnest(${arrayLiteral(announcements(database, counts))}::text[]) as news (payload)
          where exists (select from added)
        )
        select added.* from added, announced`
      return [...rows]
    },
  }
}

function announcements(database: Database, counts: readonly UsageCount[]): string[] {
  const accountIds = [...new Set(counts.map(({ accountId }) => accountId))]
  const payloads: string[] = []
  for (let start = 0; start < accountIds.length; start += NEWS_ACCOUNTS_MAX) {
    const some = accountIds.slice(start, start + NEWS_ACCOUNTS_MAX)
    payloads.push(newsPayload(database, { kind: 'usage', accountIds: some }))
  }
  return payloads
}
