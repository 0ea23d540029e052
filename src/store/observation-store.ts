import type { Batch, Idempotency, Recording } from '~/domain/observation.ts'
import { addToRollups } from '~/store/past/rollup-store.ts'
import type { Database } from './database.ts'
import { forgetDistribution, isDistributed } from './distributed/distribution.ts'
import { insertSpread } from './distributed/record.ts'
import { announcedIds } from './news-channel.ts'
import { isLong, keepLong } from './offer/long-prices.ts'
import { Offers } from './offer/offers.ts'
import { ProviderCorridors } from './provider-corridors.ts'
import { claim, oldestText } from './recording/idempotency.ts'
import { columnsOf, type NewRows } from './recording/new-rows.ts'
import { rerun } from './rerun.ts'

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
          forgetDistribution(database.sql)
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

async function recordOnce(
  database: Database,
  rows: NewRows,
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
  rows: NewRows,
  idempotency: Idempotency | null,
): Promise<number[]> {
  const { sql } = database
  if (await isDistributed(sql)) return insertSpread(database, rows, idempotency)
  const { observations, atMs } = rows
  const hasLong = observations.some(isLong)
  const logged = { added: sql`added`, atMs, after: sql`, (select count(*) from rolled_up) first` }
  const { names, values } = columnsOf(sql, rows)
  const claimed = idempotency && claim(database, idempotency, observations.length)
  const [added] = await sql<{ ids: string }[]>`
    with ${claimed ? sql`claimed as (${claimed}),` : sql``}
    added as (
      insert into observations (${names}) select * from unnest(${values})
      ${idempotency ? sql`where exists (select from claimed)` : sql``}
      returning id, corridor_id, provider_corridor_id, effective_from, rate_type, rate
        ${hasLong ? sql`, offer_id, valid_until` : sql``}
    ), ${hasLong ? sql`long as (${keepLong(sql, sql`added`)}),` : sql``}
    rolled_up as (${addToRollups(sql, sql`added`)} returning 1)
    ${announcedIds(database, 'observations', logged)}`
  return added ? added.ids.split(',').map(Number) : []
}

/**
 * Whether the database lacks a row that we remember, of a series or of an offer. On a server with
 * shards the name of what says so has the shard's number behind it.
 */
function isLost(error: unknown): boolean {
  const constraint = String((error as { constraint_name?: unknown }).constraint_name)
  return REMEMBERED.some((name) => constraint === name || constraint.startsWith(`${name}_`))
}

const REMEMBERED = ['observations_provider_corridor', 'observations_offer']
