import { HOUR_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Window } from '~/domain/period.ts'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { recount } from '~/store/past/recount.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'

/** Spans of time by the ids of corridors. */
export type CorridorSpans = ReadonlyMap<number, Window>

type Chunk = {
  readonly rows: readonly Observation[]
  readonly series: readonly ObservedSeries[]
  /** The indexes of rows that are not newer than all before them of their offer. */
  readonly older: readonly number[]
}

/** The maximum number of rows of an import that is searched as a whole. */
const SMALL_ROWS_MAX = 20_000

/**
 * Spans in which rows of an import may replace others of their offers and times: where they are not
 * newer than all others, and for a small import everywhere, as others may record meanwhile.
 */
export class RestatedSpans {
  readonly #all = new Map<number, Window>()
  readonly #older = new Map<number, Window>()
  #rows = 0

  note({ rows, series, older }: Chunk): void {
    this.#rows += rows.length
    if (this.#rows <= SMALL_ROWS_MAX)
      for (const [i, row] of rows.entries()) widen(this.#all, series[i]!, row)
    for (const i of older) widen(this.#older, series[i]!, rows[i]!)
  }

  get restating(): CorridorSpans {
    return this.#rows <= SMALL_ROWS_MAX ? this.#all : this.#older
  }
}

function widen(
  spans: Map<number, Window>,
  { corridorId }: ObservedSeries,
  { effectiveMs }: Observation,
): void {
  const { fromMs = effectiveMs, beforeMs = effectiveMs } = spans.get(corridorId) ?? {}
  spans.set(corridorId, {
    fromMs: Math.min(fromMs, effectiveMs),
    beforeMs: Math.max(beforeMs, effectiveMs + 1),
  })
}

type Imported = {
  readonly spans: CorridorSpans
  /** None of the import's rows has a smaller id. */
  readonly firstId: number
}

/**
 * Counts the hours again in which an import recorded a row with the offer and the time of another.
 * To be called once their roll-ups are locked.
 */
export async function recountRestated(
  sql: Sql,
  tx: TransactionSql,
  { spans, firstId }: Imported,
): Promise<void> {
  for (const [corridorId, { fromMs, beforeMs }] of [...spans].sort(([a], [b]) => a - b)) {
    const rows = await tx<{ hour: string }[]>`
      select distinct floor(extract(epoch from effective_from) * 1000 / ${HOUR_MS}) as hour from (
        select effective_from from observations
        where corridor_id = ${corridorId}
          and effective_from >= ${instantText(fromMs)}::timestamptz
          and effective_from < ${instantText(beforeMs)}::timestamptz
        group by provider_corridor_id, offer_id, effective_from
        having count(*) > 1 and max(id) >= ${firstId}
      ) restated`
    const hoursMs = rows.map(({ hour }) => Number(hour) * HOUR_MS)
    if (hoursMs.length > 0) await recount(sql, tx, { corridorId, hoursMs })
  }
}
