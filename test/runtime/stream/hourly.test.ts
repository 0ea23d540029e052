import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import { EventReader } from '../../support/event-reader.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { addAccount, Replica } from '../replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const clock = clockAt('2026-03-05T14:25:30.500Z')

let database: FreshDatabase
let replicas: Replica[]

beforeAll(async () => {
  database = await stockedDatabase()
  replicas = [await Replica.start(database, { clock }), await Replica.start(database, { clock })]
}, TEST_MS_MAX)
afterAll(async () => {
  await Promise.all(replicas.map(({ service }) => service.stop()))
  await database.close()
}, TEST_MS_MAX)

async function reading(replica: Replica, key: string): Promise<EventReader> {
  const url = `${replica.service.origin}/api/v1/stream?corridors=USD/KES`
  const reader = new EventReader(await fetch(url, { headers: { 'x-api-key': key } }))
  await reader.event('hello')
  return reader
}

const row = (rate: number) => ({ provider_id: 'retail-a', from: 'USD', to: 'KES', rate })

test('an hourly key gets nothing before the hour, and then on any replica what /rates shows', async () => {
  const [one, other] = replicas as [Replica, Replica]
  const treasury = (await addAccount(database, { role: 'treasury' })).keys[0]!
  const pro = (await addAccount(database, { plan: 'pro' })).keys[0]!
  const hourly = [await reading(one, pro), await reading(other, pro)]
  const recordedAt = async (at: string, rate: number) => {
    clock.set(at)
    const realtime = [await reading(one, treasury), await reading(other, treasury)]
    expect((await one.post(row(rate), treasury)).status).toBe(201)
    for (const reader of realtime) expect((await reader.event('quote')).data.rate).toBe(rate)
  }
  await recordedAt('2026-03-05T14:25:31.000Z', 128)
  await recordedAt('2026-03-05T14:59:59.999Z', 129)
  for (const { names } of hourly) expect(names).toEqual(['hello'])

  await recordedAt('2026-03-05T15:00:00.001Z', 130)
  for (const reader of hourly) {
    const best = await reader.event('best')
    expect(reader.names).toEqual(['hello', 'quote', 'best'])
    expect(reader.events[1]!.data).toMatchObject({ rate: 129, data_freshness: 'hourly' })
    expect(best.data.best.rate).toBe(129)
  }
  expect(hourly[0]!.events.slice(1)).toEqual(hourly[1]!.events.slice(1))
  const { body } = await other.get('/rates?from=USD&to=KES', pro)
  expect(body.providers).toMatchObject([{ rate: 129 }])
})
