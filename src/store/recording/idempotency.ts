import { DAY_MS } from '~/domain/duration.ts'
import type { Idempotency } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

/** The time for which the response to an ingestion is retained for a retry. */
const IDEMPOTENCY_AGE_MAX_MS = DAY_MS

/**
 * The statement, or a part of one, that takes a key if it is free or too old, and then gives one
 * row with the `ids` for the rows of its batch; it waits for a transaction that is taking it.
 */
export function claim({ sql }: Database, idempotency: Idempotency, inserted: number) {
  const { accountId, key, bodyHash, nowMs } = idempotency
  return sql`
    insert into idempotency (account_id, key, body_hash, inserted, ids, created_at)
    values (${accountId}, ${key}, ${bodyHash}, ${inserted},
      next_observation_ids(${inserted}::int), ${instantText(nowMs)}::timestamptz)
    on conflict (account_id, key) do update set body_hash = excluded.body_hash,
      inserted = excluded.inserted, ids = excluded.ids, created_at = excluded.created_at
    where idempotency.created_at < ${oldestText(nowMs)}::timestamptz
    returning ids`
}

/** The time before which responses are too old to be returned again. */
export const oldestText = (nowMs: number): string => instantText(nowMs - IDEMPOTENCY_AGE_MAX_MS)
