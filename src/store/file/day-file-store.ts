import type { Corridor } from '~/domain/corridor.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'

/** How many files are kept: those of more than five years. Beyond it the ones made first go. */
const FILES_MAX = 2000
/** How many corridors a file has at most; the codes of all currencies there are make fewer. */
const CORRIDORS_MAX = 50_000
/** The class of advisory locks under which a process makes the file of a day. */
const MAKING = 0x66696c65

export function createDayFileStore(database: Database) {
  const { sql } = database
  return {
    ...createSnapshotStore(database),
    async corridorsBefore(beforeMs: number): Promise<Corridor[]> {
      return sql<Corridor[]>`
        select source as "from", target as "to" from corridors c
        where exists (
          select from observations
          where corridor_id = c.id and effective_from < ${instantText(beforeMs)}::timestamptz
        ) order by source collate "C", target collate "C" limit ${CORRIDORS_MAX}`
    },
    async firstMs(): Promise<number | null> {
      const [row] = await sql<{ first: number | null }[]>`
        select extract(epoch from min(first) at time zone 'UTC')::float8 * 1000 as first
        from corridors c cross join lateral (
          select effective_from as first from observations
          where corridor_id = c.id order by effective_from limit 1
        ) oldest`
      return row?.first ?? null
    },
    find: (day: string) => found(sql, day),
    async keep(day: string, make: () => Promise<Bytes>): Promise<Bytes> {
      return sql.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${MAKING}, ${day}::date - date '2000-01-01')`
        const kept = await found(tx as unknown as typeof sql, day)
        if (kept) return kept
        const content = await make()
        await tx`insert into day_files (day, content) values (${day}, ${content})`
        await tx`
          delete from day_files where day in (
            select day from day_files order by made_at desc, day desc offset ${FILES_MAX}
          )`
        return content
      }) as Promise<Bytes>
    },
  }
}

type Bytes = Uint8Array<ArrayBuffer>

async function found(sql: Database['sql'], day: string): Promise<Bytes | null> {
  const [row] = await sql<{ content: Buffer }[]>`
    select content from day_files where day = ${day}`
  return row ? new Uint8Array(row.content) : null
}
