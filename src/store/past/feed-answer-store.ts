import type { UnusedReason } from '~/domain/feed/unused.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

type AnswerRow = {
  readonly feed: string
  readonly per_usd: string | null
  readonly unused: UnusedReason | null
  readonly ran_ms: string
  readonly fetched_ms: string
  readonly upstream_ms: string
}

type Asked = { readonly currency: string; readonly sinceMs: number; readonly beforeMs: number }

export const createFeedAnswerStore = ({ sql }: Database) => ({
  async feedAnswers({ currency, sinceMs, beforeMs }: Asked) {
    const rows = await sql<AnswerRow[]>`
      select a.feed, a.rates ->> ${currency} as per_usd, a.unused ->> ${currency} as unused,
        extract(epoch from a.ran_at) * 1000 as ran_ms,
        extract(epoch from a.fetched_at) * 1000 as fetched_ms,
        extract(epoch from a.upstream_at) * 1000 as upstream_ms
      from (
        select distinct on (feed) id from reference_answers
        where ran_at >= ${instantText(sinceMs)}::timestamptz
          and ran_at < ${instantText(beforeMs)}::timestamptz
          and fetched_at < ${instantText(beforeMs)}::timestamptz
        order by feed, ran_at desc, id desc
      ) last join reference_answers a on a.id = last.id
      order by a.ran_at desc, a.id`
    return rows.map((row) => ({
      feed: row.feed,
      perUsd: row.per_usd === null ? null : Number(row.per_usd),
      unused: row.unused,
      ranMs: Number(row.ran_ms),
      fetchedMs: Number(row.fetched_ms),
      upstreamMs: Number(row.upstream_ms),
    }))
  },
  async referenceIdAt({ currency, atMs }: { currency: string; atMs: number }) {
    const [row] = await sql<{ id: string }[]>`
      select id from reference_rates
      where currency = ${currency} and fetched_at >= ${instantText(atMs)}::timestamptz
        and fetched_at < ${instantText(atMs + 1)}::timestamptz
      order by fetched_at desc, id desc limit 1`
    return row ? Number(row.id) : null
  },
})
