import { type ConnectorRecord, NOTHING_SEEN, type Seen } from '~/domain/feed/connector.ts'
import type { Database } from '~/store/database.ts'
import { announced } from '~/store/notification-channel.ts'
import { once } from '~/store/once.ts'

/** Stores the state of the connectors that all processes share, and the turn to run one. */
export function createConnectorStore(database: Database) {
  const { sql } = database
  return {
    once: <T>(id: string, work: () => Promise<T>) =>
      once(database, `corridor connector ${id}`, work),
    async load(ids?: readonly string[]): Promise<ConnectorRecord[]> {
      const rows = await sql<{ state: string }[]>`
        select state::text from connector_state
        ${ids ? sql`where connector = any(${[...ids]}::text[])` : sql``}
        order by connector collate "C"`
      return rows.map(({ state }) => JSON.parse(state))
    },
    async seen(id: string): Promise<Seen> {
      const [row] = await sql<{ seen: string }[]>`
        select seen::text from connector_state where connector = ${id}`
      return row ? JSON.parse(row.seen) : NOTHING_SEEN
    },
    async save(record: ConnectorRecord, seen: Seen) {
      await sql`
        with saved as (
          insert into connector_state (connector, state, seen)
          values (
            ${record.id}, ${JSON.stringify(record)}::text::jsonb,
            ${JSON.stringify(seen)}::text::jsonb
          )
          on conflict (connector) do update set state = excluded.state, seen = excluded.seen
          returning 1
        )
        select ${announced(database, { kind: 'feeds' })} from saved`
    },
  }
}
