import { HOUR_MS } from '~/domain/duration.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import { type ArchiveDeps, archiveObservations } from '~/jobs/archive-observations.ts'
import { createArchiveStore } from '~/store/archive/archive-store.ts'
import type { Database } from '~/store/database.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { HandClock } from '../../support/clock.ts'
import { offer } from '../../support/offers.ts'
import { observation } from '../samples.ts'

/** Three whole months of prices, and a part of a fourth. */
export const START_MS = Date.UTC(2025, 8)
export const END_MS = Date.UTC(2025, 11, 12)
export const CLOSED_MS = Date.UTC(2025, 11)

export const CORRIDORS = [
  { from: 'USD', to: 'KES' },
  { from: 'GBP', to: 'NGN' },
]
export const PROVIDER_IDS = ['retail-a', 'retail-b', 'p2p-a', 'official-a']

/** Numbers from 0 to 1 that are the same in each run. */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

export const oneOf = <T>(roll: () => number, values: readonly T[]): T =>
  values[Math.floor(roll() * values.length)]!

const VALID_HOURS = [null, null, null, 1, 30, 500, 800, 2500]

/** An observation in the span, at a whole ten minutes, so that some repeat a time. */
function randomRow(roll: () => number, fromMs: number, spanMs: number) {
  const effectiveMs = fromMs + Math.floor((roll() * spanMs) / 600_000) * 600_000
  const hours = oneOf(roll, VALID_HOURS)
  const identity = oneOf(roll, [null, null, offer({ service: 'a' })])
  const deliveryMaxMs = oneOf(roll, [null, null, 3_600_000])
  const says = hours !== null || deliveryMaxMs !== null
  return observation({
    ...oneOf(roll, CORRIDORS),
    providerId: oneOf(roll, PROVIDER_IDS),
    rate: (100 + roll() * 50).toFixed(1 + Math.floor(roll() * 4)),
    fee: oneOf(roll, [null, '1.50']),
    notes: oneOf(roll, [null, null, null, 'a note']),
    effectiveMs,
    offer: says
      ? {
          ...(identity ?? PLAIN),
          deliveryMaxMs,
          validUntilMs: hours === null ? null : effectiveMs + hours * HOUR_MS,
        }
      : identity,
  })
}

/** Makes the catalogue known at all earlier times. */
async function knowAlways({ sql }: Database): Promise<void> {
  await sql`alter table catalogue_history disable trigger catalogue_history_append_only`
  await sql`update catalogue_history set since = '-infinity'`
}

type Filled = { readonly rows: number; readonly seed: number }

/**
 * Records rows in the order of time, some of them weeks later, and withdraws some; each batch has
 * the time of its end.
 */
export async function fill(database: Database, { rows, seed }: Filled): Promise<void> {
  await makeEarlierMonths(database, START_MS)
  await knowAlways(database)
  const roll = dice(seed)
  const batches = 40
  const spanMs = (END_MS - START_MS) / batches
  const clock = new HandClock(START_MS)
  const store = createObservationStore(database, clock)
  const withdrawals = createWithdrawalStore(database)
  for (let batch = 0; batch < batches; batch++) {
    const fromMs = START_MS + batch * spanMs
    clock.advance(fromMs + spanMs - clock.now())
    const back = batch > 4 && batch % 5 === 0 ? spanMs * 4 : 0
    const observations = Array.from({ length: rows / batches }, () =>
      randomRow(roll, fromMs - back, spanMs + back),
    )
    const done = await store.record({ observations, idempotency: null })
    if (done.kind !== 'recorded') throw new Error(done.kind)
    const [id] = done.ids
    if (batch % 7 === 3)
      await withdrawals.withdraw({
        ...{ ids: [id!], reason: 'a test', recorder: null },
        atMs: clock.now() + spanMs / 2,
      })
  }
}

export const archiveDeps = (database: Database) => ({
  store: createArchiveStore(database),
  announcedMs: 0,
  pause: (): Promise<unknown> => Promise.reject(new Error('it waited')),
})

/** Archives the whole months before a time at once. */
export const archive = (
  database: Database,
  beforeMs = CLOSED_MS,
  deps: ArchiveDeps = archiveDeps(database),
) => archiveObservations(deps, beforeMs)

/** The digest of all rows in `observations` itself, and of the rows that belong to them. */
export async function digestOf({ sql }: Database): Promise<string> {
  const [row] = await sql<[{ digest: string }]>`
    select md5(
      (select string_agg(o::text, ' ' order by id) from observations o)
      || (select string_agg((corridor_id, hour, best_rate, counted_best, samples, pruned)::text, ' '
        order by corridor_id, hour) from rollups)
      || (select coalesce(string_agg(l::text, ' ' order by id), '') from long_prices l)
    ) as digest`
  return row.digest
}

export async function rowsIn({ sql }: Database) {
  const [row] = await sql<[{ rows: number; archived: number }]>`
    select (select count(*)::int from observations) as rows,
      (select coalesce(sum(cardinality(id)), 0)::int from observation_blocks) as archived`
  return row
}
