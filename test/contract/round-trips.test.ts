import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '~/app.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { Refresher } from '~/jobs/refresh.ts'
import { UsageExchange } from '~/jobs/usage-exchange.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { UsageShares } from '~/memory/usage-shares.ts'
import { monthWriter } from '~/runtime/file/month-writer.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createMeterStore, LEASE_TRUST_MS } from '~/store/access/share-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createFileStore } from '~/store/file/file-store.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { FAILING, METERED } from '../http/questions.ts'
import { stockedDatabase } from '../store/samples.ts'
import { heldAlerts } from '../support/alerts.ts'
import { clockAt } from '../support/clock.ts'
import { underContract } from '../support/contract.ts'
import { noEvidence, testSigner } from '../support/evidence.ts'
import { followerOn, recorderOn } from '../support/followed.ts'
import { pastOf } from '../support/past.ts'
import { quietPortal } from '../support/portal.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { sourcesOf } from '../support/sources.ts'
import { worldStreams } from '../support/streams.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { unwatched } from '../support/unwatched.ts'
import { API, type Reply, replyOf } from '../support/world.ts'

const clock = clockAt('2026-03-05T14:25:30.500Z')
const queries: string[] = []
const memory = new Memory()
/** Counts only: usage is written only when a test writes it. */
const meter = new UsageMeter()
const keys: Record<Plan, string> = { free: '', pro: '', enterprise: '' }

let database: FreshDatabase
const LIMITS = { free: 50, pro: 250, enterprise: 1000 }

let app: ReturnType<typeof createApp>
let follower: ReturnType<typeof followerOn>

/** The service as `serve` composes it over a database, without its jobs. */
beforeAll(async () => {
  database = await stockedDatabase({ onQuery: (query) => queries.push(query) })
  await createReferenceStore(database).append({
    source: 'feed',
    fetchedMs: Date.parse('2026-03-05T12:00:00Z'),
    rates: ['GBP', 'EUR', 'KES', 'NGN'].map((currency) => ({ currency, perUsd: '2' })),
  })
  for (const plan of ['free', 'pro', 'enterprise'] as const) keys[plan] = await keyOf(plan)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  await new Refresher({ sources: sourcesOf(database), memory, meter, clock, log }).reload()
  follower = followerOn(database, { memory, clock })
  await follower.begin()
  app = underContract(appOf(meter))
}, TEST_MS_MAX)

const appOf = (counting: UsageMeter) =>
  createApp({
    memory,
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    metering: { meter: counting, limits: LIMITS },
    ageLimits: { midMaxAgeMs: 72 * 3_600_000, quoteMaxAgeMs: null, staleAfterMs: null },
    store: recorderOn(database, { follower, clock }),
    past: pastOf(database),
    known: createKnownStore(database),
    alerting: heldAlerts(),
    files: createFileStore(database),
    monthWriter,
    evidence: noEvidence,
    signer: testSigner,
    streams: worldStreams({ memory, clock }),
    tools: { handle: async () => new Response(null, { status: 404 }) },
    sample: null,
    corsOrigins: [],
    publicUrl: null,
    isProxied: false,
    portal: quietPortal(),
    isDatabaseReachable: async () => true,
    ...unwatched(),
  })

afterAll(() => database.close())

async function keyOf(plan: Plan, role: Role = 'treasury'): Promise<string> {
  const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
  const email = `${plan}@example.com`
  const keyHash = keyHashOf(key)
  await createAccountStore(database).create({ email, plan, role, keyName: 'default', keyHash })
  return key
}

const get = async (path: string, plan?: Plan): Promise<Reply> => {
  const headers: Record<string, string> = plan ? { 'x-api-key': keys[plan] } : {}
  return replyOf(await app.handle(new Request(`${API}${path}`, { headers })))
}

const READS = [...METERED.map(({ path }) => path), '/admin/usage', '/status']

