import { join } from 'node:path'
import { connect, type Sql } from '~/store/database.ts'
import { command } from '../bench/process.ts'

/** A database of the run. */
export type Side = {
  readonly name: string
  readonly url: string
  readonly sql: Sql
  /** Keys by their tier. */
  readonly keys: { readonly hourly: string; readonly realtime: string }
  close(): Promise<void>
}

type Place = {
  readonly name: string
  readonly url: string
  /** Says whether its tables are distributed over the workers. */
  readonly isDistributed: boolean
}

/** The schema that marks a database as emptied by us. */
const MARK = 'corridor_citus_run'

/** A database emptied, migrated, distributed if required, with two accounts. */
export async function openSide({ name, url, isDistributed }: Place): Promise<Side> {
  await prepared(url, async (sql) => {
    if (isDistributed && !(await hasCitus(sql)))
      throw new Error(`${name} has no extension citus: give the URL of a coordinator`)
    await empty(sql, name)
  })
  const settings = { DATABASE_URL: url }
  await command(['migrate'], settings)
  if (isDistributed) await command(['distribute'], settings)
  const keyOf = async (plan: string) => {
    const email = `${plan}@example.com`
    const args = ['--email', email, '--plan', plan, '--role', 'treasury', '--json']
    return JSON.parse(await command(['account', 'create', ...args], settings)).key as string
  }
  const keys = { hourly: await keyOf('pro'), realtime: await keyOf('enterprise') }
  const sql = connect(url)
  return { name, url, sql, keys, close: () => sql.end() }
}

/** Runs work on a connection that is closed before any other opens. */
async function prepared(url: string, work: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = connect(url, { connectionsMax: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}

const hasCitus = async (sql: Sql): Promise<boolean> =>
  (await sql`select from pg_extension where extname = 'citus'`).length > 0

/** Deletes what an earlier run left. Throws for a database that was filled otherwise. */
export async function empty(sql: Sql, name: string): Promise<void> {
  const [held] = await sql`
    select to_regnamespace(${MARK}) is not null as is_ours,
      exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|citus|columnar|information_schema)')
        as is_filled`
  if (held!.is_filled && !held!.is_ours)
    throw new Error(`${name} has tables: give the URL of an empty database, which the run may use`)
  // The mark stays while everything else is dropped, so that an interrupted run leaves it.
  await sql`create schema if not exists ${sql(MARK)}`
  const schemas = await sql<{ name: string }[]>`
    select n.nspname as name from pg_namespace n
    where n.nspname !~ '^(pg_|information_schema|public$)' and n.nspname <> ${MARK} and not exists (
      select from pg_depend where objid = n.oid and deptype = 'e')`
  for (const schema of schemas) await sql`drop schema ${sql(schema.name)} cascade`
  for (const kind of Object.keys(THINGS) as Thing[])
    for (const { name } of await sql.unsafe<{ name: string }[]>(THINGS[kind]))
      await sql.unsafe(`drop ${kind} if exists ${name} cascade`)
}

const isOurs = (id: string, schema: string): string => `
  ${schema} = 'public'::regnamespace and not exists (
    select from pg_depend where objid = ${id} and deptype = 'e')`

/** Objects that may depend on an extension in the schema that is not dropped. */
const THINGS = {
  table: `select oid::regclass::text as name from pg_class
    where relkind in ('r', 'p') and ${isOurs('oid', 'relnamespace')}`,
  sequence: `select oid::regclass::text as name from pg_class
    where relkind = 'S' and ${isOurs('oid', 'relnamespace')}`,
  routine: `select oid::regprocedure::text as name from pg_proc
    where ${isOurs('oid', 'pronamespace')}`,
  type: `select oid::regtype::text as name from pg_type
    where typtype = 'e' and ${isOurs('oid', 'typnamespace')}`,
}

type Thing = keyof typeof THINGS

/** Applies a catalogue, as an operator does while the service runs. */
export async function applyCatalogue(
  { url }: Pick<Side, 'url'>,
  { folder, catalogue }: { readonly folder: string; readonly catalogue: object },
): Promise<void> {
  const file = join(folder, 'catalogue.json')
  await Bun.write(file, JSON.stringify(catalogue))
  await command(['catalogue', 'apply', file], { DATABASE_URL: url })
}

/** Imports rows, as an operator does while the service runs. */
export async function importRows(
  { url }: Pick<Side, 'url'>,
  { folder, rows }: { readonly folder: string; readonly rows: readonly object[] },
): Promise<void> {
  const file = join(folder, 'rows.ndjson')
  await Bun.write(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  await command(['observations', 'import', file], { DATABASE_URL: url })
}
