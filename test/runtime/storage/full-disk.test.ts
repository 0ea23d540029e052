import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { stockedDatabase } from '../../store/samples.ts'
import { Said } from '../../support/exposition.ts'
import { withoutRoom } from '../../support/no-room.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { addAccount, Replica } from '../replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const ROW = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 129 }

let database: FreshDatabase
let replica: Replica
let key: string

beforeAll(async () => {
  database = await stockedDatabase()
  key = (await addAccount(database, { role: 'treasury' })).keys[0]!
  replica = await Replica.start(database)
})
afterAll(async () => {
  await replica.service.stop()
  await database.close()
})

const ready = async () => {
  const reply = await fetch(`${replica.service.origin}/readyz`)
  return [reply.status, ((await reply.json()) as { recording: boolean }).recording]
}

const metrics = async () =>
  new Said(await (await fetch(`${replica.service.origin}/metrics`)).text())

const rows = async () =>
  Object.fromEntries(
    (await metrics())
      .all('corridor_rows_total')
      .map(({ labels, value }) => [`${labels.provider} ${labels.outcome}`, value]),
  )

test('a full disk makes batches fail with the right error, and is reported, until there is room', async () => {
  expect(await ready()).toEqual([200, true])
  await withoutRoom(database.sql, async () => {
    const refused = await replica.post(ROW, key)
    expect([refused.status, refused.body.code]).toEqual([507, 'storage_full'])
    expect(refused.body.error).toContain('nothing was recorded')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await ready()).toEqual([200, false])
    expect((await metrics()).all('corridor_recording')[0]!.value).toBe(0)
    expect((await replica.get('/rates?from=USD&to=KES', key)).status).toBe(200)
  })
  expect((await replica.post(ROW, key)).status).toBe(201)
  expect(await ready()).toEqual([200, true])
})

test('rows are counted by provider, and by outcome', async () => {
  const before = await rows()
  const headers = { 'idempotency-key': 'once' }
  const batch = [ROW, { ...ROW, provider_id: 'retail-b' }]
  for (const _ of ['first', 'again']) await replica.post(batch, key, headers)
  await replica.post([ROW, { ...ROW, rate: -1 }, { ...ROW, provider_id: 'nobody' }], key)
  const grown = Object.entries(await rows()).map(([name, count]) => [
    name,
    count - (before[name] ?? 0),
  ])
  expect(Object.fromEntries(grown)).toEqual({
    'retail-a recorded': 1,
    'retail-a refused': 2,
    'retail-a repeated': 1,
    'retail-b recorded': 1,
    'retail-b refused': 0,
    'retail-b repeated': 1,
  })
})

test('the busiest accounts are listed by id, and one without units is logged once a day', async () => {
  const poor = await addAccount(database, { plan: 'free' })
  const small = await Replica.start(database, { settings: { QUOTA_FREE: '2', LOG_LEVEL: 'debug' } })
  for (let i = 0; i < 4; i++) await small.get('/rates?from=USD&to=KES', poor.keys[0]!)
  const said = new Said(await (await fetch(`${small.service.origin}/metrics`)).text())
  const mine = said.all('corridor_account_units').filter(({ labels }) => labels.account === poor.id)
  expect(mine.map(({ value }) => value)).toEqual([2])
  const ids = { account_id: poor.id, key_id: poor.keyIds[0]! }
  const lines = small.log.lines.filter(({ message }) => message.includes('units'))
  expect(lines).toEqual([
    {
      level: 'info',
      context: { ...ids, limit: 2 },
      message: 'an account has used its units of today',
    },
  ])
  await small.service.stop()
})
