import type { TransactionSql } from 'postgres'
import type { Logged } from '~/domain/observation.ts'
import type { Database, Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { type LoggedRow, placeOf } from '~/store/news-channel.ts'
import { isLong } from '~/store/offer/long-prices.ts'
import { addingTo, rollupRows } from '~/store/past/rollup-parts.ts'
import { idsOf, loggedOf } from '~/store/recording/group-commit.ts'
import { areFree, claimedNames, claims } from '~/store/recording/idempotency.ts'
import {
  columnsOf,
  type NewRows,
  type PreparedBatch,
  recordingTime,
  rowsOf,
} from '~/store/recording/new-rows.ts'
import { recountHours, restatedAmong } from '~/store/recording/restated.ts'
import { noteUpload } from '~/store/recording/upload-note.ts'
import { announcedSpread } from './spread-changes.ts'

/**
 * Records batches on several servers, all or none; answers the ids of each and their position in
 * the log, or null for each whose idempotency key is taken.
 *
 * One connection to each server, as opening more of them costs more than anything else here; and
 * one statement of each kind whatever the number of corridors, since planning comes next. What
 * stays with the coordinator, the keys, the log and the news, commits with the rows: the servers
 * have promised to before it does.
 */
export function insertSpread(
  database: Database,
  all: NewRows,
): Promise<readonly (Logged | null)[]> {
  const { sql } = database
  return sql.begin(async (tx) => {
    const [, [numbered], ofAll] = await Promise.all([
      tx`set local citus.multi_shard_modify_mode = 'sequential'`,
      tx<{ ids: string[]; claimed: string[] | null }[]>`
        with ${claims(sql, all)} select ids, ${claimedNames(sql, all)} as claimed from numbered`,
      tx<Rollup[]>`${rollupsOf(sql, all)}`,
    ])
    const free = areFree(all.batches, numbered!.claimed)
    const batches = all.batches.filter((_, nth) => free[nth])
    if (batches.length === 0) return free.map(() => null)
    const rows = batches.length < free.length ? rowsOf(batches, all.atMs) : all
    const rollups = rows === all ? ofAll : await tx<Rollup[]>`${rollupsOf(sql, rows)}`
    const isOfFree = all.batches.flatMap(({ observations }, nth) =>
      observations.map(() => free[nth]),
    )
    const ids = numbered!.ids.map(Number).filter((_, i) => isOfFree[i])
    const { claimed } = numbered!
    const place = placeOf(await insertFree(database, tx, { rows, ids, rollups }), all.atMs)
    return loggedOf(all.batches, { ids, place, claimed })
  })
}

type FreeRows = {
  readonly rows: NewRows
  readonly ids: readonly number[]
  readonly rollups: readonly Rollup[]
}

/** Writes rows under ids of their own, and answers their place in the log. */
async function insertFree(
  database: Database,
  tx: TransactionSql,
  { rows, ids, rollups }: FreeRows,
): Promise<LoggedRow> {
  const { sql } = database
  const { observations, series, atMs } = rows
  const corridorIds = arrayLiteral(series.map(({ corridorId }) => corridorId))
  const times = arrayLiteral(observations.map(({ effectiveMs }) => instantText(effectiveMs)))
  const { names, values } = columnsOf(sql, rows)
  const added = sql`
    unnest(${arrayLiteral(ids)}::bigint[], ${corridorIds}::int[], ${times}::timestamptz[])
    as added (id, corridor_id, effective_from)`
  const atText = atMs === null ? null : instantText(atMs)
  const written = [
    tx`
      insert into observations (id, ${names}, recorded_at)
      select said.*, ${recordingTime(sql, rows)}
      from unnest(${arrayLiteral(ids)}::bigint[], ${values}) said`,
    ...keptLong(tx, rows, ids),
    ...notedUploads(sql, rows.batches, ids).map((note) => tx`${note}`),
    tx`insert into rollups ${tx(rollups)} ${addingTo(sql)}`,
  ]
  const restated = tx`${restatedAmong(sql, rows)}`
  const announced = tx<LoggedRow[]>`${announcedSpread(database, { added, atText })}`
  await Promise.all([...written, restated, announced])
  if ((await restated).length > 0) await recountHours(sql, tx, rows)
  return (await announced)[0]!
}

/** A row of roll-ups, in the words of the driver. */
type Rollup = {
  readonly corridor_id: number
  readonly hour: string
  readonly best_rate: string | null
  readonly counted_best: string | null
  readonly samples: number
  readonly changed_at: string
}

/**
 * The roll-ups of new observations, worked out by the coordinator: every server would be asked for
 * its part of a statement that both works them out and adds them.
 */
function rollupsOf(sql: Sql, rows: NewRows) {
  const { observations, series } = rows
  const ids = arrayLiteral(series.map(({ id }) => id))
  const corridorIds = arrayLiteral(series.map(({ corridorId }) => corridorId))
  const times = arrayLiteral(observations.map(({ effectiveMs }) => instantText(effectiveMs)))
  return rollupRows(sql, {
    at: recordingTime(sql, rows),
    observations: sql`unnest(
      ${corridorIds}::int[], ${ids}::int[],
      ${times}::timestamptz[],
      ${arrayLiteral(observations.map(({ rateType }) => rateType))}::rate_type[],
      ${arrayLiteral(observations.map(({ rate }) => rate))}::numeric[]
    ) as o (corridor_id, provider_corridor_id, effective_from, rate_type, rate)`,
    series: sql`(
      select distinct * from unnest(
        ${ids}::int[], ${corridorIds}::int[],
        ${arrayLiteral(observations.map(({ providerId }) => providerId))}::text[]
      ) as s (id, corridor_id, provider_id)
    ) each_series`,
  })
}

/** The statements that note the uploads that batches are of. */
function notedUploads(sql: Sql, batches: readonly PreparedBatch[], ids: readonly number[]) {
  const parts = idsOf(batches, ids)
  return batches.flatMap((batch, nth) => {
    const listed = sql`(select ${arrayLiteral(parts[nth]!)}::bigint[] as ids) claimed`
    return batch.upload ? [noteUpload(sql, batch, listed)] : []
  })
}

/** Keeps the long prices among new observations aside too, as no trigger of a server can. */
function keptLong(
  tx: TransactionSql,
  { observations, series, offerIds }: NewRows,
  ids: readonly number[],
) {
  const long = observations.flatMap((row, i) =>
    isLong(row)
      ? {
          corridor_id: series[i]!.corridorId,
          provider_corridor_id: series[i]!.id,
          offer_id: offerIds[i]!,
          id: ids[i]!,
          effective_from: instantText(row.effectiveMs),
          valid_until: instantText(row.offer!.validUntilMs!),
        }
      : [],
  )
  return long.length > 0 ? [tx`insert into long_prices ${tx(long)}`] : []
}
