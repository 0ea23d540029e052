import type { FeedState } from '~/domain/feed/state.ts'
import type { Database } from './database.ts'
import { NEWS_CHANNEL, newsPayload } from './news-channel.ts'
import { once } from './once.ts'

const LOCK_NAME = 'corridor reference fetch'

/** What all processes know about the reference feeds, and whose turn it is to ask them. */
type FeedStateStore = {
  /**
   * Does the work unless another process is doing it; null if one is, without waiting for it. A
   * process that dies releases its turn.
   */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** The saved state; null before the first `save`. */
  load(): Promise<FeedState | null>
  /** Replaces what was saved before. */
  save(state: FeedState): Promise<void>
}

export function createFeedStateStore(database: Database): FeedStateStore {
  const { sql } = database
  return {
    once: (work) => once(database, LOCK_NAME, work),
    async load() {
      const [row] = await sql`select state::text from reference_feed_state`
      return row ? JSON.parse(row.state) : null
    },
    async save(state) {
      await sql`
        with saved as (
          insert into reference_feed_state (state) values (${JSON.stringify(state)}::text::jsonb)
          on conflict (is_only) do update set state = excluded.state
          returning 1
        )
        select pg_notify(${NEWS_CHANNEL}, ${newsPayload(database, { kind: 'feeds' })}) from saved`
    },
  }
}
