import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Sql } from '~/store/database.ts'
import { isOutage } from '~/store/outage.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const WATCHED_MS = 3000
/**
 * Maximum attempts: one each half second for every connection of the pool, and the existing ones.
 */
const attemptsMax = (ms: number) => 2 * (ms / 500 + 2)

let database: FreshDatabase
let proxy: DatabaseProxy
let sql: Sql

beforeAll(async () => {
  database = await freshDatabase()
}, TEST_MS_MAX)
beforeEach(async () => {
  proxy = await DatabaseProxy.to(database.url)
  const url = new URL(database.url)
  url.port = String(proxy.port)
  sql = connect(url.href, { connectionsMax: 2 })
})
afterEach(async () => {
  await sql.end({ timeout: 0 })
  proxy.close()
})
afterAll(() => database.close())

const failureOf = (query: PromiseLike<unknown>) =>
  Promise.resolve(query).then(
    () => null,
    (error: unknown) => error,
  )

describe('a server that accepts connections and drops them', () => {
  test('is tried twice a second and not hundreds of times, and fails each query', async () => {
    await sql`select 1`
    proxy.isDropping = true
    proxy.cut()
    proxy.connections = 0
    const startMs = performance.now()
    let failures = 0
    while (performance.now() - startMs < WATCHED_MS) {
      const failed = await Promise.all([failureOf(sql`select 2`), failureOf(sql`select 3`)])
      expect(failed.map(isOutage)).toEqual([true, true])
      failures += failed.length
      await delay(10)
    }
    expect(failures).toBeGreaterThan(0)
    expect(proxy.connections).toBeGreaterThan(0)
    expect(proxy.connections).toBeLessThanOrEqual(attemptsMax(performance.now() - startMs))
  })

  test('serves queries again as soon as it keeps connections', async () => {
    proxy.isDropping = true
    expect(isOutage(await failureOf(sql`select 1`))).toBe(true)
    proxy.isDropping = false
    expect([...(await sql`select 4 as four`)]).toEqual([{ four: 4 }])
  })

  test('fails transactions too if it drops them as they begin', async () => {
    proxy.isDropping = true
    const begun = sql.begin((tx) => tx`select 1`)
    expect(isOutage(await failureOf(begun))).toBe(true)
  })
})
