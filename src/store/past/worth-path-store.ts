import type { Window } from '~/domain/period.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

type PathRow = { readonly moments: string | null; readonly worths: string | null }

export const createWorthPathStore = ({ sql }: Database) => ({
  /** One row of two texts: thousands of rows take the driver longer than the database. */
  async worthPath(currency: string, { fromMs, beforeMs }: Window) {
    const from = sql`${instantText(fromMs)}::timestamptz`
    const [row] = await sql<PathRow[]>`
      select array_agg(
          (extract(epoch from fetched_at) * 1000)::bigint order by fetched_at, id)::text as moments,
        array_agg(per_usd order by fetched_at, id)::text as worths
      from (
        (select id, fetched_at, per_usd from reference_rates
         where currency = ${currency} and fetched_at < ${from}
         order by fetched_at desc, id desc limit 1)
        union all
        (select id, fetched_at, per_usd from reference_rates
         where currency = ${currency} and fetched_at >= ${from}
           and fetched_at < ${instantText(beforeMs)}::timestamptz)
      ) said`
    return { timesMs: numbersIn(row!.moments), worths: numbersIn(row!.worths) }
  },
})

/** The numbers of an array that Postgres wrote: `{1,2.5}`. */
const numbersIn = (text: string | null): Float64Array =>
  text === null ? new Float64Array() : Float64Array.from(text.slice(1, -1).split(','), Number)
