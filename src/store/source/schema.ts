import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { ConnectorRecord, Seen } from '~/domain/feed/connector.ts'
import type { SourceRecord } from '~/domain/source/state.ts'

/** What all processes know about each bank: how asking it went, and what it stated last. */
export const quoteSourceState = pgTable('quote_source_state', {
  source: text('source').primaryKey(),
  state: jsonb('state').$type<SourceRecord>().notNull(),
})

/** What all processes know about each connector: how its runs went, and what it read before. */
export const connectorState = pgTable('connector_state', {
  connector: text('connector').primaryKey(),
  state: jsonb('state').$type<ConnectorRecord>().notNull(),
  seen: jsonb('seen').$type<Seen>().notNull(),
})
