import { DAY_MS } from '~/domain/duration.ts'
import type { Batch, Idempotency, Observation, Recording } from '~/domain/observation.ts'
import { addToRollups } from '~/store/past/rollup-store.ts'
import type { Database, Sql } from './database.ts'
import { arrayLiteral, instantText, storedEvidence } from './encoding.ts'
import { announcedIds } from './news-channel.ts'
import { isLong, keepLong } from './offer/long-prices.ts'
import { storedTerms } from './offer/offer-row.ts'
import { Offers } from './offer/offers.ts'
import { type ObservedSeries, ProviderCorridors } from './provider-corridors.ts'
import { rerun } from './rerun.ts'

/** How long the answer to an ingestion is kept for a retry. */
const IDEMPOTENCY_AGE_MAX_MS = DAY_MS

const CLAIMS_MAX = 3

/** The store of observations; without a clock the log of changes goes by the server's. */
export function createObservationStore(database: Database, clock?: { now(): number }) {
  const corridors = new ProviderCorridors(database)
  const offers = new Offers(database)
  return {
    async record({ observations, idempotency }: Batch): Promise<Recording> {
      if (observations.length === 0) return { kind: 'recorded', ids: [] }
      const series = await corridors.seriesOf(observations)
      try {
        const { ids: offerIds, faults } = await offers.idsOf(observations, series)
        if (faults)
          return (
            (idempotency && (await earlierAnswer(database, idempotency))) ??
            ({ kind: 'refused', faults } as const)
          )
        const rows = { observations, series, offerIds, atMs: clock?.now() ?? null }
        if (idempotency) return await recordOnce(database, rows, idempotency)
        return { kind: 'recorded', ids: await rerun(() => insert(database, rows, null)) }
      } catch (error) {
        if (isLost(error)) {
          corridors.forget()
          offers.forget()
        }
        throw error
      }
    },
    answered: (idempotency: Idempotency) => earlierAnswer(database, idempotency),
    /** Deletes answers too old to be given again, and tells how many. */
    async pruneIdempotency(nowMs: number) {
      const { count } = await database.sql`
        delete from idempotency where created_at < ${oldestText(nowMs)}::timestamptz`
      return count
    },
  }
}

type Rows = {
  readonly observations: readonly Observation[]
  /** The series of each observation. */
  readonly series: readonly ObservedSeries[]
  /** The offer of each observation. */
  readonly offerIds: readonly number[]
  /** The writer's clock; null where the server's is to do. */
  readonly atMs: number | null
}

async function recordOnce(
  database: Database,
  rows: Rows,
  idempotency: Idempotency,
): Promise<Recording> {
  for (let claim = 0; claim < CLAIMS_MAX; claim++) {
    const ids = await rerun(() => insert(database, rows, idempotency))
    if (ids.length > 0) return { kind: 'recorded', ids }
    const earlier = await earlierAnswer(database, idempotency)
    if (earlier) return earlier
  }
  throw new Error('an idempotency record was held and gone at every attempt')
}

async function earlierAnswer(
  { sql }: Database,
  { accountId, key, bodyHash, nowMs }: Idempotency,
): Promise<Recording | null> {
  const [row] = await sql<{ body_hash: string; inserted: number }[]>`
    select body_hash, inserted from idempotency
    where account_id = ${accountId} and key = ${key}
      and created_at >= ${oldestText(nowMs)}::timestamptz`
  if (!row) return null
  if (row.body_hash !== bodyHash) return { kind: 'key_reused' }
  return { kind: 'replayed', inserted: row.inserted }
}

/**
 * The new ids, or none when the idempotency key is taken. One statement and so one round trip: the
 * claim of the key, the rows, their roll-ups and their announcement commit together. The roll-ups
 * come before the log of changes: two batches that lock both in another order would deadlock.
 */
async function insert(
  database: Database,
  rows: Rows,
  idempotency: Idempotency | null,
): Promise<number[]> {
  const { sql } = database
  const { observations, series, atMs } = rows
  const hasLong = observations.some(isLong)
  const logged = { added: sql`added`, atMs, after: sql`, (select count(*) from rolled_up) first` }
  const column = (field: (row: Observation) => string | null) =>
    arrayLiteral(observations.map(field))
  const offered = offerColumns(sql, rows)
  const [added] = await sql<{ ids: string }[]>`
    with ${idempotency ? claim(database, idempotency, observations.length) : sql``}
    added as (
      insert into observations (effective_from, corridor_id, provider_corridor_id, rate_type,
        rate, fee, fee_currency, notes, evidence${offered.names})
      select * from unnest(
        ${column(({ effectiveMs }) => instantText(effectiveMs))}::timestamptz[],
        ${arrayLiteral(series.map(({ corridorId }) => corridorId))}::int[],
        ${arrayLiteral(series.map(({ id }) => id))}::int[],
        ${column(({ rateType }) => rateType)}::rate_type[],
        ${column(({ rate }) => rate)}::numeric[],
        ${column(({ fee }) => fee)}::numeric[],
        ${column(({ feeCurrency }) => feeCurrency)}::text[],
        ${column(({ notes }) => notes)}::text[],
        ${column(({ evidence }) => storedEvidence(evidence))}::evidence[]
        ${offered.values}
      )
      ${idempotency ? sql`where exists (select from claimed)` : sql``}
      returning id, corridor_id, provider_corridor_id, effective_from, rate_type, rate
        ${hasLong ? sql`, offer_id, valid_until` : sql``}
    ), ${hasLong ? sql`long as (${keepLong(sql, sql`added`)}),` : sql``}
    rolled_up as (${addToRollups(sql, sql`added`)} returning 1)
    ${announcedIds(database, 'observations', logged)}`
  return added ? added.ids.split(',').map(Number) : []
}

/**
 * The columns of offers and their values; nothing for a batch that says nothing of them, whose
 * statement stays as short as it can be.
 */
function offerColumns(sql: Sql, { observations, offerIds }: Rows) {
  if (observations.every(({ offer }) => offer === null)) return { names: sql``, values: sql`` }
  const terms = observations.map(({ offer }) => storedTerms(offer))
  const column = (nth: number) => arrayLiteral(terms.map((row) => row[nth]!))
  return {
    names: sql`, offer_id, fee_percent, delivery_min, delivery_max, valid_until`,
    values: sql`, ${arrayLiteral(offerIds)}::int[], ${column(0)}::numeric[], ${column(1)}::int[],
      ${column(2)}::int[], ${column(3)}::timestamptz[]`,
  }
}

/** Takes the key if it is free or too old; waits for a transaction that is taking it. */
function claim({ sql }: Database, idempotency: Idempotency, inserted: number) {
  const { accountId, key, bodyHash, nowMs } = idempotency
  return sql`claimed as (
    insert into idempotency (account_id, key, body_hash, inserted, created_at)
    values (${accountId}, ${key}, ${bodyHash}, ${inserted}, ${instantText(nowMs)}::timestamptz)
    on conflict (account_id, key) do update set body_hash = excluded.body_hash,
      inserted = excluded.inserted, created_at = excluded.created_at
    where idempotency.created_at < ${oldestText(nowMs)}::timestamptz
    returning 1
  ),`
}

const oldestText = (nowMs: number): string => instantText(nowMs - IDEMPOTENCY_AGE_MAX_MS)

/** Whether the database lacks a row that we remember, of a series or of an offer. */
const isLost = (error: unknown): boolean =>
  REMEMBERED.includes(String((error as { constraint_name?: unknown }).constraint_name))

const REMEMBERED = ['observations_provider_corridor', 'observations_offer']
