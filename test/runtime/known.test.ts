import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pruneObservations } from '~/jobs/prune-observations.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { readPool } from '~/store/read-pool.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { connectedTo } from '../mcp/tool-world.ts'
import { inArrays, observation, stockedDatabase } from '../store/samples.ts'
import { clockAt } from '../support/clock.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import type { Reply } from '../support/world.ts'
import { addAccount, Replica } from './replica-scene.ts'

const YEARS = 5
const PAIR = 'from=USD&to=KES'
const iso = (ms: number): string => new Date(ms).toISOString()

let database: FreshDatabase
let replica: Replica
let key: string
/** The time when prices of 2011, 2012 and 2026 had been recorded, and nothing had been pruned. */
let wholeAt: string
/** The buckets of 2011 at that time. */
let whole: Reply
/** The time after they were pruned, and one of today was recorded. */
let prunedAt: string

beforeAll(async () => {
  database = await stockedDatabase()
  const nowMs = Date.now()
  const times = [Date.UTC(2011, 0), Date.UTC(2011, 6), Date.UTC(2012, 0), nowMs - 1000]
  const rows = times.map((effectiveMs) => observation({ effectiveMs }))
  await importObservations({ database, rows: inArrays(rows) })
  ;[key] = (await addAccount(database, { role: 'treasury' })).keys as [string]
  const clock = clockAt(iso(await serverMs()))
  wholeAt = iso(clock.now())
  replica = await Replica.start(database, { clock })
  whole = await replica.get(BUCKETS, key)
  const store = createRetentionStore(database)
  const rollups = createRollupStore(database)
  await pruneObservations({ store, rollups, clock, actor: 'a test' }, YEARS)
  clock.set(iso(await serverMs()))
  const row = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 140 }
  expect((await replica.post([row], key)).status).toBe(201)
  prunedAt = iso(clock.now())
}, TEST_MS_MAX)
afterAll(async () => {
  await replica.service.stop()
  await database.close()
})

/** The server's time a millisecond from now, at which everything recorded counts as known. */
async function serverMs(): Promise<number> {
  const [row] = await database.sql<[{ ms: string }]>`
    select ceil(extract(epoch from clock_timestamp()) * 1000) + 1 as ms`
  return Number(row.ms)
}

const BUCKETS = `/time-series?${PAIR}&interval=P1D&start=2010-12-30T00:00:00Z&end=2011-12-01T00:00:00Z`

const GONE = [
  `/historical?${PAIR}&date=2011-08-01`,
  `/rates/history?${PAIR}&until=2011-12-01T00:00:00Z&period=365d`,
]

test('a time whose rows were pruned since is a 400 not_kept with the limit, and not an empty response', async () => {
  for (const path of GONE) {
    const { status, body } = await replica.get(`${path}&known_at=${wholeAt}`, key)
    expect([path, status, body]).toMatchObject([path, 400, { code: 'not_kept' }])
    const limitMs = Date.parse(body.limit)
    expect(limitMs).toBeLessThanOrEqual(Date.now() - YEARS * 365 * 86_400_000)
    expect(body.error).toContain(body.limit)
  }
})

test('a time before the limit is a 400 not_kept on every path', async () => {
  for (const path of [...GONE, `/rates?${PAIR}`, `/convert?${PAIR}&amount=5`]) {
    const { status, body } = await replica.get(`${path}&known_at=2012-05-01T00:00:00Z`, key)
    expect([path, status, body]).toMatchObject([path, 400, { code: 'not_kept' }])
  }
})

test('a time after which rows were pruned has its response of then: empty', async () => {
  for (const path of GONE) {
    const { status, body } = await replica.get(`${path}&known_at=${prunedAt}`, key)
    expect([path, status, body.count]).toEqual([path, 200, 0])
  }
})

test('candles of hours, which are counted from what was pruned, are refused', async () => {
  const hours = `/time-series?${PAIR}&interval=PT1H&ohlc=true&start=2011-01-01T00:00:00Z`
  const path = `${hours}&end=2011-01-02T00:00:00Z`
  expect((await replica.get(path, key)).status).toBe(200)
  const { status, body } = await replica.get(`${path}&known_at=${wholeAt}`, key)
  expect([status, body.code]).toEqual([400, 'not_kept'])
})

test('buckets stay unchanged, and are refused once a row was added to what was pruned', async () => {
  const then = () => replica.get(`${BUCKETS}&known_at=${wholeAt}`, key)
  const { timestamp: _, ...body } = (await then()).body
  expect(whole.body.count).toBeGreaterThan(1)
  expect(body).toEqual({ ...whole.body, timestamp: undefined, known_at: wholeAt })
  const row = observation({ rate: '150', effectiveMs: Date.UTC(2011, 0, 1, 0, 10) })
  await importObservations({ database, rows: inArrays([row]) })
  const late = await then()
  expect([late.status, late.body]).toMatchObject([400, { code: 'not_kept' }])
  const since = `/time-series?${PAIR}&interval=P1D&period=7d&known_at=${wholeAt}`
  expect((await replica.get(since, key)).status).toBe(200)
})

test('a retained time has its response of before the pruning', async () => {
  const { status, body } = await replica.get(`/rates?${PAIR}&known_at=${wholeAt}`, key)
  expect([status, body.providers.map(({ rate }: { rate: number }) => rate)]).toEqual([200, [129.5]])
})

test('a request waits for no second connection, which others of its kind may hold', async () => {
  const pool = readPool(database, { connectionsMax: 1 })
  const known = createKnownStore(pool)
  const codes = await known.at(Date.parse(wholeAt), async ({ catalogue }) =>
    (await catalogue()).currencies.map(({ code }) => code),
  )
  await pool.close()
  expect(codes).toContain('KES')
})

test('a tool returns the response of REST', async () => {
  const tools = await connectedTo(`${replica.service.origin}/mcp`, key)
  const ask = { from: 'USD', to: 'KES', known_at: wholeAt }
  const { isError, body } = await tools.call('get_rates', ask)
  expect([isError, body.known_at]).toEqual([false, wholeAt])
  const rest = await replica.get(`/rates?${PAIR}&known_at=${wholeAt}`, key)
  expect(body.providers).toMatchObject([{ rate: 129.5, provider_id: 'retail-a' }])
  expect(body.count).toBe(rest.body.count)
  for (const name of ['get_rates', 'get_history']) {
    const { links } = (await tools.call(name, ask)).body
    for (const link of [links.page, links.csv])
      expect([name, new URL(link).searchParams.get('known_at')]).toEqual([name, wholeAt])
  }
  const refused = await tools.call('get_rates', { ...ask, known_at: '2012-05-01T00:00:00Z' })
  expect([refused.isError, refused.body.code]).toEqual([true, 'not_kept'])
  const late = await tools.call('get_rates', { ...ask, known_at: '2999-05-01T00:00:00Z' })
  expect([late.isError, late.body.code]).toEqual([true, 'invalid_parameter'])
  await tools.client.close()
})
