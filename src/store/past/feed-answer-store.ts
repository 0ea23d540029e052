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
  readonly recorded_ms: string | null
}

type Asked = { readonly currency: string; readonly sinceMs: number; readonly beforeMs: number }

export const createFeedAnswerStore = ({ sql }: Database) => ({
  async feedAnswers({ currency, sinceMs, beforeMs }: Asked) {
    const rows = await sql<AnswerRow[]>`
      select a.feed, a.rates ->> ${currency} as per_usd, a.unused ->> ${currency} as unused,
        extract(epoch from a.ran_at) * 1000 as ran_ms,
        extract(epoch from a.fetched_at) * 1000 as fetched_ms,
        extract(epoch from a.upstream_at) * 1000 as upstream_ms,
        extract(epoch from a.recorded_at) * 1000 as recorded_ms
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
      recordedMs: row.recorded_ms === null ? null : Number(row.recorded_ms),
    }))
  },
  async referenceRowAt({ currency, atMs }: { currency: string; atMs: number }) {
    const [row] = await sql<{ id: string; recorded_ms: string }[]>`
      select r.id, extract(epoch from s.recorded_at) * 1000 as recorded_ms
      from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
      where r.currency = ${currency} and r.fetched_at >= ${instantText(atMs)}::timestamptz
        and r.fetched_at < ${instantText(atMs + 1)}::timestamptz
      order by r.fetched_at desc, r.id desc limit 1`
    return row ? { id: Number(row.id), recordedMs: Number(row.recorded_ms) } : null
  },
})
