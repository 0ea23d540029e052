import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { fileJob, filesOf } from '~/runtime/file/files.ts'
import { monthWriter } from '~/runtime/file/month-writer.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { PastWorld } from '../../support/past-world.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: '2026-03-05T14:25:30.500Z' }).start()
  await createReferenceStore(database).append({
    ...{ source: 'feed', fetchedMs: Date.parse('2026-02-10T06:00:00Z') },
    rates: [{ currency: 'KES', perUsd: '129.5' }],
  })
  await say('retail-a', 129.35, '2026-02-10T13:00:00Z', { fee: 1.99, notes: 'said "so",\n…' })
  await say('retail-b', 128, '2026-02-28T23:59:59.999Z')
  await say('retail-b', 1, '2026-03-01T00:00:00.000Z')
  await say('retail-b', 1, '2026-01-31T23:59:59.999Z')
  const terms = { pay_in: ['cash', 'debit_card'], amount_min: 10, delivery_max: 'PT2H' }
  await say('p2p-a', 127, '2026-02-01T00:00:00Z', { to: 'NGN', ...terms })
  const { body } = await say('p2p-a', 12.7, '2026-02-02T00:00:00Z', { to: 'NGN' })
  await world.send('/observations/withdraw', { ids: body.ids, reason: 'a digit too few' })
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string, more = {}) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from, ...more }])

const PATH = '/files/2026-02.parquet'
const compressors = { ZSTD: (input: Uint8Array) => Bun.zstdDecompressSync(new Uint8Array(input)) }
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

async function file(path = PATH) {
  const response = await world.ask(path)
  const bytes = await response.bytes()
  return { status: response.status, headers: response.headers, bytes }
}

/** The content of the file, with ISO times. */
const rowsIn = async (bytes: Uint8Array<ArrayBuffer>) =>
  (await parquetReadObjects({ file: bytes.buffer, compressors })).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString() : (value ?? null),
      ]),
    ),
  )

const left = async () =>
  Number((await world.get('/rates?from=USD')).headers.get('x-ratelimit-remaining'))

