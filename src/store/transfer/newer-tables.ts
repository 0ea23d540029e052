import { versionOf } from '~/store/schema-version.ts'

/** Tables that backups of an older schema do not have, by the migration that made them. */
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
