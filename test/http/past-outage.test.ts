import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { drizzle } from 'drizzle-orm/postgres-js'
import { loadConfig } from '~/config.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { pastOf } from '~/runtime/past.ts'
import { ReadReplicas } from '~/runtime/read-replicas.ts'
import { connect, type Database } from '~/store/database.ts'
import { KeptLog } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { World } from '../support/world.ts'
import { answerable, METERED } from './questions.ts'

const PAST = [
  '/rates/history?from=USD&to=KES',
  '/rates/history?from=USD&to=KES&offset=10&provider=retail-a',
  '/time-series?from=USD&to=KES',
  '/historical?from=USD&to=KES&date=2026-03-05',
  '/change?from=USD&to=KES',
  '/references?currency=KES',
]

/** A handle for a server that refuses every connection. */
function refusing(): Database {
  const sql = connect('postgres://nobody@127.0.0.1:1/none', { connectionsMax: 2 })
  const close = () => sql.end({ timeout: 1 })
  return { sql, db: drizzle(sql), kind: 'external', where: 'nowhere', close }
}

let away: Database
let killed: FreshDatabase

beforeAll(async () => {
  away = refusing()
  killed = await freshDatabase()
}, TEST_MS_MAX)
afterAll(() => away.close())

const readersOf = (database: Database) =>
  new ReadReplicas({ database, config: loadConfig({}), log: new KeptLog() })

describe('without the database', () => {
  test.each(PAST)('returns 503 with Retry-After for %s, free of charge', async (question) => {
    const world = new World({ past: pastOf(readersOf(away), new WindowCache()) })
    const key = world.key('enterprise')
    const { status, headers, body } = await world.get(question, key)
    expect([status, body.code]).toEqual([503, 'database_unavailable'])
    expect(body.error).not.toContain('Idempotency-Key')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('x-ratelimit-remaining')).toBe('1000')
  })

  test('returns 400 before 503, and 401 before both', async () => {
    const world = new World({ past: pastOf(readersOf(away), new WindowCache()) })
    const bad = '/historical?from=USD&to=KES&date=never'
    expect((await world.get(bad, world.key())).status).toBe(400)
    expect((await world.get(PAST[0]!, 'nonsense')).status).toBe(401)
  })

  test('returns 200 for current prices', async () => {
    const world = answerable({ past: pastOf(readersOf(away), new WindowCache()) })
    const key = world.key('enterprise')
    for (const { path } of METERED) {
      if (PAST.some((question) => question.split('?')[0] === path.split('?')[0])) continue
      expect([path, (await world.get(path, key)).status]).toEqual([path, 200])
    }
  })

  test('returns 503 when the database fails later, and 200 for a cached window', async () => {
    const world = new World({ past: pastOf(readersOf(killed), new WindowCache()) })
    const key = world.key('pro')
    expect((await world.get(PAST[0]!, key)).status).toBe(200)
    await killed.close()
    expect((await world.get(PAST[0]!, key)).status).toBe(200)
    expect((await world.get(`${PAST[0]}&limit=3`, key)).status).toBe(503)
  })
})
