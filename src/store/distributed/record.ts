import type { Idempotency, Logged } from '~/domain/observation.ts'
import type { Database, Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { type LoggedRow, placeOf } from '~/store/notification-channel.ts'
import { isLong } from '~/store/offer/long-prices.ts'
import { addingTo, rollupRows } from '~/store/past/rollup-parts.ts'
import { claim } from '~/store/recording/idempotency.ts'
import { columnsOf, type NewRows, recordingTime } from '~/store/recording/new-rows.ts'
import { recountHours, restatedAmong } from '~/store/recording/restated.ts'
import { noteUpload } from '~/store/recording/upload-note.ts'
import { announcedSpread } from './spread-changes.ts'

/**
 * Records observations on several servers, all or none. Returns their ids and their position in the
 * log, or none when the idempotency key is taken.
 *
 * One connection to each server, as opening more costs more than anything else here; and one
 * statement of each kind whatever the number of corridors, since planning comes next. The
 * coordinator's share, which is the key, the log and the change notification, commits with the
 * rows: the servers have promised to before it does.
 */
export function insertSpread(
  database: Database,
  rows: NewRows,
  idempotency: Idempotency | null,
): Promise<Logged> {
  const { sql } = database
  const { observations, series, atMs } = rows
  const count = observations.length
  return sql.begin(async (tx) => {
    const numbered = idempotency
      ? claim(database, idempotency, count)
      : sql`select next_observation_ids(${count}::int) as ids`
    const [, [claimed], rollups] = await Promise.all([
      tx`set local citus.multi_shard_modify_mode = 'sequential'`,
      tx<{ ids: string[] }[]>`${numbered}`,
      tx<Rollup[]>`${rollupsOf(sql, rows)}`,
    ])
    if (!claimed) return { ids: [], position: null }
    const ids = claimed.ids.map(Number)
    const corridorIds = arrayLiteral(series.map(({ corridorId }) => corridorId))
    const times = arrayLiteral(observations.map(({ effectiveMs }) => instantText(effectiveMs)))
    const { names, values, common, commonValues } = columnsOf(sql, rows)
    const added = sql`
      unnest(${arrayLiteral(ids)}::bigint[], ${corridorIds}::int[], ${times}::timestamptz[])
      as added (id, corridor_id, effective_from)`
    const atText = atMs === null ? null : instantText(atMs)
    const said = sql`unnest(${arrayLiteral(ids)}::bigint[], ${values}) said`
    const listed = sql`(select ${arrayLiteral(ids)}::bigint[] as ids) claimed`
    const written = [
      tx`
        insert into observations (id, ${names}, ${common})
        select said.*, ${commonValues} from ${said}`,
      ...keptLong(tx, rows, ids),
      ...(rows.upload ? [tx`${noteUpload(sql, rows, listed)}`] : []),
      tx`insert into rollups ${tx(rollups)} ${addingTo(sql)}`,
    ]
    const restated = tx`${restatedAmong(sql, rows)}`
    const announced = tx<LoggedRow[]>`${announcedSpread(database, { added, atText })}`
    await Promise.all([...written, restated, announced])
    if ((await restated).length > 0) await recountHours(sql, tx, rows)
    return { ids, ...placeOf((await announced)[0]!, atMs) }
  })
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

/** Keeps the long prices among new observations aside too, as no trigger of a server can. */
function keptLong(tx: TransactionSql, { observations, series, offerIds }: NewRows, ids: number[]) {
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
