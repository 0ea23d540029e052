import type { Window } from '~/domain/period.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

type PathRow = { readonly moments: Uint8Array | null; readonly worths: Uint8Array | null }

export const createWorthPathStore = ({ sql }: Database) => ({
  /**
   * One row of two binary strings: thousands of rows take the driver longer than the database, and
   * numbers in digits take both longer. One range of the index, so nothing is sorted.
   */
  async worthPath(currency: string, { fromMs, beforeMs }: Window) {
    const from = sql`${instantText(fromMs)}::timestamptz`
    const [row] = await sql<PathRow[]>`
      select string_agg(timestamptz_send(fetched_at), '' order by fetched_at, id) as moments,
        string_agg(float8send(per_usd::float8), '' order by fetched_at, id) as worths
      from reference_rates
      where currency = ${currency} and fetched_at < ${instantText(beforeMs)}::timestamptz
        and fetched_at >= coalesce((
          select fetched_at from reference_rates
          where currency = ${currency} and fetched_at < ${from}
          order by fetched_at desc limit 1
        ), ${from})`
    return {
      timesMs: valuesIn(row!.moments, (view, at) => momentMs(view.getBigInt64(at))),
      worths: valuesIn(row!.worths, (view, at) => view.getFloat64(at)),
    }
  },
})

const VALUE_BYTES = 8

/** The values of a string of them, eight bytes each. */
function valuesIn(bytes: Uint8Array | null, valueAt: (view: DataView, at: number) => number) {
  if (bytes === null) return new Float64Array()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float64Array.from({ length: bytes.byteLength / VALUE_BYTES }, (_, i) =>
    valueAt(view, i * VALUE_BYTES),
  )
}

const START_MS = Date.UTC(2000, 0, 1)

/** A time as Postgres sends it, in microseconds of this millennium; whole milliseconds. */
const momentMs = (us: bigint): number => START_MS + Math.floor(Number(us) / 1000)
