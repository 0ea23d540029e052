import { afterAll, expect, test } from 'bun:test'
import { connect, type Sql } from '~/store/database.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { empty } from './sides.ts'

const database = await emptyDatabase()
afterAll(() => database.close())

const tablesOf = async (sql: Sql) => {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`
  return rows.map(({ name }) => name)
}

test('a run empties its own database after one that ended between two drops', async () => {
  const { sql, url } = database
  await empty(sql, 'plain')
  await sql`create table dropped ()`
  await sql`create table locked ()`
  const ending = connect(url, { connectionsMax: 1 })
  await ending`set lock_timeout = 1`
  await sql.begin(async (tx) => {
    await tx`lock table locked`
    await expect(empty(ending, 'plain')).rejects.toThrow('lock timeout')
  })
  await ending.end()
  expect(await tablesOf(sql)).toEqual(['locked'])
  await empty(sql, 'plain')
  expect(await tablesOf(sql)).toEqual([])
})

test('a database with tables of another owner is refused', async () => {
  const other = await emptyDatabase()
  await other.sql`create table theirs ()`
  await expect(empty(other.sql, 'plain')).rejects.toThrow('plain has tables')
  expect(await tablesOf(other.sql)).toEqual(['theirs'])
  await other.close()
})
