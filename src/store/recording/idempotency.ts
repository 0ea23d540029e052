import { DAY_MS } from '~/domain/duration.ts'
import type { Idempotency } from '~/domain/observation.ts'
import type { Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import type { NewRows, PreparedBatch } from './new-rows.ts'

/** The time for which the response to an ingestion is kept for a retry. */
const IDEMPOTENCY_AGE_MAX_MS = DAY_MS

/** A name of an idempotency key, which no two batches of a group may share. */
export const nameOf = ({ accountId, key }: Idempotency): string => `${accountId} ${key}`

/**
 * The beginning of a statement that gives new rows their ids, as `numbered`, and takes the keys of
 * their batches that are free or too old, as `claimed`. It waits for transactions that are taking
 * one of them. Keys are taken in one order everywhere, which rules out deadlocks.
 */
export function claims(sql: Sql, { batches, observations }: NewRows) {
  const numbered = sql`numbered as materialized (
    select next_observation_ids(${observations.length}::int) as ids)`
  const asked = keyedOf(batches)
  if (asked.length === 0) return numbered
  const column = (field: (key: Idempotency) => string) =>
    arrayLiteral(asked.map(({ idempotency }) => field(idempotency)))
  return sql`${numbered}, claimed as (
    insert into idempotency (account_id, key, body_hash, inserted, ids, created_at)
    select account_id, key, body_hash, count, ids[start:start + count - 1], created_at
    from numbered, unnest(
      ${column(({ accountId }) => accountId)}::uuid[], ${column(({ key }) => key)}::text[],
      ${column(({ bodyHash }) => bodyHash)}::text[],
      ${arrayLiteral(asked.map(({ start }) => start))}::int[],
      ${arrayLiteral(asked.map(({ count }) => count))}::int[],
      ${column(({ nowMs }) => instantText(nowMs))}::timestamptz[]
    ) asked (account_id, key, body_hash, start, count, created_at)
    order by account_id, key
    on conflict (account_id, key) do update set body_hash = excluded.body_hash,
      inserted = excluded.inserted, ids = excluded.ids, created_at = excluded.created_at
    where idempotency.created_at
      < excluded.created_at - make_interval(secs => ${IDEMPOTENCY_AGE_MAX_MS / 1000})
    returning account_id, key, ids)`
}

/** The names of the keys that `claims` took, in a statement that begins with it. */
export const claimedNames = (sql: Sql, { batches }: NewRows) =>
  keyedOf(batches).length === 0
    ? sql`null::text[]`
    : sql`(select array_agg(account_id || ' ' || key) from claimed)`

/** Says of each batch whether its rows are recorded: its key was taken for it, or it has none. */
export function areFree(batches: readonly PreparedBatch[], claimed: readonly string[] | null) {
  const names = new Set(claimed)
  return batches.map(({ idempotency }) => !idempotency || names.has(nameOf(idempotency)))
}

/** The ids of rows whose batches may be recorded, in such a statement; null for all. */
export function freeIds(sql: Sql, { batches }: NewRows) {
  if (keyedOf(batches).length === 0) return null
  const places = placed(batches).flatMap(({ observations, idempotency, start }) =>
    idempotency ? [] : observations.map((_, i) => start + i),
  )
  const claimed = sql`select unnest(ids) from claimed`
  if (places.length === 0) return claimed
  return sql`${claimed} union all
    select ids[place] from numbered, unnest(${arrayLiteral(places)}::int[]) place`
}

/** The batches with a key, their number of rows, and the place of their first row from 1. */
const keyedOf = (batches: readonly PreparedBatch[]) =>
  placed(batches).flatMap(({ idempotency, observations, start }) =>
    idempotency ? [{ idempotency, start, count: observations.length }] : [],
  )

function placed(batches: readonly PreparedBatch[]) {
  let next = 1
  return batches.map((batch) => {
    const start = next
    next += batch.observations.length
    return { ...batch, start }
  })
}

/** The moment before which answers are too old to be given again. */
export const oldestText = (nowMs: number): string => instantText(nowMs - IDEMPOTENCY_AGE_MAX_MS)
