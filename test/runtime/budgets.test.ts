import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Plan } from '~/domain/quota.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { CURRENCIES, provider } from '../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { endServed, serve } from '../support/serve-child.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { addAccount } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const LIMITS: Readonly<Record<Plan, number>> = { free: 50, pro: 250, enterprise: 1000 }

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
  const providers = [provider('one')]
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
})
afterAll(async () => {
  await endServed()
  await database.close()
})

/** Starts a service on the database. */
const serveIt = (settings: Record<string, string> = {}) =>
  serve({ DATABASE_URL: database.url, ...settings })

type Budgeted = { readonly status: number; readonly remaining: number }

async function ask(url: string, headers: Record<string, string>): Promise<Budgeted> {
  const reply = await fetch(`${url}/providers`, { headers })
  await reply.arrayBuffer()
  return { status: reply.status, remaining: Number(reply.headers.get('x-ratelimit-remaining')) }
}

/** Outcomes of this many requests, with this concurrency, spread over all `urls`. */
async function flood(urls: readonly string[], key: string, options: Flood) {
  const { count, atOnce = count, ...other } = options
  const headers = { 'x-api-key': key, ...other }
  const replies: Budgeted[] = []
  let sent = 0
  const sender = async () => {
    while (sent < count) {
      const url = urls[sent++ % urls.length]!
      replies.push(await ask(url, headers))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  const ofStatus = (status: number) => replies.filter((one) => one.status === status)
  expect(replies.length).toBe(ofStatus(200).length + ofStatus(429).length)
  expect(replies.every(({ remaining }) => remaining >= 0)).toBe(true)
  expect(ofStatus(429).every(({ remaining }) => remaining === 0)).toBe(true)
  return { successes: ofStatus(200).length, refusals: ofStatus(429).length }
}

type Flood = {
  readonly count: number
  readonly atOnce?: number
  /** For workers, which share a port: a connection for each request, so that all are reached. */
  readonly connection?: 'close'
}

const PLANS = [
  ['free', { count: 300 }],
  ['enterprise', { count: 2500, atOnce: 200 }],
] as const

describe('a budget under concurrent requests', () => {
  let first: string
  let second = ''

  beforeAll(async () => {
    first = (await serveIt()).url
  })

  test.each(PLANS)(
    'of a %s key is spent exactly to the last unit by one process',
    async (plan, flooded) => {
      const { keys } = await addAccount(database, { plan })
      const { successes } = await flood([first], keys[0]!, flooded)
      expect(successes).toBe(LIMITS[plan])
    },
  )

  test.each(PLANS)(
    'of a %s key is exceeded by at most a tenth with two replicas',
    async (plan, flooded) => {
      second ||= (await serveIt()).url
      const { keys } = await addAccount(database, { plan })
      const { successes } = await flood([first, second], keys[0]!, flooded)
      expect(successes).toBeGreaterThanOrEqual(LIMITS[plan])
      expect(successes).toBeLessThanOrEqual(LIMITS[plan] * 1.1)
    },
  )

  test('is complete for a process that starts while another holds a part of it', async () => {
    const { keys } = await addAccount(database, { plan: 'free' })
    const before = await flood([first], keys[0]!, { count: 20 })
    const second = await serveIt()
    const after = await flood([second.url], keys[0]!, { count: 100 })
    const total = before.successes + after.successes
    expect(total).toBeGreaterThanOrEqual(LIMITS.free)
    expect(total).toBeLessThanOrEqual(LIMITS.free * 1.1)
    expect((await flood([first], keys[0]!, { count: 20 })).successes).toBeLessThanOrEqual(
      LIMITS.free * 1.1 - total,
    )
  })

  test('is complete for the others when a process that holds a part of it is killed', async () => {
    const { id, keys } = await addAccount(database, { plan: 'free' })
    const other = await serveIt()
    await flood([other.url], keys[0]!, { count: 20 })
    other.child.kill('SIGKILL')
    const after = await flood([first], keys[0]!, { count: 100 })
    expect(after.refusals).toBeGreaterThan(0)
    const counted = async () => {
      const [sum] = await database.sql<{ units: number }[]>`
        select sum(requests)::int as units from usage where account_id = ${id}`
      return sum!.units
    }
    await until('every unit that was not lost', async () => (await counted()) >= LIMITS.free)
    expect(await counted()).toBeLessThanOrEqual(LIMITS.free * 1.1)
  })

  test('stays the same across a clean restart', async () => {
    const { id, keys } = await addAccount(database, { plan: 'free' })
    const before = await serveIt()
    await flood([before.url], keys[0]!, { count: 30 })
    before.child.kill('SIGTERM')
    expect(await before.child.exited).toBe(0)
    const shares = await database.sql`select from usage_shares where account_id = ${id}`
    expect(shares).toHaveLength(0)
    const after = await serveIt()
    expect((await flood([after.url], keys[0]!, { count: 60 })).successes).toBe(20)
  })
})

describe('a budget that is requested all at once, of workers on one port,', () => {
  let url: string

  beforeAll(async () => {
    url = (await serveIt({ WORKERS: '2' })).url
  })

  test.each(PLANS)('of a %s key is exceeded by at most a tenth', async (plan, flooded) => {
    const { keys } = await addAccount(database, { plan })
    const { successes } = await flood([url], keys[0]!, { ...flooded, connection: 'close' })
    expect(successes).toBeGreaterThanOrEqual(LIMITS[plan])
    expect(successes).toBeLessThanOrEqual(LIMITS[plan] * 1.1)
  })
})