describe('a read', () => {
  test('makes no database round trip, whatever it requests, at either tier', async () => {
    const row = { provider_id: 'retail-a', rate: 129, from: 'USD', to: 'KES' }
    const headers = { 'content-type': 'application/json', 'x-api-key': keys.enterprise }
    const init = { method: 'POST', headers, body: JSON.stringify(row) }
    const before = queries.length
    expect((await app.handle(new Request(`${API}/rates`, init))).status).toBe(201)
    expect(queries.length).toBeGreaterThan(before)
    queries.length = 0
    for (const plan of ['free', 'pro', 'enterprise'] as const) {
      for (const path of READS) expect([path, (await get(path, plan)).status]).toEqual([path, 200])
      for (const { path, status } of FAILING) expect((await get(path, plan)).status).toBe(status)
    }
    for (const path of [...READS, '/nope']) await get(path)
    for (let i = 0; i < 60; i++) await get('/providers', 'free')
    expect((await get('/providers', 'free')).status).toBe(429)
    expect(queries).toEqual([])
  })

  test('makes none when the hour or the day turns', async () => {
    queries.length = 0
    clock.set('2026-03-05T23:59:59.999Z')
    for (const path of READS) expect((await get(path, 'pro')).status).toBe(200)
    clock.advance(1)
    for (const path of READS) expect([path, (await get(path, 'free')).status]).toEqual([path, 200])
    expect(queries).toEqual([])
  })
})

/** The service as one of several on its database, with its turns of writing and taking shares. */
async function sharing() {
  const shares = new UsageShares(clock, LEASE_TRUST_MS)
  const counting = new UsageMeter(shares)
  const [usage, meters] = [createUsageStore(database), createMeterStore(database)]
  const exchange = new UsageExchange({ meter: counting, shares, usage, meters, clock })
  await exchange.start()
  const { fetch } = appOf(counting)
  const ask = (plan: Plan) =>
    fetch(new Request(`${API}/providers`, { headers: { 'x-api-key': keys[plan] } }))
  return { shares, exchange, ask }
}

const asksForShares = () => queries.filter((query) => query.includes('insert into usage_shares'))

describe('a read from a budget that processes share', () => {
  test('waits for no round trip as long as the database responds between two reads', async () => {
    const { shares, exchange, ask } = await sharing()
    queries.length = 0
    for (let i = 0; i < LIMITS.enterprise; i++) {
      const reply = ask('enterprise')
      expect(reply).toBeInstanceOf(Response)
      expect((reply as Response).status).toBe(200)
      if (shares.isAsking) await exchange.run()
    }
    expect((await ask('enterprise')).status).toBe(429)
    expect(shares.waits).toBe(0)
    expect(asksForShares().length).toBeLessThan(LIMITS.enterprise / 20)
    await exchange.stop()
  })

  test('waits when its share is used up, like all others that wait for the share, and loses no unit', async () => {
    const { shares, exchange, ask } = await sharing()
    queries.length = 0
    const replies = Array.from({ length: 300 }, () => ask('pro'))
    expect(replies.some((reply) => reply instanceof Promise)).toBe(true)
    const statuses = (await Promise.all(replies)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMITS.pro)
    expect(statuses.filter((status) => status === 429)).toHaveLength(50)
    expect(shares.waits).toBeGreaterThan(0)
    expect(asksForShares().length).toBeLessThan(15)
    await exchange.stop()
  })

  test('is counted all the same, in one later statement for all of them', async () => {
    const { exchange, ask } = await sharing()
    clock.advance(24 * 3_600_000)
    await exchange.run()
    const asked = ['pro', 'enterprise'] as const
    for (const plan of asked) expect((await ask(plan)).status).toBe(200)
    await exchange.run()
    queries.length = 0
    for (const plan of asked) expect((await ask(plan)).status).toBe(200)
    expect(queries).toEqual([])
    await exchange.run()
    expect(queries.filter((query) => query.includes('insert into usage ('))).toHaveLength(1)
    const [row] = await database.sql`
      select sum(requests)::int as units from usage
      where day = ${new Date(clock.now()).toISOString().slice(0, 10)}`
    expect(row).toEqual({ units: 4 })
    await exchange.stop()
  })
})
