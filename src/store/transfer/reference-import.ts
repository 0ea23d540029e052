import type { ReferenceRow } from '~/domain/mid.ts'
import type { Database, TransactionSql } from '~/store/database.ts'
import { copyLine, instantText } from '~/store/encoding.ts'
import { loggedNotification } from '~/store/notification-channel.ts'
import { copyAll, copyIn } from './copy-in.ts'

/** Result of an import: added rates, and the snapshots (one per time and source) that hold them. */
type ReferencesImported = { readonly snapshots: number; readonly rates: number }

/** Imports take turns under this lock, so that two imports of one file add its rates once. */
const LOCK_NAME = 'corridor reference import'

/**
 * Records what `rows` add, in one transaction.
 *
 * Takes them in arrays of any size. A rate equal to the last recorded value of its source, time and
 * currency is skipped; another value is recorded as a later correction. Among several in `rows` the
 * last counts. When `rows` throws nothing is recorded and that error is thrown. Listeners are
 * notified to load everything; the log names the rows, unless they are many.
 */
export async function importReferences(input: {
  database: Database
  rows: AsyncIterable<readonly ReferenceRow[]>
}): Promise<ReferencesImported> {
  const { database, rows } = input
  return database.sql.begin(async (tx) => {
    await tx`create temporary table staged_references (
      line bigint generated always as identity, fetched_at timestamptz(3) not null,
      source text not null, currency text not null, per_usd numeric not null
    ) on commit drop`
    await stage(tx, rows)
    await tx`analyze staged_references`
    await tx`select pg_advisory_xact_lock(hashtext(${LOCK_NAME}))`
    const added = await addStaged(tx)
    if (added.rates > 0) await tx`${loggedNotification(database, 'references', newIds(added))}`
    return { snapshots: added.snapshots, rates: added.rates }
  })
}

async function stage(
  tx: TransactionSql,
  rows: AsyncIterable<readonly ReferenceRow[]>,
): Promise<void> {
  const copy = await copyIn(
    tx,
    'copy staged_references (fetched_at, source, currency, per_usd) from stdin',
  )
  await copyAll(copy, rows, (batch) => copy.write(batch.map(lineOf).join('')))
}

const lineOf = ({ fetchedMs, source, currency, perUsd }: ReferenceRow): string =>
  copyLine([instantText(fetchedMs), source, currency, perUsd])

/** The most rows of an import that the log of changes names: more are a gap for its readers. */
const NAMED_ROWS_MAX = 10_000

/** An import, and the ids of its first rates, ascending. */
type Added = ReferencesImported & { readonly ids: readonly string[] }

const newIds = ({ rates, ids }: Added): readonly number[] | null =>
  rates <= NAMED_ROWS_MAX ? ids.map(Number) : null

async function addStaged(tx: TransactionSql): Promise<Added> {
  const [added] = await tx<[Added]>`
    with last as (
      select distinct on (fetched_at, source, currency) *
      from staged_references order by fetched_at, source, currency, line desc
    ), known as (
      select distinct on (r.fetched_at, s.source, r.currency)
        r.fetched_at, s.source, r.currency, r.per_usd
      from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
      where r.fetched_at in (select fetched_at from staged_references)
      order by r.fetched_at, s.source, r.currency, r.id desc
    ), fresh as (
      select last.* from last left join known using (fetched_at, source, currency)
      where known.per_usd is distinct from last.per_usd
    ), snapshots as (
      insert into reference_snapshots (source, fetched_at)
      select distinct source, fetched_at from fresh order by fetched_at, source
      returning id, source, fetched_at
    ), rates as (
      insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
      select fetched_at, snapshots.id, currency, per_usd
      from fresh join snapshots using (fetched_at, source)
      order by fetched_at, source, currency
      returning id
    )
    select (select count(*)::int from snapshots) as snapshots,
      (select count(*)::int from rates) as rates,
      array(select id from rates order by id limit ${NAMED_ROWS_MAX}) as ids`
  return added
}
