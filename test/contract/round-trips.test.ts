import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '~/app.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { flushUsage } from '~/jobs/flush-usage.ts'
import { Refresher } from '~/jobs/refresh.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { createAccountStore } from '~/store/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { createUsageStore } from '~/store/usage-store.ts'
import { FAILING, METERED } from '../http/questions.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { clockAt } from '../support/clock.ts'
import { underContract } from '../support/contract.ts'
import { pastOf } from '../support/past.ts'
import { quietPortal } from '../support/portal.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { unwatched } from '../support/unwatched.ts'
import { API, type Reply, replyOf } from '../support/world.ts'

/** The first database of a test run waits for its server to be made. */
const START_MS_MAX = 30_000

const clock = clockAt('2026-03-05T14:25:30.500Z')
const queries: string[] = []
const memory = new Memory()
const meter = new UsageMeter()
const keys: Record<Plan, string> = { free: '', pro: '', enterprise: '' }

let database: FreshDatabase
let app: ReturnType<typeof createApp>

/** The service as `serve` composes it over a database, without its jobs. */
beforeAll(async () => {
  database = await freshDatabase({ onQuery: (query) => queries.push(query) })
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS })
  await createReferenceStore(database).append({
    source: 'feed',
    fetchedMs: Date.parse('2026-03-05T12:00:00Z'),
    rates: ['GBP', 'EUR', 'KES', 'NGN'].map((currency) => ({ currency, perUsd: '2' })),
  })
  for (const plan of ['free', 'pro', 'enterprise'] as const) keys[plan] = await keyOf(plan)
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const sources = {
    catalogue: createCatalogueStore(database),
    quotes: createQuoteStore(database),
    references: createReferenceStore(database),
    feeds: createFeedStateStore(database),
    access: createAccountStore(database),
    usage: createUsageStore(database),
  }
  await new Refresher({ sources, memory, meter, clock, log }).reload()
  app = underContract(
    createApp({
      memory,
      clock,
      log,
      metering: { meter, limits: { free: 50, pro: 250, enterprise: 1000 } },
      ageLimits: { midMaxAgeMs: 72 * 3_600_000, quoteMaxAgeMs: null },
      store: createObservationStore(database),
      past: pastOf(database),
      tools: { handle: async () => new Response(null, { status: 404 }) },
      sample: null,
      corsOrigins: [],
      publicUrl: null,
      portal: quietPortal(),
      isDatabaseReachable: async () => true,
      ...unwatched(),
    }),
  )
}, START_MS_MAX)

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
  test('makes no database round trip, whatever it asks, at either tier', async () => {
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

  test('makes none as the hour and the day turn', async () => {
    queries.length = 0
    clock.set('2026-03-05T23:59:59.999Z')
    for (const path of READS) expect((await get(path, 'pro')).status).toBe(200)
    clock.advance(1)
    for (const path of READS) expect([path, (await get(path, 'free')).status]).toEqual([path, 200])
    expect(queries).toEqual([])
  })

  test('is counted all the same: one later flush writes all of them in one statement', async () => {
    queries.length = 0
    await get('/providers', 'pro')
    await get('/providers', 'enterprise')
    const used = (await get('/admin/usage', 'pro')).body.used
    expect(queries).toEqual([])
    await flushUsage(meter, createUsageStore(database))
    expect(queries.filter((query) => query.includes('insert into usage'))).toHaveLength(1)
    expect((await get('/admin/usage', 'pro')).body.used).toBe(used)
  })
})
