import type { Sql } from '~/store/database.ts'

export type FileKey = {
  /** YYYY-MM-DD or YYYY-MM. */
  readonly period: string
  readonly edition: number
}

export type FileRow = FileKey & {
  /** Null in files of days from earlier versions. */
  readonly rows: number | null
  readonly bytes: number
  /** SHA-256 in hex. */
  readonly digest: string
  readonly madeMs: number
}

/** The files of days from versions before the table `files`, as a table. */
export const earlierFiles = (sql: Sql) => sql`(
  select day::text as period, 1 as edition, content, made_at from day_files
  union all
  select day::text, edition, content, made_at from day_file_editions
)`

/** All files as a table. */
export const keptFiles = (sql: Sql) => sql`(
  select period, edition, rows, bytes, digest, made_at from files
  union all
  select period, edition, null, length(content), encode(sha256(content), 'hex'), made_at
  from ${earlierFiles(sql)} earlier
  where not exists (
    select from files f where f.period = earlier.period and f.edition = earlier.edition
  )
)`

export const fileColumns = (sql: Sql) => sql`
  period, edition, rows, bytes::float8 as bytes, digest,
  extract(epoch from made_at)::float8 * 1000 as "madeMs"`
