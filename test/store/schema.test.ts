import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { getTableColumns, is } from 'drizzle-orm'
import { isPgEnum, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '~/store/database.ts'
import { observations } from '~/store/schema.ts'
import { freshDatabase } from '../support/postgres.ts'

const ROOT = join(import.meta.dir, '../..')

/** Everything that the schema files export, as the generator of migrations reads them. */
async function exportsOf(): Promise<Record<string, unknown>> {
  const files = [...new Bun.Glob('src/store/**/*schema.ts').scanSync(ROOT)]
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file))))
  return Object.assign({}, ...modules)
}

let schema: Record<string, unknown>
let database: Database

beforeAll(async () => {
  schema = await exportsOf()
  database = await freshDatabase()
}, 120_000)

describe('the schema files', () => {
  test('agree with the last migration, by the check of drizzle-kit', async () => {
    const metas = [...new Bun.Glob('drizzle/meta/*_snapshot.json').scanSync(ROOT)].sort()
    const last = await Bun.file(join(ROOT, metas.at(-1)!)).json()
    const now = generateDrizzleJson(schema, last.id)
    expect(await generateMigration(last, now)).toEqual([])
  })

  test('have the columns of a migrated database', async () => {
    const tables = Object.values(schema).filter((one): one is PgTable => is(one, PgTable))
    expect(tables.length).toBeGreaterThan(20)
    const rows = await database.sql<{ name: string }[]>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public'`
    const known = new Set(rows.map(({ name }) => name))
    const missing = tables.flatMap((table) => {
      const { [Symbol.for('drizzle:Name')]: name } = table as unknown as Record<symbol, string>
      const columns = Object.values(getTableColumns(table))
      return columns.map((column) => `${name}.${column.name}`).filter((one) => !known.has(one))
    })
    expect(missing).toEqual([])
  })

  test('have exactly the enum values of a migrated database', async () => {
    const enums = Object.values(schema).filter(isPgEnum)
    expect(enums.length).toBeGreaterThan(5)
    const rows = await database.sql<{ name: string; words: string[] }[]>`
      select typname as name, array_agg(enumlabel::text order by enumsortorder) as words
      from pg_type join pg_enum on enumtypid = pg_type.oid group by typname order by typname`
    const said = enums.map(({ enumName, enumValues }) => [enumName, [...enumValues].sort()])
    expect(Object.fromEntries(said)).toEqual(
      Object.fromEntries(rows.map(({ name, words }) => [name, [...words].sort()])),
    )
  })

  test('have each column of an observation wherever its row is copied', async () => {
    const columns = Object.values(getTableColumns(observations)).map(({ name }) => name)
    const rows = await database.sql<{ place: string; names: string[] }[]>`
      select table_schema || '.' || table_name as place, array_agg(column_name::text) as names
      from information_schema.columns group by 1`
    const named = new Map(rows.map(({ place, names }) => [place, names]))
    const [move] = await database.sql<{ source: string }[]>`
      select prosrc as source from pg_proc where proname = 'withdraw_observations'`
    named.set('withdraw_observations', move!.source.split(/\W+/))
    const lacking = COPIES.flatMap((place) =>
      columns.filter((name) => !named.get(place)!.includes(name)).map((name) => `${place}.${name}`),
    )
    expect(lacking).toEqual([])
  })

  test('have each column of a table in its view of the schema known', async () => {
    const rows = await database.sql<{ view: string; lacking: string[] | null }[]>`
      select 'known.' || v.table_name as view,
        array_agg(c.column_name::text) filter (where not exists (
          select from information_schema.columns k where k.table_schema = 'known'
            and k.table_name = c.table_name and k.column_name = c.column_name
        )) as lacking
      from information_schema.views v
      join information_schema.columns c on c.table_schema = 'public' and c.table_name = v.table_name
      where v.table_schema = 'known' group by 1 order by 1`
    expect(rows.map(({ view }) => view)).toContain('known.withdrawals')
    expect(rows.filter(({ lacking }) => lacking)).toEqual([])
  })
})

/** Tables, views and a function that have the rows of observations, each with its own columns. */
const COPIES = [
  ...['public.withdrawals', 'public.observation_blocks', 'withdraw_observations'],
  ...['known.observations', 'known.kept_observations', 'known.withdrawn_observations'],
]
