import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net'
import { drizzle } from 'drizzle-orm/postgres-js'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { Refresher } from '~/jobs/refresh.ts'
import { RECORDING_AWAY } from '~/runtime/recorder.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { connect, type Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { followerOn } from '../../support/followed.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { sourcesOf } from '../../support/sources.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { type Reply, World, type WorldStore } from '../../support/world.ts'

const ROW = { provider_id: 'retail-a', rate: 129.5, from: 'USD', to: 'KES' }
const READ = '/rates?from=USD&to=KES'
const DAY_MS = 86_400_000

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
}, TEST_MS_MAX)

afterAll(() => database.close())

type Store = WorldStore

/** The store as the service composes it. */
function storeOn(handle: Database): Store {
  const observations = createObservationStore(handle)
  return {
    record: (batch) => orUnavailable(observations.record(batch), RECORDING_AWAY),
    answered: (idempotency) => orUnavailable(observations.answered(idempotency), RECORDING_AWAY),
  }
}

const open = (store: Store = storeOn(database), at?: string): World =>
  new World({ store, ...(at !== undefined && { at }) })

/** A key whose account is in the database too, as idempotency records require. */
async function keyIn(world: World, plan: Plan = 'enterprise', role: Role = 'treasury') {
  const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
  const created = await createAccountStore(database).create({
    email: `${crypto.randomUUID()}@example.com`,
    plan,
    role,
    keyName: 'default',
    keyHash: keyHashOf(key),
  })
  const access = { accounts: [created.account], keys: [created.key] }
  world.memory.publish({ access }, world.clock.now())
  return key
}

const stored = async (): Promise<number> =>
  Number((await database.sql`select count(*) from observations`)[0]!.count)

/** A newly started service, in a world with the same clock. */
async function restarted(world: World): Promise<World> {
  const fresh = open()
  const at = new Date(world.clock.now()).toISOString()
  fresh.clock.set(at)
  const { memory, meter, clock } = fresh
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  await new Refresher({ sources: sourcesOf(database), memory, meter, clock, log }).reload()
  await followerOn(database, { memory, clock }).begin()
  return fresh
}

const ratesOf = ({ body }: Reply) =>
  body.providers.map((entry: { provider_id: string; rate: number }) => [
    entry.provider_id,
    entry.rate,
  ])

