import { statfs } from 'node:fs/promises'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

/** The bytes of a disk; `free` is what the database may still use. */
type Disk = { readonly free: number; readonly all: number }

export type StorageFigures = {
  readonly databaseBytes: number
  /** The disk of the database's files; null if they are on another machine, or hidden. */
  readonly disk: Disk | null
  /** End of the months of observations that exist. */
  readonly monthsUntilMs: number | null
  /** The time when the last backup was completed, unless it is to come; null before the first. */
  readonly lastBackupMs: number | null
}

/** A completed backup. */
type Made = { readonly atMs: number; readonly place: string; readonly rows: number }

/** Rows that together take more than the memory of a sort, so that it writes to the disk. */
const PROBE_ROWS = 20_000

const LOOPBACK = /^(localhost|127\.[\d.]+|::1|\/.*)$/

type Row = Omit<StorageFigures, 'disk'> & { readonly directory: string | null }

export const createStorageStore = ({ sql }: Pick<Database, 'sql'>) => ({
  /** Backups count from before a time. */
  async figures(beforeMs: number): Promise<StorageFigures> {
    const [{ directory, ...figures }] = await sql<[Row]>`
      select pg_database_size(current_database())::float8 as "databaseBytes",
        (select setting from pg_settings where name = 'data_directory') as directory,
        (select extract(epoch from until) * 1000 from observation_months())::float8
          as "monthsUntilMs",
        (select extract(epoch from max(at)) * 1000 from backups
          where at < ${instantText(beforeMs)}::timestamptz)::float8 as "lastBackupMs"`
    const isNear = LOOPBACK.test(sql.options.host[0] ?? '')
    return { ...figures, disk: isNear && directory ? await diskOf(directory) : null }
  },

  /** Resolves if the server can write some megabytes to its disk, of which nothing stays. */
  async writeBriefly(): Promise<void> {
    await sql.begin(async (tx) => {
      await tx`set local work_mem = '64kB'`
      await tx`
        select count(*) from (
          select repeat(md5(n::text), 4) as filler from generate_series(1, ${PROBE_ROWS}) n
          order by filler
          offset 1
        ) sorted`
    })
  },

  /** Time of the last backup before another whose place begins like that; null without one. */
  async lastBackupMs(begin: string, beforeMs: number): Promise<number | null> {
    const [row] = await sql<[{ ms: number | null }]>`
      select (extract(epoch from max(at)) * 1000)::float8 as ms from backups
      where starts_with(place, ${begin}) and at < ${instantText(beforeMs)}::timestamptz`
    return row.ms
  },

  async noteBackup({ atMs, place, rows }: Made): Promise<void> {
    await sql`
      insert into backups (at, place, rows) values (${instantText(atMs)}, ${place}, ${rows})`
  },
})

/** Null if the folder is not on this machine, or closed to this user. */
async function diskOf(directory: string): Promise<Disk | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory)
    return { free: bavail * bsize, all: blocks * bsize }
  } catch {
    return null
  }
}
