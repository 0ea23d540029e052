import type { Window } from '~/domain/period.ts'
import type { Database, Sql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { instantText } from '~/store/encoding.ts'
import { monthsBefore } from '~/store/month/drop.ts'
import { once } from '~/store/once.ts'
import { RETENTION_LOCK } from '~/store/past/retention-store.ts'
import { rerun } from '~/store/rerun.ts'
import { forgetArchive } from './archived.ts'
import { patiently, unarchiveBefore } from './unarchive.ts'

/** Moves whole months of observations to blocks and back. */
export function createArchiveStore(database: Database) {
  const { sql } = database
  return {
    once: <T>(work: () => Promise<T>) => once(database, RETENTION_LOCK, work),
    isDistributed: () => isDistributed(sql),
    months: (beforeMs: number) => monthsBefore(database, beforeMs),
    unarchive: (beforeMs: number, reach?: (done: number, total: number) => void) =>
      unarchiveBefore(database, beforeMs, reach),
    async rows(month: Window): Promise<number> {
      const [row] = await sql<[{ count: string }]>`
        select count(*) as count from observations where effective_from >= ${start(sql, month)}
          and effective_from < ${instantText(month.beforeMs)}::timestamptz`
      return Number(row.count)
    },
    async corridors(): Promise<number[]> {
      const rows = await sql<{ id: number }[]>`select id from corridors order by id`
      return rows.map(({ id }) => id)
    },
    /** The time before which all observations are sealed; Infinity if none are pending. */
    async sealedBeforeMs(): Promise<number> {
      const [row] = await sql<{ sinceMs: number | null }[]>`
        select (case when backlog @> '[{"kind": "observation"}]' then '-infinity' else (
          select extract(epoch from min(coalesce(since, '-infinity'))) * 1000 from changes
          where position > log_state.position and kind = 'observations' and withdrawn is null
        ) end)::float8 as "sinceMs"
        from log_state where position >= 0`
      return row?.sinceMs ?? Number.POSITIVE_INFINITY
    },
    ...moving(database),
  }
}

const start = (sql: Sql, { fromMs }: Window) => sql`${instantText(fromMs)}::timestamptz`

/** The steps by which a month is archived. */
function moving({ sql }: Database) {
  return {
    /** Announces months; returns for how long the last of them has been, never below 0. */
    async announce(months: readonly Window[]): Promise<number> {
      for (const month of months)
        await patiently(() => sql`select announce_archive(${start(sql, month)})`)
      forgetArchive(sql)
      const [row] = await sql<[{ ageMs: number | null }]>`
        select (extract(epoch from clock_timestamp() - max(announced_at)) * 1000)::float8 as "ageMs"
        from archived_months`
      return Math.max(0, row.ageMs ?? 0)
    },
    /** Moves the observations of a corridor and month, all or none, and returns how many. */
    async archive(corridorId: number, month: Window): Promise<number> {
      const [row] = await rerun(
        () => sql<[{ moved: number }]>`
          select archive_observations(${corridorId}::int, ${start(sql, month)}) as moved`,
      )
      return row.moved
    },
    /**
     * Reports whether the space of moved rows is not given back yet: there is a block from a later
     * transaction than the one that last did so.
     */
    async isLoose(month: Window): Promise<boolean> {
      const [row] = await sql`
        select from archived_months m where month = ${start(sql, month)} and (
          compacted_at is null or exists (
            select from corridors c join observation_blocks b on b.corridor_id = c.id
            where b.first >= m.month and b.first < ${instantText(month.beforeMs)}::timestamptz
              and age(b.xmin) between 0 and age(m.xmin)
          )
        )`
      return row !== undefined
    },
    compact: (month: Window) =>
      patiently(() => sql`select compact_observation_month(${start(sql, month)})`),
  }
}
