import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dayFileList, snapshotList } from '~/wire/snapshot.ts'
import { columnsIn } from '../../contract/tables.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { documentOf } from '../../support/contract.ts'
import { PastWorld, type Tier } from '../../support/past-world.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { csvRows } from '../../support/rows.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { ORIGIN, replyOf } from '../../support/world.ts'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: '2026-03-05T14:25:30.500Z' }).start()
  await say('retail-a', 129.35, '2026-03-02T13:00:00Z', { fee: 1.99 })
  await say('retail-b', 128, '2026-03-02T23:59:59.999Z')
  await say('retail-b', 1, '2026-03-03T00:00:00.000Z')
  for (const service of ['-cash', 'slow'])
    await say('p2p-a', 127, '2026-03-02T12:00:00Z', { to: 'NGN', service, pay_out: ['cash'] })
  const abroad = { to: 'USD', source_country: 'US', target_country: 'LR' }
  await say('retail-a', 0.99, '2026-03-02T12:00:00Z', abroad)
  await say('official-a', 130, '2026-03-04T12:00:00Z', { from: 'EUR' })
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string, more = {}) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from, ...more }])

const path = (day: string) => `/files/${day}.csv.gz`

type Row = { note: unknown; timestamp: unknown; data_freshness: unknown }
type Answer = { status: number; headers: Headers; text: string; bytes: Uint8Array<ArrayBuffer> }

async function file(day: string, tier: Tier = 'realtime', init: RequestInit = {}): Promise<Answer> {
  const response = await world.ask(path(day), tier, init)
  const bytes = await response.bytes()
  const text = new TextDecoder().decode(bytes[0] === 0x1f ? Bun.gunzipSync(bytes) : bytes)
  return { status: response.status, headers: response.headers, text, bytes }
}

const left = async () =>
  Number((await world.get('/rates?from=USD')).headers.get('x-ratelimit-remaining'))

describe('GET /files/YYYY-MM-DD.csv.gz', () => {
  test('returns 200 with the rows of /historical with all offers, of every corridor', async () => {
    const { status, headers, text } = await file('2026-03-02', 'hourly')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/gzip')
    expect(headers.get('content-encoding')).toBeNull()
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="corridor-2026-03-02.csv.gz"',
    )
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    const columns = columnsIn(await documentOf(world.app), '/historical')
    const own = columns.filter(({ name }) => dayFileList.names.includes(name))
    expect(text.split('\r\n')[0]).toBe(own.map(({ name }) => name).join())
    const rows = csvRows(text, own)
    const expected: unknown[] = []
    for (const pair of ['from=USD&to=KES', 'from=USD&to=NGN', COUNTRIES]) {
      const asked = `/historical?${pair}&date=2026-03-02&offers=all&format=csv`
      expected.push(...csvRows((await world.get(asked)).text, columns))
    }
    expect(expected).toHaveLength(5)
    expect(rows).toEqual(
      expected.map((row) => {
        const { note: _, timestamp: _at, data_freshness: _tier, ...rest } = row as object & Row
        return rest
      }),
    )
    expect(text).toContain(",'-cash,")
    expect(snapshotList.names).toHaveLength(dayFileList.names.length + 3)
  })

  test('has no second edition before the first was created', async () => {
    const { status, body } = await world.get(`${path('2026-03-04')}?edition=2`)
    expect([status, body.code]).toEqual([404, 'unknown_file'])
    expect(body.error).toContain('has one edition')
  })

  test('stays unchanged once it was created, whatever is recorded for the day', async () => {
    const first = await file('2026-03-03')
    await say('retail-a', 777, '2026-03-03T13:00:00Z')
    const { body } = await world.get('/historical?from=USD&to=KES&date=2026-03-03')
    expect(body.providers[0].rate).toBe(777)
    const again = await file('2026-03-03', 'hourly')
    expect(again.bytes).toEqual(first.bytes)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  })

  test('returns 304 to a caller that has it, at the cost of a unit like 200', async () => {
    const { headers, bytes } = await file('2026-03-02')
    const before = await left()
    const held = await file('2026-03-02', 'realtime', {
      headers: { 'if-none-match': headers.get('etag')! },
    })
    expect([held.status, held.text]).toEqual([304, ''])
    expect(held.headers.get('cache-control')).toContain('immutable')
    expect(await left()).toBe(before - 1)
    const head = await file('2026-03-02', 'realtime', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
    expect(await left()).toBe(before - 2)
  })

  test('returns 404 with the time until an hour after the day has ended, and costs nothing', async () => {
    const before = await left()
    for (const [now, day, at] of [
      ['2026-03-05T14:25:30.500Z', '2026-03-05', '2026-03-06T01:00:00.000Z'],
      ['2026-03-05T00:59:59.999Z', '2026-03-04', '2026-03-05T01:00:00.000Z'],
      ['2026-03-05T14:25:30.500Z', '2027-01-01', '2027-01-02T01:00:00.000Z'],
    ] as const) {
      world.clock.set(now)
      const { status, body } = await world.get(path(day))
      expect([status, body.code, body.available_at]).toEqual([404, 'unknown_file', at])
      expect(body.error).toContain(at)
    }
    world.clock.set('2026-03-05T14:25:30.500Z')
    expect(await left()).toBe(before)
    world.clock.set('2026-03-05T01:00:00.000Z')
    const { text } = await file('2026-03-04', 'hourly')
    expect(text).toContain(',130,')
    world.clock.set('2026-03-05T14:25:30.500Z')
  })

  test('returns 404 before the first observation, which is not cached', async () => {
    const before = await left()
    const { status, body } = await world.get(path('2026-03-01'))
    expect([status, body.code, body.available_at]).toEqual([404, 'unknown_file', undefined])
    await say('retail-a', 5, '2026-03-01T12:00:00Z', { from: 'EUR', to: 'NGN' })
    expect((await file('2026-03-01')).text.split('\r\n')).toHaveLength(3)
    expect(await left()).toBe(before - 1)
  })

  test.each([
    '/files/2026-02-30.csv.gz',
    '/files/0000-01-01.csv.gz',
    '/files/1899-12-31.csv.gz',
    '/files/2026-03-02.csv',
    '/files/2026-3-2.csv.gz',
    '/files/2026-03-02.xlsx',
    '/files/..%2f2026-03-02.csv.gz',
    '/files/x2026-03-02.csv.gz',
    '/files/%00',
  ])('returns 404 for %s, which names no file', async (odd) => {
    const { status, body } = await world.get(odd)
    const code = odd.endsWith('.csv.gz') ? 'unknown_file' : 'unknown_path'
    expect([status, body.code]).toEqual([404, code])
    expect(body.error).toContain('2026-03-04.csv.gz')
  })

  test('returns 401 without a key, and 405 for POST', async () => {
    const without = await world.get(path('2026-03-02'), 'realtime', {
      headers: { 'x-api-key': '' },
    })
    expect(without.status).toBe(401)
    expect((await world.get(path('2026-03-02'), 'realtime', { method: 'POST' })).status).toBe(405)
  })

  test('returns 308 to it from an address without the base path', async () => {
    const reply = await replyOf(
      await world.app.handle(new Request(`${ORIGIN}/files/2026-03-02.csv.gz?edition=2`)),
    )
    expect(reply.status).toBe(308)
    const target = new URL(reply.headers.get('location')!, `${ORIGIN}/files/2026-03-02.csv.gz`)
    expect(target.pathname + target.search).toBe('/api/v1/files/2026-03-02.csv.gz?edition=2')
  })
})

const COUNTRIES = 'from=USD&to=USD&source_country=US&target_country=LR'
