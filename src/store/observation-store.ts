import type { TransactionSql } from 'postgres'
import type { Batch, Idempotency, Logged, Recording } from '~/domain/observation.ts'
import { addToRollups } from '~/store/past/rollup-parts.ts'
import type { Database, Sql } from './database.ts'
import { forgetDistribution, isDistributed } from './distributed/distribution.ts'
import { insertSpread } from './distributed/record.ts'
import { arrayLiteral } from './encoding.ts'
import { announcedIds, type LoggedRow, placeOf } from './news-channel.ts'
import { isLong, keepLong } from './offer/long-prices.ts'
import { Offers } from './offer/offers.ts'
import { ProviderCorridors } from './provider-corridors.ts'
import { commitGroup, type GroupDeps, loggedOf } from './recording/group-commit.ts'
import { claimedNames, claims, freeIds, oldestText } from './recording/idempotency.ts'
import {
  columnsOf,
  type NewRows,
  type PreparedBatch,
  recordingTime,
  rowsOf,
} from './recording/new-rows.ts'
import { Recorders } from './recording/recorders.ts'
import { isRestated, recountHours, refuseRestated } from './recording/restated.ts'
import { noteUpload } from './recording/upload-note.ts'
import { rerun } from './rerun.ts'

/** The store of observations; without a clock the log of changes goes by the server's. */
export function createObservationStore(database: Database, clock?: { now(): number }) {
  const corridors = new ProviderCorridors(database)
  const offers = new Offers(database)
  const recorders = new Recorders(database)
  const earlier = (idempotency: Idempotency) => earlierAnswer(database, idempotency)
  const known = { corridors, offers, recorders, earlier }
  const forgetting = <T>(work: Promise<T>) =>
    work.catch((error) => {
      if (isLost(error)) {
        for (const remembered of [corridors, offers, recorders]) remembered.forget()
        forgetDistribution(database.sql)
      }
      throw error
    })
  const groups = {
    earlier,
    insert: (batches: readonly PreparedBatch[]) =>
      forgetting(rerun(() => insert(database, rowsOf(batches, clock?.now() ?? null)))),
  }
  return {
    /**
     * Finds or makes what the rows of a batch refer to. Answers the batch for `commit`, or the
     * outcome of one that needs none.
     */
    prepare: (batch: Batch) => forgetting(prepared(batch, known)),
    /** Records batches by one commit, as `commitGroup` tells. */
    commit: (batches: readonly PreparedBatch[]) => commitGroup(batches, groups),
    async record(batch: Batch): Promise<Recording> {
      const one = await this.prepare(batch)
      if (one.kind !== 'prepared') return one
      const [outcome] = await commitGroup([one], groups)
      if (outcome!.status === 'rejected') throw outcome!.reason
      return outcome!.value
    },
    answered: earlier,
    /** Deletes answers too old to be given again, and tells how many. */
    async pruneIdempotency(nowMs: number) {
      const { count } = await database.sql`
        delete from idempotency where created_at < ${oldestText(nowMs)}::timestamptz`
      return count
    },
  }
}

type Known = Pick<GroupDeps, 'earlier'> & {
  readonly corridors: ProviderCorridors
  readonly offers: Offers
  readonly recorders: Recorders
}

async function prepared(
  batch: Batch,
  { corridors, offers, recorders, earlier }: Known,
): Promise<PreparedBatch | Recording> {
  const { observations, origin, idempotency, upload = null } = batch
  if (observations.length === 0) return { kind: 'recorded', ids: [], position: null }
  const series = await corridors.seriesOf(observations)
  const { ids: offerIds, faults } = await offers.idsOf(observations, series)
  if (faults) return (idempotency && (await earlier(idempotency))) ?? { kind: 'refused', faults }
  const recorderId = origin?.recorder ? await recorders.idOf(origin.recorder) : null
  const ids = { series, offerIds, recorderId }
  return { kind: 'prepared', observations, ...ids, via: origin?.via ?? null, idempotency, upload }
}

async function earlierAnswer(
  { sql }: Database,
  { accountId, key, bodyHash, nowMs }: Idempotency,
): Promise<Recording | null> {
  const [row] = await sql<{ body_hash: string; inserted: number; ids: string[] | null }[]>`
    select body_hash, inserted, ids from idempotency
    where account_id = ${accountId} and key = ${key}
      and created_at >= ${oldestText(nowMs)}::timestamptz`
  if (!row) return null
  if (row.body_hash !== bodyHash) return { kind: 'key_reused' }
  return { kind: 'replayed', inserted: row.inserted, ids: row.ids?.map(Number) ?? null }
}

