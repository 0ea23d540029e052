import type { Corridor } from '~/domain/corridor.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Database, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { catalogueIn, firstRecorded } from '~/store/known/known-tables.ts'
import { ownConnection } from '~/store/own-connection.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'

/** How many files are kept: those of more than five years. Beyond it the ones made first go. */
const FILES_MAX = 2000
/** How many corridors a file has at most; the codes of all currencies there are make fewer. */
const CORRIDORS_MAX = 50_000
/** The class of advisory locks under which a process makes the file of a day. */
const MAKING = 0x66696c65
const CLOSE_SECONDS_MAX = 5
/** What was recorded so shortly before a file was made may not have been committed by then. */
const UNSEEN = '-10 minutes'

type Bytes = Uint8Array<ArrayBuffer>
type Make = (past: DayPast) => Promise<Bytes>

export function createDayFileStore(database: Database) {
  const { sql } = database
  return {
    find: (day: string) => found(sql, day),
    async edition(day: string, edition: number): Promise<Bytes | null> {
      const [row] = await sql<{ content: Buffer }[]>`
        select content from day_file_editions where day = ${day} and edition = ${edition}`
      return row ? new Uint8Array(row.content) : null
    },
    /** It makes a file on one more connection, so that nothing waits behind its questions. */
    keep: (day: string, make: Make, knownMs: number | null = null): Promise<Bytes> =>
      alone(database, (own) => kept(own, { day, make, knownMs })),
    correct: (day: string, make: Make, knownMs: number): Promise<boolean> =>
      alone(database, (own) => corrected(own, { day, make, knownMs })),
    async missing(fromDay: string, toDay: string): Promise<string[]> {
      const rows = await sql<{ day: string }[]>`
        select d::date::text as day
        from generate_series(${fromDay}::timestamp, ${toDay}::timestamp, '1 day') d
        where not exists (select from day_files where day = d::date) order by d`
      return rows.map((row) => row.day)
    },
    doubtful: (day: string, daysMax: number) => doubtfulDays(sql, day, daysMax),
  }
}

/** Does work in a transaction on a connection of its own. */
async function alone<T>(database: Database, work: (own: Database) => Promise<T>): Promise<T> {
  const own = ownConnection(database.sql)
  try {
    return (await own.begin((tx) => work({ ...database, sql: tx as unknown as Sql }))) as T
  } finally {
    await own.end({ timeout: CLOSE_SECONDS_MAX })
  }
}

type DayPast = ReturnType<typeof dayPast>

type Making = { readonly day: string; readonly make: Make; readonly knownMs: number | null }

/** Waits for whoever makes a file of the day. */
const locked = (sql: Sql, day: string) =>
  sql`select pg_advisory_xact_lock(${MAKING}, ${day}::date - date '2000-01-01')`

async function kept(database: Database, { day, make, knownMs }: Making): Promise<Bytes> {
  const { sql } = database
  await locked(sql, day)
  const earlier = await found(sql, day)
  if (earlier) return earlier.content
  const catalogue = await catalogueAt(sql, knownMs)
  const known = catalogue && knownMs !== null ? { ...database, knownMs } : database
  const content = await make(dayPast(known, catalogue))
  await sql`insert into day_files (day, content) values (${day}, ${content})`
  await sql`
    with gone as (
      delete from day_files where day in (
        select day from day_files order by made_at desc, day desc offset ${FILES_MAX}
      ) returning day
    ) delete from day_file_editions where day in (select day from gone)`
  return content
}

/**
 * Makes the next edition of a day's file by what is known now, with the catalogue of the first;
 * answers whether it differs from the newest, and keeps nothing if it does not.
 */
async function corrected(database: Database, { day, make, knownMs }: Making): Promise<boolean> {
  const { sql } = database
  await locked(sql, day)
  const catalogue = await catalogueAt(sql, knownMs)
  await sql`select set_config('search_path', 'public', true)`
  const content = await make(dayPast(database, catalogue))
  const [newest] = await sql<{ content: Buffer; edition: number }[]>`
    select content, edition from (
      select content, 1 as edition from day_files where day = ${day}
      union all
      select content, edition from day_file_editions where day = ${day}
    ) editions order by edition desc limit 1`
  if (!newest || isSame(newest.content, content)) return false
  await sql`
    insert into day_file_editions (day, edition, content)
    values (${day}, ${newest.edition + 1}, ${content})`
  return true
}

const isSame = (a: Uint8Array, b: Bytes): boolean =>
  Buffer.from(Bun.gunzipSync(new Uint8Array(a))).equals(Bun.gunzipSync(b))

/**
 * Has the transaction read what was known at a time, and gives the catalogue of then; null, and
 * nothing is changed, where nothing had been recorded by then.
 */
async function catalogueAt(sql: Sql, knownMs: number | null): Promise<Catalogue | null> {
  const firstMs = await firstRecorded(sql)
  if (knownMs === null || firstMs === null || knownMs < firstMs) return null
  await sql`select set_config('search_path', 'known, public', true),
    set_config('corridor.known_at', ${instantText(knownMs)}, true)`
  return catalogueIn(sql)
}

/**
 * The days before one whose file may differ from what is known by now, because something was
 * recorded, withdrawn or corrected for them since; the oldest first. Those of which that was looked
 * at more than a week ago are left out, as are those of which observations were deleted since.
 *
 * Roll-ups from before they bore a time of change all have that of the upgrade, the least there is.
 */
async function doubtfulDays(sql: Sql, day: string, daysMax: number): Promise<string[]> {
  const firstMs = await firstRecorded(sql)
  const first = firstMs === null ? 'infinity' : instantText(firstMs)
  const rows = await sql<{ day: string }[]>`
    with changed as (
      select (hour at time zone 'UTC')::date as day, max(changed_at) as at from rollups
      where changed_at > (select min(changed_at) from rollups) group by 1
      union all
      select (effective_from at time zone 'UTC')::date, max(withdrawn_at) from withdrawals
      group by 1
      union all
      select (fetched_at at time zone 'UTC')::date, max(recorded_at) from reference_snapshots
      group by 1
    ), files as (
      select day, made_at, (day + 1)::timestamp at time zone 'UTC' as ended_at from day_files
    )
    select distinct f.day::text as day from changed join files f on f.day = changed.day
    where f.day < ${day}::date
      and changed.at > ${UNSEEN}::interval + case
        when f.ended_at + interval '1 hour' < ${first}::timestamptz then f.made_at
        else f.ended_at + interval '1 hour' end
      and greatest(changed.at, f.made_at) > coalesce((
        select made_at from files where day <= ${day}::date - 7 order by day desc limit 1
      ), '-infinity')
      and f.ended_at > coalesce((
        select max(before) from prunings where observations > 0
      ), '-infinity')
    order by 1 limit ${daysMax}`
  return rows.map((row) => row.day)
}

/** What a file is made of; without a catalogue, that of now. */
const dayPast = (database: Database, catalogue: Catalogue | null) => ({
  ...createSnapshotStore(database),
  catalogue,
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

async function found(sql: Sql, day: string) {
  const [row] = await sql<{ content: Buffer; editions: number }[]>`
    select content, 1 + (
      select count(*)::int from day_file_editions later where later.day = first.day
    ) as editions
    from day_files first where day = ${day}`
  return row ? { content: new Uint8Array(row.content) as Bytes, editions: row.editions } : null
}
