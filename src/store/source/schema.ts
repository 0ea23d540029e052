import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { ConnectorRecord, Seen } from '~/domain/feed/connector.ts'
import type { SourceRecord } from '~/domain/source/state.ts'

/** State of each bank, shared by all processes: requests, and the rates published last. */
export const quoteSourceState = pgTable('quote_source_state', {
  source: text('source').primaryKey(),
  state: jsonb('state').$type<SourceRecord>().notNull(),
})

/** State of each connector that all processes share: its runs, and what it read before. */
export const connectorState = pgTable('connector_state', {
  connector: text('connector').primaryKey(),
  state: jsonb('state').$type<ConnectorRecord>().notNull(),
  seen: jsonb('seen').$type<Seen>().notNull(),
})
