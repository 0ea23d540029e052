import type { FeedState } from '~/domain/feed-state.ts'
import type { Database } from './database.ts'
import { NEWS_CHANNEL, newsPayload } from './news-channel.ts'
import { ownConnection } from './own-connection.ts'

const LOCK_NAME = 'corridor reference fetch'
const CLOSE_SECONDS_MAX = 5

/** What is known of the reference feeds, and whose turn it is to ask them, for all processes. */
export type FeedStateStore = {
  /**
   * Does the work unless another process is at it; null when one is, without waiting for it. A
   * process that dies gives its turn back.
   */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** Null before the first `save`. */
  load(): Promise<FeedState | null>
  /** Replaces what was saved before. */
  save(state: FeedState): Promise<void>
}

export function createFeedStateStore(database: Database): FeedStateStore {
  const { sql } = database
  return {
    async once(work) {
      const own = ownConnection(sql)
      try {
        const [lock] = await own`select pg_try_advisory_lock(hashtext(${LOCK_NAME})) as is_ours`
        return lock?.is_ours ? await work() : null
      } finally {
        await own.end({ timeout: CLOSE_SECONDS_MAX })
      }
    },
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