/** The new ids of each batch and the position of all of them; null where its key is taken. */
async function insert(database: Database, rows: NewRows): Promise<readonly (Logged | null)[]> {
  if (await isDistributed(database.sql)) return insertSpread(database, rows)
  try {
    return await insertAtOnce(database, rows)
  } catch (error) {
    if (!isRestated(error)) throw error
    return insertRestated(database, rows)
  }
}

/**
 * One statement and so one round trip: the claims of the keys, the rows, their roll-ups and their
 * announcement commit together. The roll-ups come before the log of changes: two groups that lock
 * both in another order would deadlock.
 */
async function insertAtOnce(database: Database, rows: NewRows) {
  const { sql } = database
  const rolledUp = sql`(select count(*) from rolled_up) first`
  const logged = {
    added: sql`added`,
    atMs: rows.atMs,
    after: sql`, lateral (
      select ${refuseRestated(sql, sql`added`)} from added, ${rolledUp}) checked`,
  }
  const [added] = await sql<(LoggedRow & { ids: string; claimed: string[] | null })[]>`
    ${insertion(database, rows)} select logged.*, ${claimedNames(sql, rows)} as claimed
    from (${announcedIds(database, 'observations', logged)}) logged`
  if (!added) return rows.batches.map(() => null)
  const place = placeOf(added, rows.atMs)
  const ids = added.ids.split(',').map(Number)
  return loggedOf(rows.batches, { ids, place, claimed: added.claimed })
}

/**
 * As `insertAtOnce`, for rows that take the place of others of their offers and times: the hours of
 * all of them are counted again.
 */
const insertRestated = (database: Database, rows: NewRows) =>
  database.sql.begin(async (tx: TransactionSql) => {
    const { sql } = database
    const added = await tx<{ id: string; at: string; claimed: string[] | null }[]>`
      ${insertion(database, rows)}
      select id, effective_from::text as at, ${claimedNames(sql, rows)} as claimed
      from added, (select count(*) from rolled_up) first
      order by id`
    if (added.length === 0) return rows.batches.map(() => null)
    await recountHours(sql, tx, rows)
    const ids = added.map(({ id }) => Number(id))
    const listed = sql`unnest(
      ${arrayLiteral(ids)}::bigint[], ${arrayLiteral(added.map(({ at }) => at))}::timestamptz[]
    ) as added (id, effective_from)`
    const [logged] = await tx<LoggedRow[]>`
      ${announcedIds(database, 'observations', { added: listed, atMs: rows.atMs })}`
    const place = placeOf(logged!, rows.atMs)
    return loggedOf(rows.batches, { ids, place, claimed: added[0]!.claimed })
  })

/** The beginning of a statement that records rows, as `added`, and rolls them up. */
function insertion({ sql }: Database, rows: NewRows) {
  const hasLong = rows.observations.some(isLong)
  const { names, values } = columnsOf(sql, rows)
  const free = freeIds(sql, rows)
  const at = recordingTime(sql, rows)
  return sql`
    with ${claims(sql, rows)}, ${notedUploads(sql, rows)}
    added as (
      insert into observations (id, ${names}, recorded_at) overriding system value
      select said.*, ${at} from unnest((select ids from numbered), ${values}) said (id)
      ${free ? sql`where said.id in (${free})` : sql``}
      returning id, corridor_id, provider_corridor_id, effective_from, rate_type, rate, offer_id
        ${hasLong ? sql`, valid_until` : sql``}
    ), ${hasLong ? sql`long as (${keepLong(sql, sql`added`)}),` : sql``}
    rolled_up as (${addToRollups(sql, sql`added`, at)} returning 1)`
}

/** The parts of such a statement that note uploads. */
function notedUploads(sql: Sql, { batches }: NewRows) {
  const notes = batches.flatMap((batch, nth) => {
    if (!batch.upload || !batch.idempotency) return []
    const { accountId, key } = batch.idempotency
    const claimed = sql`claimed where account_id = ${accountId} and key = ${key}`
    return [sql`uploaded_${sql.unsafe(`${nth}`)} as (${noteUpload(sql, batch, claimed)}),`]
  })
  return notes.length > 0 ? notes : sql``
}

/**
 * Reports whether the database lacks a row that we remember, of a series or of an offer. On a
 * server with shards the name of the violated constraint has the shard's number behind it.
 */
function isLost(error: unknown): boolean {
  const constraint = String((error as { constraint_name?: unknown }).constraint_name)
  return REMEMBERED.some((name) => constraint === name || constraint.startsWith(`${name}_`))
}

const REMEMBERED = ['observations_provider_corridor', 'observations_offer']