describe('POST /rates into a database', () => {
  test('returns 201 when the rows are stored and realtime reads see them', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    const rows = [
      { ...ROW, rate: 129.25, from: 'GBP', notes: 'first' },
      { ...ROW, rate: 161, from: 'GBP', provider_id: 'official-a', fee: 1, fee_currency: 'EUR' },
    ]
    const { body } = await world.post(rows, key)
    expect(body).toEqual({ inserted: 2, ids: [expect.any(Number), body.ids[0] + 1] })
    const reply = await world.get('/rates?from=GBP&to=KES', key)
    expect(ratesOf(reply)).toEqual([
      ['retail-a', 129.25],
      ['official-a', 161],
    ])
    expect(await stored()).toBe(before + 2)
    const found = await database.sql`
      select provider_id, rate::text, fee::text, fee_currency, rate_type::text, notes,
        effective_from::text
      from observations o join provider_corridors p on p.id = o.provider_corridor_id
      order by o.id desc limit 2`
    expect([...found]).toEqual([
      {
        provider_id: 'official-a',
        rate: '161',
        fee: '1',
        fee_currency: 'EUR',
        rate_type: 'official',
        notes: null,
        effective_from: '2026-03-05 14:25:30.5+00',
      },
      {
        provider_id: 'retail-a',
        rate: '129.25',
        fee: null,
        fee_currency: null,
        rate_type: 'retail',
        notes: 'first',
        effective_from: '2026-03-05 14:25:30.5+00',
      },
    ])
  })

  test('returns 201 for rows that the hourly tier shows after the hour, not before', async () => {
    const world = open()
    const key = await keyIn(world)
    const free = world.key('free')
    await world.post({ ...ROW, from: 'EUR' }, key)
    world.clock.set('2026-03-05T14:59:59.999Z')
    expect((await world.get('/rates?from=EUR&to=KES', free)).body.count).toBe(0)
    world.clock.advance(1)
    expect((await world.get('/rates?from=EUR&to=KES', free)).body.count).toBe(1)
    const { body } = await (await restarted(world)).get('/rates?from=EUR&to=KES', free)
    expect(body.code).toBe('invalid_key')
    expect((await (await restarted(world)).get('/rates?from=EUR&to=KES', key)).body.count).toBe(1)
  })

  test('returns 201 for a backfill that the hourly tier shows at once', async () => {
    const world = open()
    const key = await keyIn(world)
    const row = { ...ROW, from: 'ZAR', effective_from: '2026-03-05T14:00:00Z' }
    await world.post([row, { ...row, rate: 7, effective_from: '2021-03-05T14:25:30.500Z' }], key)
    expect(ratesOf(await world.get('/rates?from=ZAR&to=KES', world.key('free')))).toEqual([
      ['retail-a', 129.5],
    ])
  })

  test('stores 18 significant digits exactly', async () => {
    const world = open()
    const key = await keyIn(world)
    const numbers = [
      ...['0.123456789012345678', '123456789012.345678', '999999999999.999999', '1e-12'],
      ...['0.000000000001', '1000000000000', '1.10', '1.23456789012345678e+2'],
    ]
    const rows = numbers.map((rate) => JSON.stringify({ ...ROW, to: 'UGX' }).replace('129.5', rate))
    expect((await world.post(`[${rows}]`, key)).body).toMatchObject({ inserted: numbers.length })
    const found = await database.sql`
      select rate::text from observations order by id desc limit ${numbers.length}`
    expect([...found].map(({ rate }) => rate).reverse()).toEqual([
      ...['0.123456789012345678', '123456789012.345678', '999999999999.999999', '0.000000000001'],
      ...['0.000000000001', '1000000000000', '1.1', '123.456789012345678'],
    ])
  })

  test('stores strings exactly: quotes, braces, line ends, NULL, emoji', async () => {
    const world = open()
    const key = await keyIn(world)
    const texts = [
      '{"a",b}',
      'NULL',
      '',
      '\\',
      "'; drop table observations; --",
      'a\r\nb',
      '\u{1F600}',
    ]
    const rows = texts.map((notes) => ({ ...ROW, notes }))
    expect((await world.post(rows, key)).status).toBe(201)
    const found = await database.sql`
      select notes from observations order by id desc limit ${texts.length}`
    expect([...found].map(({ notes }) => notes).reverse()).toEqual(texts)
  })

  test('returns 422 for one bad row of 100: none of the others is stored or served', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    const rows = Array.from({ length: 100 }, (_, i) => ({ ...ROW, to: 'XOF', rate: i }))
    const { status, body } = await world.post(rows, key)
    expect(status).toBe(422)
    expect(body.errors).toEqual([{ index: 0, error: expect.stringContaining('rate') }])
    expect(await stored()).toBe(before)
    expect((await world.get('/rates?from=USD&to=XOF', key)).body.count).toBe(0)
  })

  test('returns 500 when the database refuses one row of 100: none of the others is stored', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    const currencies = [...CURRENCIES, { ...CURRENCIES[0]!, code: 'ZZZ' }]
    const catalogue = { currencies, providers: PROVIDERS }
    world.memory.publish({ catalogue }, world.clock.now())
    const { status, body } = await world.post([...Array(99).fill(ROW), { ...ROW, to: 'ZZZ' }], key)
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(await stored()).toBe(before)
    expect((await world.get(READ, key)).body.count).toBe(0)
  })

  test('leaves memory after many concurrent batches as a restart would load it', async () => {
    const world = open()
    const key = await keyIn(world)
    const batches = Array.from({ length: 20 }, (_, i) => [
      { ...ROW, from: 'USDT', rate: 100 + i },
      { ...ROW, from: 'USDT', rate: 200 + i, provider_id: `retail-${i % 2 ? 'a' : 'b'}` },
      { ...ROW, from: 'USDC', rate: 300 + i, effective_from: '2026-03-05T14:00:00Z' },
    ])
    const replies = await Promise.all(batches.map((batch) => world.post(batch, key)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    const fresh = await restarted(world)
    for (const code of ['USDT', 'USDC'])
      expect(await world.get(`/rates?from=${code}&to=KES`, key)).toMatchObject({
        body: (await fresh.get(`/rates?from=${code}&to=KES`, key)).body,
      })
  })

  test('dates a batch that straddles the hour by the time at which its body was read', async () => {
    const observations = storeOn(database)
    const world: World = open({
      async record(batch) {
        const recording = await observations.record(batch)
        world.clock.set('2026-03-05T15:00:00.001Z')
        return recording
      },
    })
    world.clock.set('2026-03-05T14:59:59.999Z')
    const key = await keyIn(world)
    const free = world.key('free')
    const path = '/rates?from=NGN&to=KES'
    expect((await world.post({ ...ROW, from: 'NGN', rate: 1 }, key)).status).toBe(201)
    expect(ratesOf(await world.get(path, free))).toEqual([['retail-a', 1]])
    expect((await world.post({ ...ROW, from: 'NGN', rate: 2 }, key)).status).toBe(201)
    expect(ratesOf(await world.get(path, key))).toEqual([['retail-a', 2]])
    expect(ratesOf(await world.get(path, free))).toEqual([['retail-a', 1]])
    const fresh = await restarted(world)
    const reader = fresh.key('free')
    expect(ratesOf(await fresh.get(path, reader))).toEqual([['retail-a', 1]])
    fresh.clock.set('2026-03-05T16:00:00.000Z')
    expect(ratesOf(await fresh.get(path, reader))).toEqual([['retail-a', 2]])
  })

  test('serves each tier its own of the rows on both sides of the hour', async () => {
    const world = open()
    world.clock.set('2026-03-05T15:00:00.001Z')
    const key = await keyIn(world)
    const rows = ['14:59:59.999', '15:00:00.000', '15:00:00.001'].map((time, i) => ({
      ...ROW,
      from: 'UGX',
      rate: i + 1,
      effective_from: `2026-03-05T${time}Z`,
    }))
    await world.post(rows.reverse(), key)
    const path = '/rates?from=UGX&to=KES'
    expect(ratesOf(await world.get(path, key))).toEqual([['retail-a', 3]])
    expect(ratesOf(await world.get(path, world.key('pro')))).toEqual([['retail-a', 2]])
  })
})

