import type { Sql } from './database.ts'

type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'

const READ: readonly Right[] = ['SELECT']
const ADD: readonly Right[] = ['SELECT', 'INSERT']
const CHANGE: readonly Right[] = ['SELECT', 'INSERT', 'UPDATE']
const KEEP_NEW: readonly Right[] = ['SELECT', 'INSERT', 'DELETE']
const REMOVE: readonly Right[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/**
 * The rights on each table of a database user that only serves: everything that the service and its
 * commands need, and nothing else. ops/compose/service-rights.sql has these in SQL.
 */
export const TABLE_RIGHTS: Readonly<Record<string, readonly Right[]>> = {
  'drizzle.__drizzle_migrations': READ,
  'public.accounts': CHANGE,
  'public.alert_deliveries': REMOVE,
  'public.alerts': REMOVE,
  'public.archived_months': READ,
  'public.audit_log': ADD,
  'public.backups': ADD,
  'public.catalogue_history': ADD,
  'public.changes': KEEP_NEW,
  'public.connector_state': CHANGE,
  'public.corridors': ADD,
  'public.currencies': CHANGE,
  'public.currency_activity': ADD,
  'public.day_file_editions': KEEP_NEW,
  'public.day_files': KEEP_NEW,
  'public.file_parts': KEEP_NEW,
  'public.files': KEEP_NEW,
  'public.idempotency': REMOVE,
  'public.keys': CHANGE,
  'public.late_commits': ADD,
  'public.log_checkpoints': REMOVE,
  'public.log_keys': CHANGE,
  'public.log_leaves': CHANGE,
  'public.log_spans': ADD,
  'public.log_state': CHANGE,
  'public.log_tiles': CHANGE,
  'public.oauth_access_tokens': REMOVE,
  'public.oauth_clients': REMOVE,
  'public.oauth_consents': REMOVE,
  'public.oauth_refresh_tokens': REMOVE,
  'public.long_prices': ADD,
  'public.observation_blocks': READ,
  'public.observations': ADD,
  'public.offers': ADD,
  'public.open_streams': KEEP_NEW,
  'public.portal_attempts': REMOVE,
  'public.portal_credentials': CHANGE,
  'public.portal_passkeys': REMOVE,
  'public.portal_secret': ADD,
  'public.portal_sessions': REMOVE,
  'public.portal_two_factors': REMOVE,
  'public.portal_users': REMOVE,
  'public.portal_verifications': REMOVE,
  'public.provider_activity': ADD,
  'public.provider_corridors': ADD,
  'public.providers': CHANGE,
  'public.prunings': ADD,
  'public.quote_source_state': CHANGE,
  'public.recorders': ADD,
  'public.reference_answers': ADD,
  'public.reference_feed_state': CHANGE,
  'public.reference_rates': ADD,
  'public.reference_snapshots': ADD,
  'public.rollups': REMOVE,
  'public.upload_drafts': REMOVE,
  'public.upload_layouts': REMOVE,
  'public.uploads': CHANGE,
  'public.usage': CHANGE,
  'public.usage_meters': REMOVE,
  'public.usage_shares': REMOVE,
  'public.withdrawals': ADD,
}

/** Rights that the connection's user lacks. */
type Missing = { readonly what: string; readonly rights: string; readonly role: string }

/**
 * Fails with the GRANTs to run if the connection's user lacks a right that a service or one of its
 * commands needs. Tables that do not exist yet are skipped: the user who migrates will own them.
 */
export async function requireRights(sql: Sql, { prunes }: { prunes: boolean }): Promise<void> {
  const missing = [
    ...(await missingOnSchemas(sql)),
    ...(await missingOnTables(sql)),
    ...(await missingOnViews(sql)),
    ...(await missingOnSequences(sql)),
    ...(await missingOnFunctions(sql, prunes ? OWN : [...OWN, ...PRUNING])),
    ...(await missingOnDatabase(sql)),
  ]
  const [first] = missing
  if (!first) return
  const grants = [...Map.groupBy(missing, ({ rights }) => rights)].map(
    ([rights, of]) => `GRANT ${rights} ${of.map(({ what }) => what).join(', ')} TO ${first.role}`,
  )
  throw new Error(
    `the database user ${first.role} lacks privileges that the service needs; ` +
      `run as the user that owns the tables: ${grants.join('; ')}`,
  )
}

const missingOnSchemas = (sql: Sql) => sql<Missing[]>`
  select nspname as what, 'USAGE ON SCHEMA' as rights, format('%I', current_user) as role
  from pg_namespace where nspname in ('public', 'drizzle', 'known')
    and not has_schema_privilege(oid, 'USAGE')`

async function missingOnTables(sql: Sql): Promise<Missing[]> {
  const wanted = Object.entries(TABLE_RIGHTS).flatMap(([table, rights]) =>
    rights.map((right) => ({ table, right })),
  )
  return sql<Missing[]>`
    select wanted.table as what, format('%I', current_user) as role,
      string_agg(wanted.right, ', ' order by wanted.place) || ' ON' as rights
    from unnest(
      ${wanted.map(({ table }) => table)}::text[], ${wanted.map(({ right }) => right)}::text[]
    ) with ordinality as wanted("table", "right", place)
    join pg_class c on c.relname = split_part(wanted.table, '.', 2)
    join pg_namespace n on n.oid = c.relnamespace
      and n.nspname = split_part(wanted.table, '.', 1)
    where not has_table_privilege(c.oid, wanted.right)
    group by wanted.table order by wanted.table`
}

/** The views of the data known earlier. */
const missingOnViews = (sql: Sql) => sql<Missing[]>`
  select c.oid::regclass::text as what, 'SELECT ON' as rights,
    format('%I', current_user) as role
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'known' and not has_table_privilege(c.oid, 'SELECT')
  order by 1`

/** Sequences that a column takes its values from by a default, as in a distributed database. */
const missingOnSequences = (sql: Sql) => sql<Missing[]>`
  select s.oid::regclass::text as what, 'USAGE ON SEQUENCE' as rights,
    format('%I', current_user) as role
  from pg_class s join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass
  where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace and d.deptype = 'a'
    and d.refobjsubid > 0
    and case when s.relkind = 'S' then not has_sequence_privilege(s.oid, 'USAGE') end
  order by 1`

/** Functions that only the owner of the tables calls. */
const OWN = ['add_observation_months', 'archived_columns', 'keep_observations', 'note_archive']
/** Functions that a service calls only if it prunes, and commands if they archive. */
const PRUNING = [
  'prune_observations',
  'prove_early_observations',
  'drop_observation_month',
  'prune_placed_observations',
  'prune_withdrawals',
  'announce_archive',
  'archive_observations',
  'compact_observation_month',
  'forget_archive',
]

/** Functions of the schema but those of these names; a trigger needs no right to call its own. */
const missingOnFunctions = (sql: Sql, but: readonly string[]) => sql<Missing[]>`
  select p.oid::regprocedure::text as what, 'EXECUTE ON FUNCTION' as rights,
    format('%I', current_user) as role
  from pg_proc p join pg_class c
    on c.relname = 'observations' and c.relnamespace = p.pronamespace and c.relowner = p.proowner
  where pronamespace = 'public'::regnamespace
    and prorettype <> 'trigger'::regtype and proname <> all(${[...but]}::text[])
    and not exists (
      select from pg_depend d
      where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    and not has_function_privilege(p.oid, 'EXECUTE')
  order by 1`

/** Imports compare their rows in tables that end with them. */
const missingOnDatabase = (sql: Sql) => sql<Missing[]>`
  select format('%I', current_database()) as what, 'TEMPORARY ON DATABASE' as rights,
    format('%I', current_user) as role
  where not has_database_privilege(current_database(), 'TEMPORARY')`
