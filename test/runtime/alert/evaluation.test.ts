import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stockedDatabase } from '../../store/samples.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import type { Reply } from '../../support/world.ts'
import { replyOf } from '../../support/world.ts'
import { addAccount, Replica } from '../replica-scene.ts'

const SETTINGS = { WEBHOOK_ALLOW: '127.0.0.1' }
/** A port without a listener: deliveries stay with their alert. */
const TO = { webhook: 'http://127.0.0.1:9/hook' }
const ABOVE = { corridor: 'USD/KES', when: { field: 'best', op: 'above', value: 130 }, to: TO }

let database: FreshDatabase
let replicas: Replica[]
let key: string

beforeAll(async () => {
  database = await stockedDatabase()
  const account = await addAccount(database, { role: 'treasury' })
  key = account.keys[0]!
  replicas = [
    await Replica.start(database, { settings: SETTINGS }),
    await Replica.start(database, { settings: SETTINGS }),
  ]
}, TEST_MS_MAX)

afterAll(async () => {
  for (const { service } of replicas) await service.stop()
  await database.close()
})

async function sent(on: number, method: string, path: string, body?: object, by = key) {
  const url = `${replicas[on]!.service.origin}/api/v1${path}`
  const headers = { 'x-api-key': by, ...(body && { 'content-type': 'application/json' }) }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const reply: Reply = await replyOf(await fetch(url, init))
  expect([path, reply.status]).toEqual([path, method === 'POST' ? 201 : 200])
  return reply.body
}

const record = (on: number, rate: number, more: object = {}) =>
  sent(on, 'POST', '/rates', { provider_id: 'retail-a', from: 'USD', to: 'KES', rate, ...more })

/** The notified values of an alert, oldest first. */
async function notified(alert: { id: string }): Promise<number[]> {
  const rows = await database.sql<{ value: number }[]>`
    select (body::json -> 'data' ->> 'value')::float8 as value from alert_deliveries
    where alert_id = ${alert.id} order by created_at, (body::json ->> 'timestamp')`
  return rows.map(({ value }) => value)
}

/** Resolves when every replica has evaluated everything committed before. */
async function caughtUp(): Promise<void> {
  const { id } = await sent(0, 'POST', '/alerts', { ...ABOVE, name: 'mark' })
  const mark = await sent(1, 'POST', '/alerts', { ...ABOVE, name: 'mark' })
  for (const one of [id, mark.id]) await sent(0, 'DELETE', `/alerts/${one}`)
}

describe('alerts on two replicas', () => {
  test('report each crossing once, whichever replica records it', async () => {
    await record(0, 129)
    const alert = await sent(0, 'POST', '/alerts', ABOVE)
    expect(alert.is_true).toBe(false)
    await record(1, 131)
    await until('the first crossing is notified', async () => (await notified(alert)).length === 1)
    await record(0, 120)
    await record(1, 132)
    await until('the second is notified', async () => (await notified(alert)).length === 2)
    await record(0, 133)
    await caughtUp()
    expect(await notified(alert)).toEqual([131, 132])
    expect((await sent(1, 'GET', `/alerts/${alert.id}`)).is_true).toBe(true)
  })

  test.each([90, 600])(
    'report a crossing that is over at once, after nothing was watched for %d s',
    async (seconds) => {
      const { alerts } = await sent(0, 'GET', '/alerts')
      for (const { id } of alerts as { id: string }[]) await sent(0, 'DELETE', `/alerts/${id}`)
      await record(0, 129)
      for (const { clock } of replicas) clock.advance(seconds * 1000)
      const alert = await sent(0, 'POST', '/alerts', ABOVE)
      await record(1, 131)
      await record(1, 120)
      await caughtUp()
      await until('the crossing is notified', async () => (await notified(alert)).length === 1)
    },
  )

  test('follow the alerts created, changed and deleted on another replica', async () => {
    await record(0, 129)
    const alert = await sent(1, 'POST', '/alerts', ABOVE)
    const when = { field: 'best', op: 'above', value: 150 }
    await sent(0, 'PATCH', `/alerts/${alert.id}`, { when })
    await record(1, 140)
    await record(1, 151)
    await until('the new threshold is notified', async () => (await notified(alert)).length === 1)
    await caughtUp()
    expect(await notified(alert)).toEqual([151])
    await sent(1, 'DELETE', `/alerts/${alert.id}`)
    expect(await notified(alert)).toEqual([])
  })

  test('notify an hourly account at the top of the hour', async () => {
    const free = await addAccount(database, { plan: 'free' })
    await record(0, 129, { effective_from: '2026-03-05T13:30:00.000Z', provider_id: 'retail-b' })
    const pair = { from: 'USD', to: 'NGN', effective_from: '2026-03-05T14:20:00.000Z' }
    await record(1, 1500, pair)
    const body = { ...ABOVE, corridor: 'USD/NGN', when: { ...ABOVE.when, value: 1400 } }
    const alert = await sent(0, 'POST', '/alerts', body, free.keys[0])
    expect(alert.is_true).toBe(false)
    for (const { clock } of replicas) clock.set('2026-03-05T15:00:00.200Z')
    await until('the hour is notified', async () => (await notified(alert)).length === 1)
    const [row] = await database.sql`select body from alert_deliveries where alert_id = ${alert.id}`
    expect(JSON.parse(row!.body)).toMatchObject({
      timestamp: '2026-03-05T15:00:00.000Z',
      data: { value: 1500, as_of: '2026-03-05T15:00:00.000Z', data_freshness: 'hourly' },
    })
  })
})
