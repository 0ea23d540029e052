import type { Batch, Idempotency, Logged, Recording } from '~/domain/observation.ts'
import { addToRollups } from '~/store/past/rollup-parts.ts'
import type { Database, TransactionSql } from './database.ts'
import { forgetDistribution, isDistributed } from './distributed/distribution.ts'
import { insertSpread } from './distributed/record.ts'
import { arrayLiteral } from './encoding.ts'
import { announcedIds, type LoggedRow, placeOf } from './notification-channel.ts'
import { isLong, keepLong } from './offer/long-prices.ts'
import { Offers } from './offer/offers.ts'
import { ProviderCorridors } from './provider-corridors.ts'
import { claim, oldestText } from './recording/idempotency.ts'
import { columnsOf, type NewRows, recordingTime } from './recording/new-rows.ts'
import { Recorders } from './recording/recorders.ts'
import { isRestated, recountHours, refuseRestated } from './recording/restated.ts'
import { noteUpload } from './recording/upload-note.ts'
import { rerun } from './rerun.ts'

const CLAIMS_MAX = 3
const NOTHING: Logged = { ids: [], position: null }

/** The store of observations; without a clock the log of changes goes by the server's. */
export function createObservationStore(database: Database, clock?: { now(): number }) {
  const corridors = new ProviderCorridors(database)
  const offers = new Offers(database)
  const recorders = new Recorders(database)
  return {
    async record({ observations, origin, idempotency, upload }: Batch): Promise<Recording> {
      if (observations.length === 0) return { kind: 'recorded', ...NOTHING }
      const series = await corridors.seriesOf(observations)
      try {
        const { ids: offerIds, faults } = await offers.idsOf(observations, series)
        if (faults)
          return (
            (idempotency && (await earlierAnswer(database, idempotency))) ??
            ({ kind: 'refused', faults } as const)
          )
        const recorderId = origin?.recorder ? await recorders.idOf(origin.recorder) : null
        const from = { recorderId, via: origin?.via ?? null, upload: upload ?? null }
        const rows = { observations, series, offerIds, ...from, atMs: clock?.now() ?? null }
        if (idempotency) return await recordOnce(database, rows, idempotency)
        return { kind: 'recorded', ...(await rerun(() => insert(database, rows, null))) }
      } catch (error) {
        if (isLost(error)) {
          corridors.forget()
          offers.forget()
          recorders.forget()
          forgetDistribution(database.sql)
        }
        throw error
      }
    },
    answered: (idempotency: Idempotency) => earlierAnswer(database, idempotency),
    /** Deletes responses too old to be returned again, and returns their number. */
    async pruneIdempotency(nowMs: number) {
      const { count } = await database.sql`
        delete from idempotency where created_at < ${oldestText(nowMs)}::timestamptz`
      return count
    },
  }
}

async function recordOnce(
  database: Database,
  rows: NewRows,
  idempotency: Idempotency,
): Promise<Recording> {
  for (let claim = 0; claim < CLAIMS_MAX; claim++) {
    const logged = await rerun(() => insert(database, rows, idempotency))
    if (logged.ids.length > 0) return { kind: 'recorded', ...logged }
    const earlier = await earlierAnswer(database, idempotency)
    if (earlier) return earlier
  }
  throw new Error('an idempotency record was held and gone at every attempt')
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

/** The new ids, or none when the idempotency key is taken. */
async function insert(
  database: Database,
  rows: NewRows,
  idempotency: Idempotency | null,
): Promise<Logged> {
  if (await isDistributed(database.sql)) return insertSpread(database, rows, idempotency)
  try {
    return await insertAtOnce(database, rows, idempotency)
  } catch (error) {
    if (!isRestated(error)) throw error
    return insertRestated(database, rows, idempotency)
  }
}

/**
 * One statement and so one round trip: the claim of the key, the rows, their roll-ups and their
 * announcement commit together. The roll-ups precede the log of changes: two batches that lock both
 * in different orders would deadlock.
 */
async function insertAtOnce(
  database: Database,
  rows: NewRows,
  idempotency: Idempotency | null,
): Promise<Logged> {
  const { sql } = database
  const rolledUp = sql`(select count(*) from rolled_up) first`
  const logged = {
    added: sql`added`,
    atMs: rows.atMs,
    after: sql`, lateral (
      select ${refuseRestated(sql, sql`added`)} from added, ${rolledUp}) checked`,
  }
  const [added] = await sql<({ ids: string } & LoggedRow)[]>`
    ${insertion(database, rows, idempotency)} ${announcedIds(database, 'observations', logged)}`
  if (!added) return NOTHING
  return { ids: added.ids.split(',').map(Number), ...placeOf(added, rows.atMs) }
}

/** `insertAtOnce` for rows that replace others: the hours of all of them are counted again. */
const insertRestated = (
  database: Database,
  rows: NewRows,
  idempotency: Idempotency | null,
): Promise<Logged> =>
  database.sql.begin(async (tx: TransactionSql) => {
    const { sql } = database
    const added = await tx<{ id: string; at: string }[]>`
      ${insertion(database, rows, idempotency)}
      select id, effective_from::text as at from added, (select count(*) from rolled_up) first
      order by id`
    if (added.length === 0) return NOTHING
    await recountHours(sql, tx, rows)
    const ids = added.map(({ id }) => Number(id))
    const listed = sql`unnest(
      ${arrayLiteral(ids)}::bigint[], ${arrayLiteral(added.map(({ at }) => at))}::timestamptz[]
    ) as added (id, effective_from)`
    const [logged] = await tx<LoggedRow[]>`
      ${announcedIds(database, 'observations', { added: listed, atMs: rows.atMs })}`
    return { ids, ...placeOf(logged!, rows.atMs) }
  })

/** The beginning of a statement that records rows, as `added`, and rolls them up. */
function insertion(database: Database, rows: NewRows, idempotency: Idempotency | null) {
  const { sql } = database
  const { observations } = rows
  const hasLong = observations.some(isLong)
  const { names, values, common, commonValues } = columnsOf(sql, rows)
  const claimed = idempotency && claim(database, idempotency, observations.length)
  const inserted = claimed
    ? sql`(id, ${names}, ${common}) overriding system value
      select said.*, ${commonValues} from unnest((select ids from claimed), ${values}) said
      where exists (select from claimed)`
    : sql`(${names}, ${common}) select said.*, ${commonValues} from unnest(${values}) said`
  return sql`
    with ${claimed ? sql`claimed as (${claimed}),` : sql``}
    ${rows.upload ? sql`uploaded as (${noteUpload(sql, rows, sql`claimed`)}),` : sql``}
    added as (
      insert into observations ${inserted}
      returning id, corridor_id, provider_corridor_id, effective_from, rate_type, rate, offer_id
        ${hasLong ? sql`, valid_until` : sql``}
    ), ${hasLong ? sql`long as (${keepLong(sql, sql`added`)}),` : sql``}
    rolled_up as (${addToRollups(sql, sql`added`, recordingTime(sql, rows))} returning 1)`
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
