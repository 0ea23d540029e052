import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { receiver } from '../../support/receivers.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { replyOf } from '../../support/world.ts'
import { addAccount, Replica } from '../replica-scene.ts'

const SETTINGS = { WEBHOOK_ALLOW: '127.0.0.1' }

let database: FreshDatabase
let replicas: Replica[]
let key: string

beforeAll(async () => {
  database = await stockedDatabase()
  key = (await addAccount(database, { role: 'treasury' })).keys[0]!
  const clock = clockAt(new Date().toISOString())
  replicas = [
    await Replica.start(database, { clock, settings: SETTINGS }),
    await Replica.start(database, { clock, settings: SETTINGS }),
  ]
}, TEST_MS_MAX)

afterAll(async () => {
  for (const { service } of replicas) await service.stop()
  await database.close()
})

async function asked(on: number, path: string, body: object) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const url = `${replicas[on]!.service.origin}/api/v1${path}`
  return replyOf(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }))
}

const record = async (on: number, rate: number) => {
  const row = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate }
  expect((await asked(on, '/rates', row)).status).toBe(201)
}

const wish = (webhook: string) => ({
  corridor: 'USD/KES',
  when: { field: 'best', op: 'above', value: 130 },
  to: { webhook },
})

describe('an alert, from its creation to its webhook', () => {
  test('reports each crossing once, signed so that standardwebhooks alone verifies it', async () => {
    using to = receiver()
    await record(0, 129)
    const { body: alert } = await asked(1, '/alerts', wish(to.url))
    const crossings = [131, 132, 133]
    for (const [i, rate] of crossings.entries()) {
      await record(i % 2, rate)
      await to.until(i + 1)
      await record((i + 1) % 2, 120)
    }
    const { status } = await asked(0, `/alerts/${alert.id}/test`, {})
    expect(status).toBe(201)
    const got = await to.until(crossings.length + 1)
    const events = got.map(
      ({ body, headers }) =>
        new Webhook(String(alert.secret)).verify(body, headers) as Record<string, unknown>,
    )
    expect(events.map(({ type }) => type)).toEqual([
      ...crossings.map(() => 'alert.fired'),
      'alert.test',
    ])
    expect(events.slice(0, -1).map(({ data }) => data)).toMatchObject(
      crossings.map((value) => ({ corridor: 'USD/KES', field: 'best', value })),
    )
  })

  test('returns 400 for an internal address and for plain http, and follows no redirect to an internal one', async () => {
    for (const url of [
      'https://169.254.169.254/latest/meta-data',
      'https://[fe80::1]/x',
      'https://[::ffff:10.0.0.1]/x',
      'http://93.184.215.14/x',
      'https://user:word@93.184.215.14/x',
      'mailto:ada@example.org',
    ]) {
      const { status, body } = await asked(0, '/alerts', wish(url))
      expect([url, status, body.code]).toEqual([url, 400, 'invalid_parameter'])
    }
    using trap = receiver()
    using to = receiver(() => Response.redirect(trap.url, 307))
    const { body: alert } = await asked(0, '/alerts', wish(to.url))
    await asked(0, `/alerts/${alert.id}/test`, {})
    await until('the test is given up', async () => {
      const [one] = await database.sql<{ last_error: string | null }[]>`
        select last_error from alert_deliveries where alert_id = ${String(alert.id)}`
      return one?.last_error === 'it returned 307; redirects are not followed'
    })
    expect(trap.got).toHaveLength(0)
  })
})