describe('GET /files/YYYY-MM.parquet', () => {
  test('returns 200 with each observation of the month as in the database, even a withdrawn one', async () => {
    const { status, headers, bytes } = await file()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/vnd.apache.parquet')
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="corridor-2026-02.parquet"',
    )
    expect(headers.get('content-length')).toBe(String(bytes.length))
    expect(headers.get('etag')).toBe(`W/"${sha256(bytes)}"`)
    const rows = await rowsIn(bytes)
    const exported = rows.map((row) => [
      ...[row.id, row.timestamp, row.corridor, row.provider_id, row.rate],
      ...[row.fee, row.notes, row.recorded_at, row.recorded_via],
      ...[row.withdrawn_at, row.withdrawn_reason],
    ])
    const iso = (column: string) =>
      `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const stored = await database.sql
      .unsafe(`
      select o.id, ${iso('effective_from')}, c.source || '/' || c.target, provider_id, rate::float8,
        fee::float8, notes, ${iso('recorded_at')}, recorded_via, ${iso('withdrawn_at')}, reason
      from (
        select id, corridor_id, provider_corridor_id, effective_from, rate, fee, notes, recorded_at,
          recorded_via, null::timestamptz as withdrawn_at, null as reason from observations
        union all
        select id, corridor_id, provider_corridor_id, effective_from, rate, fee, notes, recorded_at,
          recorded_via, withdrawn_at, reason from withdrawals
      ) o join provider_corridors p on p.id = provider_corridor_id
      join corridors c on c.id = o.corridor_id
      where effective_from >= '2026-02-01Z' and effective_from < '2026-03-01Z'
      order by c.source, c.target, effective_from, o.id`)
      .values()
    expect(exported).toHaveLength(4)
    expect(exported).toEqual(stored.map(([id, ...rest]) => [BigInt(id as string), ...rest]))
  })

  test('returns 200 with the offer of each, and the mid at the end of its day', async () => {
    const rows = await rowsIn((await file()).bytes)
    const of = (at: string) => rows.find(({ timestamp }) => timestamp === at)!
    expect(of('2026-02-01T00:00:00.000Z')).toMatchObject({
      ...{ pay_in: 'cash|debit_card', pay_out: null, amount_min: 10, delivery_max: 'PT2H' },
      ...{ mid_rate: null, mid_source: null, mid_fetched_at: null, withdrawn_at: null },
    })
    expect(of('2026-02-10T13:00:00.000Z')).toMatchObject({
      ...{ mid_rate: 129.5, mid_source: 'feed', mid_fetched_at: '2026-02-10T06:00:00.000Z' },
      ...{ provider_name: 'Provider retail-a', rate_type: 'retail', evidence: 'observed' },
    })
    const { body } = await world.get('/historical?from=USD&to=KES&date=2026-02-28')
    expect(of('2026-02-28T23:59:59.999Z').mid_rate).toBe(body.mid_rate ?? null)
  })

  test('stays unchanged once it was created, returns 304 to a caller that has it, and costs a unit', async () => {
    const first = await file()
    await say('retail-a', 777, '2026-02-11T13:00:00Z')
    const before = await left()
    const again = await file()
    expect(sha256(again.bytes)).toBe(sha256(first.bytes))
    const headers = { 'if-none-match': first.headers.get('etag')! }
    const held = await world.get(PATH, 'realtime', { headers })
    expect(held.status).toBe(304)
    const head = await world.ask(PATH, 'realtime', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(first.bytes.length))
    expect(await left()).toBe(before - 3)
  })

  test('creates a whole file again after the bytes on disk were changed', async () => {
    await database.sql`
      update file_parts set content = set_byte(content, 99, 1 + get_byte(content, 99))
      where period = '2026-02'`
    const { status, headers, bytes } = await file()
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe(`W/"${sha256(bytes)}"`)
    expect(world.errors).toEqual(['a file does not have its digest; made again'])
    expect(await rowsIn(bytes)).toHaveLength(5)
    expect((await file()).headers.get('etag')).toBe(headers.get('etag'))
    expect(world.errors).toHaveLength(1)
  })

  test('returns one file to a hundred concurrent requests, or 503 while it is created', async () => {
    await forget()
    const files = filesOf(database)
    let made = 0
    const begun = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const making: Parameters<typeof files.keep>[0] = {
      ...{ period: '2026-02', edition: 1, knownMs: 0 },
      async make(_, put) {
        made += 1
        begun.resolve()
        await go.promise
        await put(new Uint8Array([made]))
        return 1
      },
    }
    const all = Array.from({ length: 100 }, () =>
      files.keep(making).catch((error: { code: string }) => error.code),
    )
    await begun.promise
    go.resolve()
    const answers = await Promise.all(all)
    const found = answers.filter((answer) => typeof answer === 'object')
    expect(found).toHaveLength(5)
    expect(new Set(answers.filter((answer) => typeof answer === 'string'))).toEqual(
      new Set(['overloaded']),
    )
    expect(new Set(found.map((one) => one.digest)).size).toBe(1)
    expect(made).toBe(1)
    await forget()
  })

  test('returns 404 with the time until an hour after the month has ended, and without observations', async () => {
    const before = await left()
    const { status, body } = await world.get('/files/2026-03.parquet')
    expect([status, body.code]).toEqual([404, 'unknown_file'])
    expect(body.available_at).toBe('2026-04-01T01:00:00.000Z')
    expect(body.error).toContain(body.available_at)
    world.clock.set('2026-03-01T00:59:59.999Z')
    expect((await world.get(PATH)).body.available_at).toBe('2026-03-01T01:00:00.000Z')
    world.clock.set('2026-03-01T01:00:00.000Z')
    expect((await file()).status).toBe(200)
    world.clock.set('2026-03-05T14:25:30.500Z')
    const none = await world.get('/files/2025-12.parquet')
    expect([none.status, none.body.code, none.body.available_at]).toEqual([
      ...[404, 'unknown_file', undefined],
    ])
    expect(await database.sql`select from files where period < '2026-02'`).toHaveLength(0)
    expect(await left()).toBeGreaterThanOrEqual(before - 1)
  })

  test.each(['2026-13', '2026-00', '0000-01', '1899-12', '2026-2', 'x2026-02', '2026-02-01'])(
    'returns 404 for %s, which names no file',
    async (odd) => {
      const { status, body } = await world.get(`/files/${odd}.parquet`)
      expect([status, body.code]).toEqual([404, 'unknown_file'])
      expect(body.error).toContain('2026-02.parquet')
    },
  )

  test('returns 401 without a key, and 405 for POST', async () => {
    const headers = { 'x-api-key': '' }
    expect((await world.get(PATH, 'realtime', { headers })).status).toBe(401)
    expect((await world.get(PATH, 'realtime', { method: 'POST' })).status).toBe(405)
  })
})

describe('GET /files/index.json', () => {
  test('lists every file with its edition, rows, bytes and digest, for a unit', async () => {
    await forget()
    const { bytes } = await file()
    const day = await world.ask('/files/2026-02-28.csv.gz')
    const csv = await day.bytes()
    const before = await left()
    const { status, headers, body } = await world.get('/files/index.json')
    expect(status).toBe(200)
    expect(body.files).toEqual([
      {
        ...{ name: '2026-02-28.csv.gz', edition: 1, rows: 4, bytes: csv.length },
        ...{ sha256: sha256(csv), made_at: expect.any(String) },
      },
      {
        ...{ name: '2026-02.parquet', edition: 1, rows: 5, bytes: bytes.length },
        ...{ sha256: sha256(bytes), made_at: expect.any(String) },
      },
    ])
    const held = { headers: { 'if-none-match': headers.get('etag')! } }
    expect((await world.get('/files/index.json', 'realtime', held)).status).toBe(304)
    expect(await left()).toBe(before - 2)
  })
})

describe('the job that creates files', () => {
  test('creates that of the last closed month once, even with several processes', async () => {
    await forget()
    await Promise.all([run(), run(), run()])
    const kept = await database.sql`
      select period, edition, rows, bytes::int as bytes from files where length(period) = 7`
    const { bytes } = await file()
    expect(kept).toEqual([{ period: '2026-02', edition: 1, rows: 5, bytes: bytes.length }] as never)
    expect(parquetMetadata(bytes.buffer).key_value_metadata).toEqual([
      { key: 'month', value: '2026-02' },
    ])
  })

  test('creates none if nothing has been observed', async () => {
    world.clock.set('2026-01-05T00:00:00Z')
    await run()
    expect(await database.sql`select from files where length(period) = 7`).toHaveLength(1)
  })
})

/** Deletes the created files. */
async function forget(): Promise<void> {
  await database.sql`delete from files`
  await database.sql`delete from file_parts`
}

function run(): Promise<unknown> {
  const { memory, clock } = world
  const ageLimits = { midMaxAgeMs: 1, quoteMaxAgeMs: null, staleAfterMs: null }
  const log = { error() {} }
  return Promise.resolve(fileJob({ memory, clock, ageLimits, database, log, monthWriter }).run())
}
