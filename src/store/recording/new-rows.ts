import type { Observation } from '~/domain/observation.ts'
import type { UploadNote } from '~/domain/upload.ts'
import type { Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { storedTerms } from '~/store/offer/offer-row.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'
import { OWN_COLUMNS, OWN_NAMES } from './own-columns.ts'

export type NewRows = {
  readonly observations: readonly Observation[]
  /** The series of each observation. */
  readonly series: readonly ObservedSeries[]
  /** The offer of each observation. */
  readonly offerIds: readonly number[]
  /** The row of `recorders`; null if no account records them. */
  readonly recorderId: number | null
  /** The recording routes; null if unknown. */
  readonly via: string | null
  /** The upload that they are of; null for others. */
  readonly upload: UploadNote | null
  /** The writer's clock; null if the server's is to do. */
  readonly atMs: number | null
}

/** Columns of new observations: an array of each one's values, or the value that all rows share. */
export function columnsOf(sql: Sql, rows: NewRows) {
  const { observations, series } = rows
  const column = (field: (row: Observation) => string | null) =>
    arrayLiteral(observations.map(field))
  const offered = offerColumns(sql, rows)
  return {
    names: sql`corridor_id, provider_corridor_id, ${sql.unsafe(OWN_NAMES)}${offered.names}`,
    values: sql`
      ${arrayLiteral(series.map(({ corridorId }) => corridorId))}::int[],
      ${arrayLiteral(series.map(({ id }) => id))}::int[]
      ${OWN_COLUMNS.map(({ type, of }) => sql`, ${column(of)}::${sql.unsafe(type)}[]`)}
      ${offered.values}`,
    common: sql`recorded_by, recorded_via, recorded_at`,
    commonValues: sql`${rows.recorderId}::int, ${rows.via}::text, ${recordingTime(sql, rows)}`,
  }
}

/** The time that new rows bear: the writer's clock, or else the start of the transaction. */
export const recordingTime = (sql: Sql, { atMs }: Pick<NewRows, 'atMs'>) =>
  atMs === null ? sql`now()` : sql`${instantText(atMs)}::timestamptz`

/**
 * The columns of offers and their values; nothing for a batch that says nothing of them, whose
 * statement stays as short as it can be.
 */
function offerColumns(sql: Sql, { observations, offerIds }: NewRows) {
  if (observations.every(({ offer }) => offer === null)) return { names: sql``, values: sql`` }
  const terms = observations.map(({ offer }) => storedTerms(offer))
  const column = (nth: number) => arrayLiteral(terms.map((row) => row[nth]!))
  return {
    names: sql`, offer_id, fee_percent, delivery_min, delivery_max, valid_until`,
    values: sql`, ${arrayLiteral(offerIds)}::int[], ${column(0)}::numeric[], ${column(1)}::int[],
      ${column(2)}::int[], ${column(3)}::timestamptz[]`,
  }
}
