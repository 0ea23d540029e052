import type { UsageCount } from '~/domain/quota.ts'
import type { Database } from './database.ts'
import { arrayLiteral } from './encoding.ts'

export type UsageStore = {
  /** What is counted on `day` and later, in no promised order. */
  since(day: number): Promise<UsageCount[]>
  /**
   * Adds to what is counted, all or nothing; the new totals of the counts named, in no promised
   * order.
   *
   * Any number of processes may add at once: rows are locked in one order, so none waits in a
   * circle. Counts of keys that do not exist are dropped and have no total.
   */
  add(counts: readonly UsageCount[]): Promise<UsageCount[]>
}

export function createUsageStore({ sql }: Database): UsageStore {
  return {
    async since(day) {
      const rows = await sql<UsageCount[]>`
        select day - date '1970-01-01' as day,
          account_id as "accountId", key_id as "keyId", requests
        from usage where day >= date '1970-01-01' + ${day}::int`
      return [...rows]
    },
    async add(counts) {
      if (counts.length === 0) return []
      const rows = await sql<UsageCount[]>`
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
          requests`
      return [...rows]
    },
  }
}
