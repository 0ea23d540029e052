import type { StreamSlot } from '~/domain/live/stream.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import { originOf } from '~/store/notification-channel.ts'

/** The stream slots in use; they count as long as the meter of their process is alive. */
export function createSlotStore(database: Database) {
  const { sql } = database
  const meterId = originOf(database)
  return {
    async take({ id, accountId }: StreamSlot, othersMax: number) {
      const [, [taken]] = await sql.begin((tx) =>
        Promise.all([
          tx`select from accounts where id = ${accountId} for no key update`,
          tx<{ others: number }[]>`
            with others as materialized (
              select count(*)::int as others
              from open_streams s join usage_meters m on m.id = s.meter_id
              where s.account_id = ${accountId} and m.id <> ${meterId}
                and m.until > clock_timestamp()
            ), taken as (
              insert into open_streams (id, account_id, meter_id)
              select ${id}, ${accountId}, m.id
              from usage_meters m, others where m.id = ${meterId} and others < ${othersMax}
            )
            select others from others`,
        ]),
      )
      return taken!.others
    },
    async free(ids: readonly string[]) {
      await sql`delete from open_streams where id = any(${arrayLiteral(ids)}::uuid[])`
    },
    async declare(slots: readonly StreamSlot[]) {
      const ids = arrayLiteral(slots.map(({ id }) => id))
      const accountIds = arrayLiteral(slots.map(({ accountId }) => accountId))
      await sql.begin((tx) =>
        Promise.all([
          tx`
            delete from open_streams
            where meter_id = ${meterId} and id <> all(${ids}::uuid[])`,
          tx`
            insert into open_streams (id, account_id, meter_id)
            select slot.id, slot.account_id, m.id
            from unnest(${ids}::uuid[], ${accountIds}::uuid[]) as slot (id, account_id),
              usage_meters m
            where m.id = ${meterId}
            on conflict (id) do nothing`,
        ]),
      )
    },
  }
}
