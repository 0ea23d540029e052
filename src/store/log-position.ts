import type { Database } from './database.ts'

/** The position of a primary's log in bytes, at or after every commit so far. */
export async function writtenPosition({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [row] = await sql<{ position: number }[]>`
    select (pg_current_wal_insert_lsn() - '0/0')::int8 as position`
  return row!.position
}

/** Position to which a standby has replayed its primary's log; null if it is not a standby. */
export async function replayedPosition({ sql }: Pick<Database, 'sql'>): Promise<number | null> {
  const [row] = await sql<{ position: number | null }[]>`
    select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::int8 end
      as position`
  return row!.position
}
