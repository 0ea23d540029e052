import type { FeedState } from '~/domain/feed/state.ts'
import type { EvaluatedAnswer } from '~/domain/feed/unused.ts'
import type { Database } from './database.ts'
import { arrayLiteral, instantText } from './encoding.ts'
import { announced } from './notification-channel.ts'
import { once } from './once.ts'

const LOCK_NAME = 'corridor reference fetch'

/** The state of the reference feeds, shared by all processes, and the turn to request them. */
export function createFeedStateStore(database: Database) {
  const { sql } = database
  return {
    once: <T>(work: () => Promise<T>) => once(database, LOCK_NAME, work),
    async load(): Promise<FeedState | null> {
      const [row] = await sql`select state::text from reference_feed_state`
      return row ? JSON.parse(row.state) : null
    },
    async save(state: FeedState, answers: readonly EvaluatedAnswer[] = []) {
      const column = (of: (answer: EvaluatedAnswer) => string) => arrayLiteral(answers.map(of))
      const json = (of: ReadonlyMap<string, string>) => JSON.stringify(Object.fromEntries(of))
      const ranText = instantText(state.ranMs ?? 0)
      await sql`
        with answered as (
          insert into reference_answers (ran_at, feed, fetched_at, upstream_at, rates, unused)
          select ${ranText}::timestamptz, answer.* from unnest(
            ${column(({ feedId }) => feedId)}::text[],
            ${column(({ fetchedMs }) => instantText(fetchedMs))}::timestamptz[],
            ${column(({ upstreamMs }) => instantText(upstreamMs))}::timestamptz[],
            ${column(({ perUsd }) => json(perUsd))}::jsonb[],
            ${column(({ unused }) => json(unused))}::jsonb[]
          ) answer
        ), saved as (
          insert into reference_feed_state (state) values (${JSON.stringify(state)}::text::jsonb)
          on conflict (is_only) do update set state = excluded.state
          returning 1
        )
        select ${announced(database, { kind: 'feeds' })} from saved`
    },
  }
}
