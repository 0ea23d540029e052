import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { NEWS_CHANNEL, newsPayload } from '~/store/news-channel.ts'
import { once } from '~/store/once.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'

const LOCK_NAME = 'corridor retention'
const BROKEN_OFF = 'a run that was broken off'

/** An age limit that was applied: everything that took effect later is still there. */
type Pruning = {
  readonly actor: string
  readonly beforeMs: number
  readonly observations: number
}

type RetentionStore = {
  /**
   * Does the work unless another process is doing it; null if one is, without waiting for it. A
   * process that dies releases its turn.
   */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** The series that hold observations to prune, by corridor. */
  outdated(beforeMs: number): Promise<ObservedSeries[]>
  /** How many observations of a series would be pruned. */
  count(seriesId: number, beforeMs: number): Promise<number>
  /**
   * Deletes the oldest observations of a series, in one transaction and at most `rowsMax`, but
   * never the last one before `beforeMs`, notes them in the roll-ups, and answers how many there
   * were. The database refuses a `beforeMs` of less than a year ago.
   */
  prune(seriesId: number, limit: { beforeMs: number; rowsMax: number }): Promise<number>
  /** Records the pruning, and tells listeners to load everything. */
  finish(pruning: Pruning): Promise<void>
  /** Records the pruning of a run that was interrupted before it could; the roll-ups know of it. */
  settle(): Promise<void>
}

export function createRetentionStore(database: Database): RetentionStore {
  const { sql } = database
  return {
    once: (work) => once(database, LOCK_NAME, work),
    async outdated(beforeMs) {
      const rows = await sql<{ id: number; corridor_id: number }[]>`
        select id, corridor_id from provider_corridors p
        where 1 < (
          select count(*) from (
            select from observations
            where provider_corridor_id = p.id
              and effective_from < ${instantText(beforeMs)}::timestamptz
            limit 2
          ) two
        ) order by corridor_id, id`
      return rows.map((row) => ({ id: row.id, corridorId: row.corridor_id }))
    },
    async count(seriesId, beforeMs) {
      const [row] = await sql<[{ count: string }]>`
        select greatest(count(*) - 1, 0) as count from observations
        where provider_corridor_id = ${seriesId}
          and effective_from < ${instantText(beforeMs)}::timestamptz`
      return Number(row.count)
    },
    async prune(seriesId, { beforeMs, rowsMax }) {
      const [row] = await sql<[{ count: number }]>`
        select prune_observations(${seriesId}, ${instantText(beforeMs)}::timestamptz, ${rowsMax})
          as count`
      return row.count
    },
    ...pruningRecords(database),
  }
}

function pruningRecords(database: Database): Pick<RetentionStore, 'finish' | 'settle'> {
  const { sql } = database
  return {
    async finish({ actor, beforeMs, observations }) {
      const payload = newsPayload(database, { kind: 'observations' })
      await sql`
        with kept as (
          insert into prunings (actor, before, observations)
          values (${actor}, ${instantText(beforeMs)}::timestamptz, ${observations})
          returning 1
        )
        select pg_notify(${NEWS_CHANNEL}, ${payload}) from kept`
    },
    async settle() {
      await sql`
        insert into prunings (actor, before, observations)
        select ${BROKEN_OFF}, gone.last + interval '1 hour', gone.observations - kept.observations
        from (
          select sum(pruned) as observations, max(hour) as last from rollups where pruned > 0
        ) gone, (
          select coalesce(sum(observations), 0) as observations from prunings
        ) kept
        where gone.observations > kept.observations`
    },
  }
}
