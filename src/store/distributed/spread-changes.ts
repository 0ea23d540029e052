import {
  type ChangeRow,
  changeColumns,
  changeOf,
  createChangeStore,
} from '~/store/change/change-store.ts'
import type { Database, Part } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import { CHANGE_ROWS_MAX, NOTIFICATION_CHANNEL, originOf } from '~/store/notification-channel.ts'

/** The origin of change notifications that every process has to take, their sender included. */
const ANY_PROCESS = 'ranges again'

/** The log of changes of a database on several servers, for the processes that follow it. */
export function createSpreadChangeStore(database: Database) {
  const { sql } = database
  return {
    ...createChangeStore(database),
    async unseen(rowsMax: number) {
      const rows = await sql<ChangeRow[]>`
        select ${changeColumns(sql)} from changes where unseen in ('open', 'aside')
        order by position limit ${rowsMax}`
      return rows.map(changeOf)
    },
    async settle(positions: readonly number[]) {
      await sql`select settle_changes(${arrayLiteral(positions)}::bigint[])`
    },
    async setAside(position: number) {
      await sql`select set_change_aside(${position})`
    },
    async tellAgain(position: number) {
      await sql`
        select pg_notify(${NOTIFICATION_CHANNEL}, json_build_object('kind', 'observations',
          'origin', ${ANY_PROCESS}::text, 'position', logged)::text)
        from tell_change_again(${position})`
    },
  }
}

/**
 * The statement that logs and announces observations on several servers; `added` has `id`,
 * `corridor_id` and `effective_from` of each. It returns their position and the previous position,
 * and logs nothing if there are none.
 */
export function announcedSpread(
  database: Database,
  { added, atText }: { added: Part; atText: string | null },
) {
  const { sql } = database
  return sql`
    select position, position_before(position) as previous,
      pg_notify(${NOTIFICATION_CHANNEL}, json_build_object('kind', 'observations',
      'origin', ${originOf(database)}::text, 'position', position)::text)
    from (select log_spread_change(
      case when rows <= ${CHANGE_ROWS_MAX} then ids end, ${atText}::timestamptz,
      since, until, corridors, case when rows > ${CHANGE_ROWS_MAX} then ends end) as position
    from (
      select sum(count) as rows, array_agg(corridor_id order by corridor_id) as corridors,
        array_agg(first_id) || array_agg(last_id) as ends,
        min(since) as since, max(until) as until
      from (
        select corridor_id, count(*) as count, min(id) as first_id, max(id) as last_id,
          min(effective_from) as since, max(effective_from) as until
        from ${added} group by corridor_id
      ) of_each having count(*) > 0
    ) ranges, lateral (
      select array_agg(id order by id) as ids from (
        select id from ${added} limit ${CHANGE_ROWS_MAX + 1}
      ) listed
    ) named) logged`
}
