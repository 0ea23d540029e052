import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { connect, openDatabase, type Sql } from '~/store/database.ts'
import { onOwnConnection, WAITING_MS_MAX } from '~/store/own-connection.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

const pidOf = async (sql: Sql): Promise<number> => {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  return row.pid
}
const pid = () => onOwnConnection(database.sql, pidOf)

const isThere = async (pid: number): Promise<boolean> =>
  (await database.sql`select from pg_stat_activity where pid = ${pid}`).length > 0

const locksOf = async (pid: number): Promise<number> =>
  (await database.sql`select from pg_locks where pid = ${pid} and locktype = 'advisory'`).length

describe('onOwnConnection', () => {
  test('works on the connection of the work before, outside the pool, without its locks', async () => {
    const first = await onOwnConnection(database.sql, async (own) => {
      await own`select pg_advisory_lock(7), pg_advisory_lock(8)`
      return pidOf(own)
    })
    expect(await locksOf(first)).toBe(0)
    expect(await pid()).toBe(first)
    const others = await Promise.all(Array.from({ length: 8 }, () => pidOf(database.sql)))
    expect(others).not.toContain(first)
  })

  test('gives works that overlap a connection each', async () => {
    const both = Promise.withResolvers<void>()
    const pids: number[] = []
    const work = async (own: Sql) => {
      if (pids.push(await pidOf(own)) === 2) both.resolve()
      await both.promise
    }
    await Promise.all([onOwnConnection(database.sql, work), onOwnConnection(database.sql, work)])
    expect(new Set(pids).size).toBe(2)
    expect(pids).toContain(await pid())
  })

  test('keeps the connection, without its locks, after a work that fails', async () => {
    let failed = 0
    const work = async (own: Sql) => {
      failed = await pidOf(own)
      await own`select pg_advisory_lock(7)`
      throw new Error('no')
    }
    expect(await onOwnConnection(database.sql, work).catch(({ message }) => message)).toBe('no')
    expect(await locksOf(failed)).toBe(0)
    expect(await pid()).toBe(failed)
  })

  test('works after the server ended the connection that waits', async () => {
    const before = await pid()
    await database.sql`select pg_terminate_backend(${before})`
    await until('the end of the connection', async () => !(await isThere(before)))
    expect(await isThere(await pid())).toBe(true)
  })

  test('works on a new connection when those that wait are silent', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const url = new URL(database.url)
    url.port = String(proxy.port)
    const sql = connect(url.href)
    const before = await Promise.all([onOwnConnection(sql, pidOf), onOwnConnection(sql, pidOf)])
    expect(proxy.mute('pg_advisory_unlock_all')).toBe(2)
    const after = await onOwnConnection(sql, pidOf)
    expect(before).not.toContain(after)
    expect(await onOwnConnection(sql, pidOf)).toBe(after)
    await sql.end()
    proxy.close()
  })

  test.each(['before', 'after'])(
    'closes it with the database, when the work ended %s that',
    async (order) => {
      const opened = await openDatabase({
        ...{ databaseUrl: database.url, dataDir: '', use: 'command', say: () => {} },
      })
      const wait = setTimeout
      const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((
        work: () => void,
        ms: number,
      ) => wait(ms === WAITING_MS_MAX ? () => {} : work, ms)) as typeof setTimeout)
      const [begun, may] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
      const work = onOwnConnection(opened.sql, async (own) => {
        begun.resolve(await pidOf(own))
        await may.promise
      })
      const pid = await begun.promise
      if (order === 'after') await opened.close()
      may.resolve()
      await work
      await opened.close()
      await until('the end of the connection', async () => !(await isThere(pid)))
      timers.mockRestore()
    },
  )
})
