import type { Sql, TransactionSql } from '~/store/database.ts'
import { isBusy } from '~/store/month/briefly.ts'
import { makePruningFunctions } from './pruning-functions.ts'
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, REFERENCE_TABLES, REFUSAL } from './shape.ts'

const TABLES = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES]

/** Moved tables; keys that hold the corridor from now on; foreign keys and triggers given up. */
type Distributed = {
  readonly rows: Readonly<Record<string, number>>
  readonly widened: readonly string[]
  readonly givenUp: readonly string[]
}

type Step = (what: string) => void

/** Long enough for the server to make its own vacuum give way. */
const LOCK_WAIT = '2s'

/**
 * Moves the tables of `shape.ts` to the workers, in one transaction: all of them or none. The rows
 * are counted before and after. No other session may use the tables meanwhile; it throws if one
 * does.
 */
export async function distribute(sql: Sql, shards: number, step: Step): Promise<Distributed> {
  return sql.begin(async (tx) => {
    await tx`set local citus.multi_shard_modify_mode = 'sequential'`
    await tx`set local citus.enable_unsafe_triggers = on`
    await tx`set local citus.shard_replication_factor = 1`
    await tx.unsafe(`set local citus.shard_count = ${shards}`)
    await locked(tx)
    const rows = await counted(tx)
    const keys = await foreignKeys(tx)
    const triggers = await triggersOf(tx)
    for (const { table, name } of keys)
      await tx.unsafe(`alter table ${table} drop constraint ${name}`)
    for (const { table, name } of triggers) await tx.unsafe(`drop trigger ${name} on ${table}`)
    const widened = await widenKeys(tx)
    await plainSequences(tx)
    for (const table of TABLES) {
      step(`moving ${rows[table]} rows of ${table}`)
      await placed(tx, table)
    }
    for (const key of keys)
      if (key.is_inside) {
        step(`checking ${key.name}`)
        await tx.unsafe(`alter table ${key.table} add constraint ${key.name} ${key.definition}`)
      }
    for (const trigger of triggers) if (trigger.is_refusal) await refusing(tx, trigger)
    await requireOffersOfShards(tx)
    await makePruningFunctions(tx)
    assertSame(rows, await counted(tx))
    await keepSettings(tx)
    return { rows, widened, givenUp: givenUp(keys, triggers) }
  })
}

async function locked(tx: TransactionSql): Promise<void> {
  await tx`select set_config('lock_timeout', ${LOCK_WAIT}, true)`
  try {
    await tx.unsafe(`lock table ${TABLES.join()} in access exclusive mode`)
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    throw new Error(
      'nothing was changed: another session, such as psql or pg_dump, is using the tables. ' +
        'End it and run this again. To see them: SELECT pid, client_addr, application_name, ' +
        'query FROM pg_stat_activity WHERE datname = current_database()',
      { cause },
    )
  }
  await tx`set local lock_timeout to default`
}

/**
 * Settings without which the workers can neither create nor prune months; and one that ends a
 * statement abandoned by its service, as all others wait for a commit that hangs on a worker.
 */
async function keepSettings(tx: TransactionSql): Promise<void> {
  await tx`
    do $$ begin
      execute format('alter database %I set citus.enable_unsafe_triggers = on', current_database());
      execute format('alter database %I set citus.propagate_set_commands = local',
        current_database());
      execute format('alter database %I set client_connection_check_interval = %L',
        current_database(), '1s');
    end $$`.simple()
}

async function counted(tx: TransactionSql): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of TABLES) {
    const [row] = await tx.unsafe<[{ count: string }]>(`select count(*) as count from ${table}`)
    rows[table] = Number(row.count)
  }
  return rows
}

type Key = {
  readonly table: string
  readonly name: string
  readonly definition: string
  /** Says whether both of its tables are moved; no other table's key can refer to them. */
  readonly is_inside: boolean
}

const foreignKeys = (tx: TransactionSql) => tx<Key[]>`
  with moved as (
    select to_regclass('public.' || quote_ident(name)) as id from unnest(${TABLES}::text[]) as name
  )
  select conrelid::regclass::text as table, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition,
    conrelid in (select id from moved) and confrelid in (select id from moved) as is_inside
  from pg_constraint
  where contype = 'f' and conparentid = 0
    and (conrelid in (select id from moved) or confrelid in (select id from moved))
  order by 1, 2`

type Trigger = {
  readonly table: string
  readonly name: string
  readonly definition: string
  readonly is_refusal: boolean
}

/** The triggers of the tables and of the parts of observations, except inherited ones. */
const triggersOf = (tx: TransactionSql) => tx<Trigger[]>`
  select tgrelid::regclass::text as table, quote_ident(tgname) as name,
    pg_get_triggerdef(pg_trigger.oid) as definition, proname = ${REFUSAL} as is_refusal
  from pg_trigger join pg_proc on pg_proc.oid = tgfoid
  where not tgisinternal and tgparentid = 0 and tgrelid in (
    select to_regclass('public.' || quote_ident(name)) from unnest(${TABLES}::text[]) as name
    union all select inhrelid from pg_inherits where inhparent = 'public.observations'::regclass
  )
  order by 1, 2`

/**
 * Creates a refusing trigger again. Its TRUNCATE event becomes a separate trigger, since shards
 * accept none for TRUNCATE and would lack the whole trigger.
 */