describe('Idempotency-Key', () => {
  const once = (key: string) => ({ 'idempotency-key': key })

  test('returns 201 again for a retry whose row the rules would now refuse', async () => {
    const world = open()
    const key = await keyIn(world)
    const first = await world.post(ROW, key, once('late'))
    expect(first.status).toBe(201)
    const before = await stored()
    world.memory.publish(
      { catalogue: { currencies: CURRENCIES, providers: [] } },
      world.clock.now(),
    )
    const again = await world.post(ROW, key, once('late'))
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await world.post(ROW, key, once('new'))).status).toBe(422)
    expect(await stored()).toBe(before)
  })

  test('returns 201 again for the same key and body, recorded once', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    const name = 'k'.repeat(255)
    let first: { ids: number[] } | undefined
    for (let i = 0; i < 3; i++) {
      const { status, body } = await world.post([ROW, ROW], key, once(name))
      first ??= body
      expect([status, body]).toEqual([201, first])
      world.clock.advance(60_000)
    }
    expect(await stored()).toBe(before + 2)
  })

  test('returns 201 again with the same warnings, although the provider has been retired since', async () => {
    const world = open()
    const key = await keyIn(world)
    const body = [ROW, { ...ROW, comment: 'seen' }]
    const first = await world.post(body, key, once('warned'))
    expect(first.body).toEqual({
      inserted: 2,
      ids: [expect.any(Number), first.body.ids[0] + 1],
      warnings: [{ index: 1, warning: 'ignored, as unknown: "comment"' }],
    })
    expect((await world.post(body, key, once('warned'))).text).toBe(first.text)
    const providers = PROVIDERS.map((one) => ({ ...one, isActive: false }))
    world.memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, world.clock.now())
    const again = await world.post(body, key, once('warned'))
    expect([again.status, again.text]).toEqual([201, first.text])
  })

  test('returns 422 for the same key with another body, even one that means the same', async () => {
    const world = open()
    const key = await keyIn(world)
    await world.post(ROW, key, once('a'))
    const before = await stored()
    for (const body of [{ ...ROW, rate: 130 }, [ROW], `${JSON.stringify(ROW)} `]) {
      const reply = await world.post(body, key, once('a'))
      expect(reply.status).toBe(422)
      expect(reply.body).toEqual({
        error: expect.stringContaining('Idempotency-Key'),
        code: 'idempotency_key_reused',
        errors: [],
      })
    }
    expect(await stored()).toBe(before)
    expect(ratesOf(await world.get(READ, key))).toEqual([['retail-a', 129.5]])
  })

  test("returns 422 with the key's name for a body that would be refused anyway", async () => {
    const world = open()
    const key = await keyIn(world)
    await world.post(ROW, key, once('b'))
    const reply = await world.post({ ...ROW, rate: -1 }, key, once('b'))
    expect([reply.status, reply.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('returns 201 for the same key and body of another account, recorded for both', async () => {
    const world = open()
    const before = await stored()
    for (const key of [await keyIn(world), await keyIn(world)])
      expect((await world.post(ROW, key, once('shared'))).status).toBe(201)
    expect(await stored()).toBe(before + 2)
  })

  test('returns 201 for two API keys of one account and one recording, since it belongs to the account', async () => {
    const world = open()
    const key = await keyIn(world)
    const { id } = world.memory.current.keys.keyByHash(keyHashOf(key))!
    const { accountId } = world.memory.current.keys.keyByHash(keyHashOf(key))!
    const second = world.addKey(accountId, 'second')
    expect(second.keyId).not.toBe(id)
    const before = await stored()
    await world.post(ROW, key, once('both'))
    expect((await world.post(ROW, second.key, once('both'))).body).toMatchObject({ inserted: 1 })
    expect(await stored()).toBe(before + 1)
  })

  test('returns 201 to ten concurrent requests, recorded once', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => world.post([ROW, ROW], key, once('race'))),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(replies.map(({ body }) => body)).toEqual(Array(10).fill(replies[0]!.body))
    expect(await stored()).toBe(before + 2)
  })

  test('returns 201 and 422 to two concurrent bodies under one key, and records only one', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    const replies = await Promise.all(
      [1, 2].map((rate) => world.post({ ...ROW, rate }, key, once('fork'))),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(await stored()).toBe(before + 1)
  })

  test('returns 201 for another body only after 24 hours by the clock', async () => {
    const world = open()
    const key = await keyIn(world)
    await world.post(ROW, key, once('day'))
    world.clock.advance(DAY_MS)
    expect((await world.post({ ...ROW, rate: 7 }, key, once('day'))).status).toBe(422)
    world.clock.advance(1)
    expect((await world.post({ ...ROW, rate: 7 }, key, once('day'))).status).toBe(201)
    expect((await world.post(ROW, key, once('day'))).status).toBe(422)
  })

  test('returns 201 after a 422 under the same key, since a refused batch does not use it up', async () => {
    const world = open()
    const key = await keyIn(world)
    expect((await world.post({ ...ROW, rate: 0 }, key, once('retry'))).status).toBe(422)
    expect((await world.post(ROW, key, once('retry'))).status).toBe(201)
  })

  test('returns 201 for keys that differ in case or in one letter, each by itself', async () => {
    const world = open()
    const key = await keyIn(world)
    const before = await stored()
    for (const name of ['a', 'A', 'á', 'a b', '"a"', "'"])
      expect((await world.post(ROW, key, once(name))).status).toBe(201)
    expect(await stored()).toBe(before + 6)
  })
})

