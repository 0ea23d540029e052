import type { FeedAnswered } from '~/domain/feed/unused.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

type Asked = { readonly currency: string; readonly sinceMs: number; readonly beforeMs: number }

export const createFeedAnswerStore = ({ sql }: Database) => ({
  async feedAnswers({ currency, sinceMs, beforeMs }: Asked): Promise<readonly FeedAnswered[]> {
    return sql<FeedAnswered[]>`
      select a.feed, (a.rates ->> ${currency})::float8 as "perUsd",
        a.unused ->> ${currency} as unused,
        (extract(epoch from a.ran_at) * 1000)::float8 as "ranMs",
        (extract(epoch from a.fetched_at) * 1000)::float8 as "fetchedMs",
        (extract(epoch from a.upstream_at) * 1000)::float8 as "upstreamMs",
        (extract(epoch from a.recorded_at) * 1000)::float8 as "recordedMs"
      from (
        select distinct on (feed) id from reference_answers
        where ran_at >= ${instantText(sinceMs)}::timestamptz
          and ran_at < ${instantText(beforeMs)}::timestamptz
          and fetched_at < ${instantText(beforeMs)}::timestamptz
        order by feed, ran_at desc, id desc
      ) last join reference_answers a on a.id = last.id
      order by a.ran_at desc, a.id`
  },
  async referenceRowAt({ currency, atMs }: { currency: string; atMs: number }) {
    const [row] = await sql<{ id: number; recordedMs: number }[]>`
      select r.id, (extract(epoch from s.recorded_at) * 1000)::float8 as "recordedMs"
      from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
      where r.currency = ${currency} and r.fetched_at >= ${instantText(atMs)}::timestamptz
        and r.fetched_at < ${instantText(atMs + 1)}::timestamptz
      order by r.fetched_at desc, r.id desc limit 1`
    return row ?? null
  },
})
