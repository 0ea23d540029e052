import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as alerting from '~/store/alert/schema.ts'
import * as evidence from '~/store/evidence/schema.ts'
import * as files from '~/store/file/schema.ts'
import * as known from '~/store/known/schema.ts'
import { offers } from '~/store/offer/schema.ts'
import * as past from '~/store/past/schema.ts'
import * as factors from '~/store/portal/factor-schema.ts'
import * as connections from '~/store/portal/oauth-schema.ts'
import * as portal from '~/store/portal/schema.ts'
import * as recording from '~/store/recording/schema.ts'
import * as references from '~/store/reference-schema.ts'
import * as schema from '~/store/schema.ts'
import { versionOf } from '~/store/schema-version.ts'
import * as sources from '~/store/source/schema.ts'

export type Table = { readonly name: string; readonly columns: readonly string[] }

/** The schema files whose tables are in backups; derived tables are not among them. */
const STORED: readonly object[] = [
  ...[schema, recording, known, past, files, references],
  ...[portal, sources, connections, factors, alerting, evidence],
]

/**
 * Every table of ours that is not derived from others, each after those that it refers to. Offers
 * come first, as observations refer to them by a trigger.
 */
export const TABLES: readonly Table[] = ordered(
  [{ offers }, ...STORED]
    .flatMap((module): unknown[] => Object.values(module))
    .filter((value) => is(value, PgTable)),
)

function ordered(tables: readonly PgTable[]): Table[] {
  const placed: PgTable[] = []
  const place = (table: PgTable): void => {
    if (placed.includes(table)) return
    for (const { reference } of getTableConfig(table).foreignKeys) place(reference().foreignTable)
    placed.push(table)
  }
  for (const table of tables) place(table)
  return placed.map((table) => {
    const { name, columns } = getTableConfig(table)
    return { name, columns: columns.map((column) => column.name) }
  })
}

/** Tables that backups of an older schema do not have, by the migration that created them. */
export const NEWER_TABLES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '0011_offers': 'offers',
    '0013_day_files': 'day_files',
    '0014_quote_sources': 'quote_source_state',
    '0015_connections': 'oauth_clients oauth_consents oauth_refresh_tokens oauth_access_tokens',
    '0016_alerts': 'alerts alert_deliveries',
    '0024_second_factors': 'portal_two_factors portal_passkeys',
    '0025_withdrawals': 'recorders withdrawals',
    '0032_reference_support': 'reference_answers',
    '0033_connectors': 'connector_state',
    '0035_verifiable_log': 'log_state log_tiles log_leaves log_spans log_checkpoints log_keys',
    '0036_uploads': 'upload_drafts upload_layouts uploads',
    '0037_known_at': 'catalogue_history late_commits day_file_editions',
    '0038_files': 'files file_parts',
  }).flatMap(([tag, names]) => names.split(' ').map((name) => [name, versionOf(tag)] as const)),
)
