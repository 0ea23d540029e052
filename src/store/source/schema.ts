import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { SourceRecord } from '~/domain/source/state.ts'

/** What all processes know about each bank: how asking it went, and what it stated last. */
export const quoteSourceState = pgTable('quote_source_state', {
  source: text('source').primaryKey(),
  state: jsonb('state').$type<SourceRecord>().notNull(),
})
