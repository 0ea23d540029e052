import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { scryptSync } from 'node:crypto'
import { loadConfig } from '~/config.ts'
import { type Service, startService } from '~/runtime/service.ts'
import { Visitor } from '../portal/visitor.ts'
import { clockAt } from '../support/clock.ts'
import { quickDeterrents } from '../support/deterrents.ts'
import { KeptLog } from '../support/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

const PASSWORD = 'correct horse battery'
const ANSWER_MS_MIN = 600
/** Cost by OWASP and better-auth: 16 MiB and about 50 ms for each guess. */
const COST = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }

let database: FreshDatabase
let service: Service

const config = loadConfig({ PORT: '0', REFERENCE_FEED: 'none', SHUTDOWN_DELAY: 'off' })
const startOptions = () => ({
  ...{ config, clock: clockAt(new Date().toISOString()), log: new KeptLog(), database },
  sample: null,
})

beforeAll(async () => {
  database = await freshDatabase()
  service = await startService(startOptions())
})
afterAll(() => service.stop())

describe('a service as it is deployed', () => {
  test('keeps a password as a hash that is costly to guess', async () => {
    const fields = { email: 'costly@example.com', password: PASSWORD }
    expect((await new Visitor(service.origin).submit('/sign-up', fields)).status).toBe(303)
    const [row] = await database.sql<{ password: string }[]>`
      select password from portal_credentials`
    const [salt = '', key] = row!.password.split(':')
    expect(scryptSync(PASSWORD, salt, 64, COST).toString('hex')).toBe(key!)
  })

  test('takes just as long for an unknown email', async () => {
    const visitor = new Visitor(service.origin)
    await visitor.get('/forgotten')
    const startedMs = performance.now()
    await visitor.submit('/forgotten', { email: 'nobody@example.com' })
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(ANSWER_MS_MIN)
  })
})

test('a forgotten password, a sign-up and a link all take the same time', async () => {
  const waits: number[] = []
  const other = await startService({
    ...startOptions(),
    database: { ...database, close: async () => {} },
    deterrents: quickDeterrents(waits),
  })
  const visitor = new Visitor(other.origin)
  for (const email of ['nobody@example.com', 'costly@example.com']) {
    await visitor.submit('/forgotten', { email })
    await visitor.submit('/sign-up', { email, password: PASSWORD })
  }
  await other.stop()
  expect(waits).toEqual(Array(4).fill(ANSWER_MS_MIN))
})
