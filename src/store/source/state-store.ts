import type { SourceRecord } from '~/domain/source/state.ts'
import type { Database } from '~/store/database.ts'
import { announced } from '~/store/notification-channel.ts'
import { once } from '~/store/once.ts'

const LOCK_NAME = 'corridor quote sources'

/** Stores the state of the banks that all processes share, and the turn to request them. */
export function createSourceStateStore(database: Database) {
  const { sql } = database
  return {
    once: <T>(work: () => Promise<T>) => once(database, LOCK_NAME, work),
    async load(ids?: readonly string[]): Promise<SourceRecord[]> {
      const rows = await sql<{ state: string }[]>`
        select state::text from quote_source_state
        ${ids ? sql`where source = any(${[...ids]}::text[])` : sql``}
        order by source collate "C"`
      return rows.map(({ state }) => JSON.parse(state))
    },
    async save(record: SourceRecord) {
      await sql`
        with saved as (
          insert into quote_source_state (source, state)
          values (${record.id}, ${JSON.stringify(record)}::text::jsonb)
          on conflict (source) do update set state = excluded.state
          returning 1
        )
        select ${announced(database, { kind: 'feeds' })} from saved`
    },
  }
}
