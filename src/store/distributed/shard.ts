import type { Part, Sql } from '~/store/database.ts'

/** Server of a statement, and the corridor that it is about; none if it is about all. */
export type Shard = {
  readonly isDistributed: boolean
  readonly corridorId?: number
  /** Says whether the tables are those of an earlier time. */
  readonly isThen?: boolean
}

/**
 * The condition by which Citus finds the shard of rows that are named by the series `p` already.
 *
 * Elsewhere it says nothing: the planner would take it for a further choice among those rows, and
 * expect too few of them to walk an index in their order.
 */
export function onShard(sql: Sql, { isDistributed, corridorId }: Shard): Part {
  if (!isDistributed) return sql``
  return sql`and corridor_id = ${corridorId === undefined ? sql`p.corridor_id` : corridorId}`
}
