import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from '~/store/database.ts'
import { isOutage } from '~/store/outage.ts'
import { ownConnection } from '~/store/own-connection.ts'
import { DatabaseProxy } from '../fault/proxy.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

const START_MS_MAX = 30_000

let database: FreshDatabase
let proxy: DatabaseProxy
let url: string

beforeAll(async () => {
  database = await freshDatabase()
  const behind = new URL(database.url)
  proxy = await DatabaseProxy.to(Number(behind.port))
  behind.port = String(proxy.port)
  url = behind.href
}, START_MS_MAX)

afterAll(async () => {
  proxy.close()
  await database.close()
})

test('a connection that dies silently fails its queries and is replaced', async () => {
  const sql = connect(url, { connectionsMax: 1, silenceSeconds: 1 })
  await sql`select 1`
  proxy.silence()
  proxy.mend({ isOldCut: false })
  const asked = [sql`select 2`, sql`select 3`].map((query) => query.catch((error) => error))
  expect((await Promise.all(asked)).map(isOutage)).toEqual([true, true])
  expect([...(await sql`select 4 as four`)]).toEqual([{ four: 4 }])
  await sql.end()
})

test('a connection that is idle, or gets its response in time, stays open', async () => {
  const sql = connect(url, { connectionsMax: 1, silenceSeconds: 2 })
  const pid = () => sql`select pg_backend_pid() as pid`
  const [before] = await pid()
  await sql`select pg_sleep(1)`
  await Bun.sleep(2600)
  expect([...(await pid())]).toEqual([before!])
  await sql.end()
})

test('a connection of its own waits for as long as its statement takes', async () => {
  const pool = connect(url, { connectionsMax: 1, silenceSeconds: 1 })
  const sql = ownConnection(pool)
  expect(await sql`select pg_sleep(1.6)`).toHaveLength(1)
  await Promise.all([sql.end(), pool.end()])
})