describe('a database that is unreachable', () => {
  /** A proxy to the database, which a test can cut and restore. */
  class Way {
    readonly #sockets = new Set<Socket>()
    #server: Server | null = null
    port = 0

    async mend(): Promise<void> {
      const { hostname, port } = new URL(database.url)
      this.#server = createServer((near) => {
        const far = connectTo(Number(port), hostname)
        for (const socket of [near, far]) {
          this.#sockets.add(socket)
          socket.on('error', () => {})
          socket.on('close', () => {
            near.destroy()
            far.destroy()
          })
        }
        near.pipe(far).pipe(near)
      })
      const listening = Promise.withResolvers<void>()
      this.#server.listen(this.port, '127.0.0.1', listening.resolve)
      await listening.promise
      this.port = (this.#server.address() as { port: number }).port
    }

    async cut(): Promise<void> {
      const closed = Promise.withResolvers<void>()
      this.#server?.close(() => closed.resolve())
      for (const socket of this.#sockets) socket.destroy()
      this.#sockets.clear()
      await closed.promise
    }
  }

  function handleOver(way: Way): Database {
    const url = new URL(database.url)
    url.hostname = '127.0.0.1'
    url.port = String(way.port)
    const sql = connect(url.href, { connectionsMax: 2 })
    const close = () => sql.end({ timeout: 0 })
    return { sql, db: drizzle(sql), kind: 'external', where: 'test', close }
  }

  function expectUnavailable({ status, body, headers, text }: Reply) {
    expect(status).toBe(503)
    expect(body).toEqual({ error: expect.any(String), code: 'database_unavailable' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres/i)
  }

  test('returns 503 while it cannot be reached, with reads as usual, and 201 when it is back', async () => {
    const way = new Way()
    await way.mend()
    const handle = handleOver(way)
    const world = open(storeOn(handle))
    const key = await keyIn(world)
    expect((await world.post(ROW, key)).status).toBe(201)
    const before = await stored()
    await way.cut()
    for (let i = 0; i < 2; i++) expectUnavailable(await world.post({ ...ROW, rate: 7 }, key))
    expect(world.logged.map(({ level }) => level)).toEqual(['warn', 'warn'])
    expect(ratesOf(await world.get(READ, key))).toEqual([['retail-a', 129.5]])
    expect((await world.get('/admin/usage', key)).body.used).toBe(1)
    expect((await world.post({ ...ROW, rate: 0 }, key)).status).toBe(422)
    expect(await stored()).toBe(before)
    await way.mend()
    expect((await world.post({ ...ROW, rate: 8 }, key)).status).toBe(201)
    expect(ratesOf(await world.get(READ, key))).toEqual([['retail-a', 8]])
    await handle.close()
    await way.cut()
  })

  test('returns 503 when it goes away in the middle, with nothing stored, and 201 to the retry', async () => {
    const way = new Way()
    await way.mend()
    const handle = handleOver(way)
    const world = open(storeOn(handle))
    const key = await keyIn(world)
    expect((await world.post(ROW, key)).status).toBe(201)
    const before = await stored()
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const lock = database.sql.begin(async (tx) => {
      await tx`lock table observations in share mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const headers = { 'idempotency-key': 'cut' }
    const reply = world.post({ ...ROW, rate: 9 }, key, headers)
    await waitingSession()
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    expectUnavailable(await reply)
    release.resolve()
    await lock
    expect(await stored()).toBe(before)
    expect((await world.post({ ...ROW, rate: 9 }, key, headers)).status).toBe(201)
    expect(await stored()).toBe(before + 1)
    await handle.close()
    await way.cut()
  })

  test('returns 503 from a read-only standby', async () => {
    const sql = connect(database.url, { connectionsMax: 1 })
    await sql`set default_transaction_read_only = on`
    const close = () => sql.end({ timeout: 0 })
    const handle = { sql, db: drizzle(sql), kind: 'external', where: 'test', close } as const
    const world = open(storeOn(handle))
    expectUnavailable(await world.post(ROW, await keyIn(world)))
    await close()
  })

  /** Resolves once a session of this database waits for a lock. */
  async function waitingSession(): Promise<void> {
    for (;;) {
      const rows = await database.sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      if (rows.length > 0) return
    }
  }
})