async function refusing(tx: TransactionSql, { table, name, definition }: Trigger): Promise<void> {
  const kept = definition.replace(' OR TRUNCATE', '')
  await tx.unsafe(kept)
  if (kept !== definition)
    await tx.unsafe(`create trigger ${name}_whole before truncate on ${table}
      for each statement execute function ${REFUSAL}()`)
}

/** Adds the corridor to the keys that lack it, since a worker can only watch over its own rows. */
async function widenKeys(tx: TransactionSql): Promise<string[]> {
  const narrow = await tx<{ table: string; name: string; kind: string; columns: string }[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name,
      case contype when 'p' then 'primary key' else 'unique' end as kind, columns
    from pg_constraint, lateral (
      select string_agg(quote_ident(attname), ', ' order by place) as columns,
        bool_or(attname = ${DISTRIBUTION_COLUMN}) as is_wide
      from unnest(conkey) with ordinality as key (number, place)
      join pg_attribute on attrelid = conrelid and attnum = number
    ) named
    where contype in ('p', 'u') and not is_wide
      and conrelid = any(${DISTRIBUTED_TABLES.map((name) => `public.${name}`)}::regclass[])`
  for (const { table, name, kind, columns } of narrow)
    await tx.unsafe(`alter table ${table} drop constraint ${name},
      add constraint ${name} ${kind} (${columns}, ${DISTRIBUTION_COLUMN})`)
  return narrow.map(({ table, name }) => `${table}.${name}`)
}

/**
 * Gives ids a default from sequences, as columns of type integer of a distributed table cannot be
 * identities; the sequences keep their names and their position.
 */
async function plainSequences(tx: TransactionSql): Promise<void> {
  const ids = await tx<{ table: string; column: string; type: string; sequence: string }[]>`
    select attrelid::regclass::text as table, attname as column,
      format_type(atttypid, null) as type,
      pg_get_serial_sequence(attrelid::regclass::text, attname) as sequence
    from pg_attribute
    where attidentity <> '' and not attisdropped
      and attrelid = any(${TABLES.map((name) => `public.${name}`)}::regclass[])`
  for (const { table, column, type, sequence } of ids) {
    const [at] = await tx.unsafe<[{ last_value: string; is_called: boolean }]>(
      `select last_value, is_called from ${sequence}`,
    )
    const readers = await readersOf(tx, sequence)
    await tx.unsafe(`alter table ${table} alter ${column} drop identity`)
    await tx.unsafe(`create sequence ${sequence} as ${type} owned by ${table}.${column}`)
    await tx`select setval(${sequence}::regclass, ${at.last_value}::bigint, ${at.is_called})`
    await tx.unsafe(`alter table ${table} alter ${column} set default nextval('${sequence}')`)
    for (const role of readers)
      await tx.unsafe(`grant select, usage on sequence ${sequence} to ${role}`)
  }
}

/** Roles that may read a sequence, as those that only serve may: they take ids from it now. */
async function readersOf(tx: TransactionSql, sequence: string): Promise<string[]> {
  const rows = await tx<{ role: string }[]>`
    select distinct grantee::regrole::text as role from pg_class, aclexplode(relacl)
    where oid = ${sequence}::regclass and privilege_type = 'SELECT' and grantee <> relowner
      and grantee <> 0`
  return rows.map(({ role }) => role)
}

/** Creates the shards of a table and moves its rows there, so that none stay behind unseen. */
async function placed(tx: TransactionSql, table: string): Promise<void> {
  const [first] = DISTRIBUTED_TABLES
  if (REFERENCE_TABLES.includes(table)) await tx`select create_reference_table(${table})`
  else
    await tx`
      select create_distributed_table(${table}, ${DISTRIBUTION_COLUMN},
        colocate_with => ${table === first ? 'none' : first!})`
  await tx`select truncate_local_data_after_distributing_table(${table})`
}

/**
 * Makes the shards of observations check that an offer exists, in the shard of offers next to them:
 * a trigger on a worker may query that one only.
 */
async function requireOffersOfShards(tx: TransactionSql): Promise<void> {
  await tx`
    create or replace function require_offer_of_shard() returns trigger language plpgsql as $$
    declare
      is_there boolean;
    begin
      execute format('select exists (select from public.%I
          where id = $1 and corridor_id = $2 and provider_corridor_id = $3)',
        'offers_' || get_shard_id_for_distribution_column('public.offers', NEW.corridor_id))
        into is_there using NEW.offer_id, NEW.corridor_id, NEW.provider_corridor_id;
      if not is_there then
        raise exception 'the series % has no offer %', NEW.provider_corridor_id, NEW.offer_id
          using errcode = 'foreign_key_violation', constraint = 'observations_offer';
      end if;
      return null;
    end $$`.simple()
  await tx`
    create trigger observations_offer after insert on observations
    for each row when (NEW.offer_id <> 0) execute function require_offer_of_shard()`
}

function assertSame(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): void {
  for (const table of TABLES)
    if (before[table] !== after[table])
      throw new Error(
        `${table} had ${before[table]} rows and has ${after[table]} on the workers: ` +
          'nothing was changed',
      )
}

const givenUp = (keys: readonly Key[], triggers: readonly Trigger[]): string[] => [
  ...keys.filter(({ is_inside }) => !is_inside).map(({ table, name }) => `${table}.${name}`),
  ...triggers
    .filter(({ is_refusal, name }) => !is_refusal && name !== 'observations_offer')
    .map(({ table, name }) => `${table}.${name}`),
]
