import { HOUR_MS } from '~/domain/duration.ts'
import type { Window } from '~/domain/period.ts'
import { catalogueOf, type LoggedCatalogue } from '~/store/catalogue-store.ts'
import type { Database, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { NOTIFICATION_CHANNEL, originOf } from '~/store/notification-channel.ts'

/** The time for which a change stays in the log. */
const CHANGE_AGE_MAX_MS = HOUR_MS
/** The most rows that stay in the log. */
const CHANGES_MAX = 100_000
/** The most rows that stay for the verifiable log, which they are not sealed in yet. */
const UNSEALED_MAX = 1_000_000

/** The log of changes for the processes that follow it. */
export function createChangeStore(database: Database) {
  const { sql } = database
  return {
    async end() {
      const [row] = await sql<{ position: string; tick_ms: string; hour_ms: string }[]>`
        select (select coalesce(max(position), 0) from changes) as position,
          ${latestOf('tick')} as tick_ms, ${latestOf('hour')} as hour_ms`
      const { position, tick_ms: tickMs, hour_ms: hourMs } = row!
      return { position: Number(position), tickMs: msOf(tickMs), hourMs: msOf(hourMs) }
    },
    async from(position: number, rowsMax: number) {
      const rows = await sql<ChangeRow[]>`
        select ${changeColumns(sql)}
        from changes where position >= ${position} order by position limit ${rowsMax}`
      return rows.map(changeOf)
    },
    async logTime(kind: 'tick' | 'hour', atMs: number, afterPosition: number) {
      await sql`
        select pg_notify(${NOTIFICATION_CHANNEL}, json_build_object('kind', ${kind}::text,
          'origin', ${originOf(database)}::text, 'position', position)::text)
        from (
          select log_change(${kind}, null, ${instantText(atMs)}::timestamptz, ${afterPosition})
            as position
        ) logged where position is not null`
    },
    async prune(nowMs: number) {
      const { count } = await sql`
        delete from changes where position < greatest(
          least(greatest(
            (select coalesce(min(position), 0) from changes
              where at >= least(${instantText(nowMs)}::timestamptz, now())
                - ${CHANGE_AGE_MAX_MS / 1000} * interval '1 second'),
            (select coalesce(min(position), 0) from (
              select position from changes order by position desc limit ${CHANGES_MAX}
            ) newest)
          ), (select position from log_state)),
          (select position from changes order by position desc offset ${UNSEALED_MAX} limit 1)
        ) and (unseen is null or unseen = 'again')`
      return count
    },
  }

  /** The time of the last row of a kind, as the driver returns it. */
  function latestOf(kind: 'tick' | 'hour') {
    return sql`(select extract(epoch from at) * 1000 from changes
      where kind = ${kind} order by position desc limit 1)`
  }
}

export const changeColumns = (sql: Sql) => sql`
  position, kind, ids, extract(epoch from at) * 1000 as at_ms,
  extract(epoch from since) * 1000 as since_ms, extract(epoch from until) * 1000 as until_ms,
  corridor_ids, witnesses, unseen, catalogue, withdrawn`

export const changeOf = (row: ChangeRow) => ({
  position: Number(row.position),
  kind: row.kind,
  atMs: Number(row.at_ms),
  ids: row.ids?.map(Number) ?? null,
  ...(row.withdrawn && { withdrawn: row.withdrawn.map(Number) }),
  window: windowOf(row),
  spread: row.corridor_ids && {
    corridorIds: row.corridor_ids,
    state: row.unseen,
    witnesses: row.witnesses?.map(Number) ?? [],
  },
  catalogue: row.catalogue && catalogueOf(row.catalogue),
})

export type ChangeRow = {
  readonly position: string
  readonly kind: 'observations' | 'references' | 'catalogue' | 'tick' | 'hour'
  readonly at_ms: string
  readonly ids: readonly string[] | null
  readonly since_ms: string | null
  readonly until_ms: string | null
  readonly corridor_ids: readonly number[] | null
  readonly witnesses: readonly string[] | null
  readonly withdrawn: readonly string[] | null
  readonly unseen: 'open' | 'aside' | 'again' | null
  readonly catalogue: LoggedCatalogue | null
}

const windowOf = ({ since_ms: sinceMs, until_ms: untilMs }: ChangeRow): Window | null =>
  sinceMs === null || untilMs === null
    ? null
    : { fromMs: Number(sinceMs), beforeMs: Number(untilMs) + 1 }

const msOf = (text: string | null): number | null => (text === null ? null : Number(text))
