import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/**
 * The log of changes: a row for each commit that is announced to readers, and for each time at
 * which time alone changed what they see. Positions ascend in the order of commits. Only
 * `log_change` writes rows. They are deleted soon: a reader that missed some loads all.
 */
export const changes = pgTable(
  'changes',
  {
    /** The position of the server's own log at the time, or one more than the last position. */
    position: bigint('position', { mode: 'number' }).primaryKey(),
    at: instant('at').notNull(),
    /** The commit's time by the writer's clock, ascending; null if it records nothing. */
    knownAt: instant('known_at'),
    kind: text('kind').notNull(),
    /** The new rows, ascending; null if they are many, or not known. */
    ids: bigint('ids', { mode: 'number' }).array(),
    /**
     * The least and the greatest `effective_from` of new observations, so that they are looked for
     * in their months; null from versions that do not say it.
     */
    since: instant('since'),
    until: instant('until'),
    /**
     * Placement of observations on several servers: their corridors, and `open` until a process saw
     * them on all servers; `aside` if the processes went on without them; `again` if this row
     * reports a set-aside row again.
     */
    corridorIds: integer('corridor_ids').array(),
    unseen: text('unseen'),
    /** The first and the last row of each corridor if there are many. */
    witnesses: bigint('witnesses', { mode: 'number' }).array(),
    /** Observations that the commit withdrew; `ids` are those that hold again instead. */
    withdrawn: bigint('withdrawn', { mode: 'number' }).array(),
    /**
     * For `catalogue`: the rows of the catalogue's tables as of the commit, written by a trigger
     * whichever version commits. Null in rows from before there was one.
     */
    catalogue: jsonb('catalogue'),
  },
  (t) => [index('changes_unseen').on(t.position).where(sql`${t.unseen} in ('open', 'aside')`)],
)
