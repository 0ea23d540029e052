import type { Corridor } from '~/domain/corridor.ts'
import type { Database, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { ownConnection } from '~/store/own-connection.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'

/** How many files are kept: those of more than five years. Beyond it the ones made first go. */
const FILES_MAX = 2000
/** How many corridors a file has at most; the codes of all currencies there are make fewer. */
const CORRIDORS_MAX = 50_000
/** The class of advisory locks under which a process makes the file of a day. */
const MAKING = 0x66696c65
const CLOSE_SECONDS_MAX = 5

type Bytes = Uint8Array<ArrayBuffer>

export function createDayFileStore(database: Database) {
  return {
    find: (day: string) => found(database.sql, day),
    /** It makes a file on one more connection, so that nothing waits behind its questions. */
    async keep(day: string, make: (past: DayPast) => Promise<Bytes>): Promise<Bytes> {
      const own = ownConnection(database.sql)
      try {
        return await (own.begin((tx) =>
          kept({ ...database, sql: tx as unknown as Sql }, day, make),
        ) as Promise<Bytes>)
      } finally {
        await own.end({ timeout: CLOSE_SECONDS_MAX })
      }
    },
  }
}

type DayPast = ReturnType<typeof dayPast>

async function kept(
  database: Database,
  day: string,
  make: (past: DayPast) => Promise<Bytes>,
): Promise<Bytes> {
  const { sql } = database
  await sql`select pg_advisory_xact_lock(${MAKING}, ${day}::date - date '2000-01-01')`
  const earlier = await found(sql, day)
  if (earlier) return earlier
  const content = await make(dayPast(database))
  await sql`insert into day_files (day, content) values (${day}, ${content})`
  await sql`
    delete from day_files where day in (
      select day from day_files order by made_at desc, day desc offset ${FILES_MAX}
    )`
  return content
}

/** What a file is made of. */
const dayPast = (database: Database) => ({
  ...createSnapshotStore(database),
  async corridorsBefore(beforeMs: number): Promise<Corridor[]> {
    const { sql } = database
    const before = sql`${instantText(beforeMs)}::timestamptz`
    return sql<Corridor[]>`
      select source as "from", target as "to" from corridors c
      join (
        select p.corridor_id from ${quoted(sql)} p
        where exists (
          select 1 from observations
          where corridor_id = p.corridor_id and effective_from < ${before}
        )
      ) quoted on quoted.corridor_id = c.id
      order by source collate "C", target collate "C" limit ${CORRIDORS_MAX}`
  },
  async firstMs(): Promise<number | null> {
    const [row] = await database.sql<{ first: number | null }[]>`
      select extract(epoch from min(first) at time zone 'UTC')::float8 * 1000 as first
      from ${quoted(database.sql)} p cross join lateral (
        select effective_from as first from observations
        where corridor_id = p.corridor_id order by effective_from limit 1
      ) oldest`
    return row?.first ?? null
  },
})

/** The ids of corridors that were ever quoted, from the server that has their observations. */
const quoted = (sql: Sql) => sql`(select distinct corridor_id from provider_corridors)`

async function found(sql: Sql, day: string): Promise<Bytes | null> {
  const [row] = await sql<{ content: Buffer }[]>`
    select content from day_files where day = ${day}`
  return row ? new Uint8Array(row.content) : null
}
