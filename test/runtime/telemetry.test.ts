import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { version } from '../../package.json'
import { stockedDatabase } from '../store/samples.ts'
import { DatabaseProxy } from '../support/database-proxy.ts'
import { Said } from '../support/exposition.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { Collector } from '../telemetry/collector.ts'
import { AT, addAccount, handleAt, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const ROW = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 129 }
/** A schedule so rare that only the start triggers a run. */
const SELDOM = '7 14 29 2 *'

let database: FreshDatabase
let key: string
const running: Replica[] = []

beforeEach(async () => {
  database = await stockedDatabase()
  key = (await addAccount(database, { role: 'treasury' })).keys[0]!
})
afterEach(async () => {
  for (const { service } of running.splice(0)) await service.stop()
  await database.close()
})

async function serve(settings: Record<string, string> = {}): Promise<Replica> {
  const replica = await Replica.start(database, { settings })
  running.push(replica)
  return replica
}

async function metricsOf({ service }: Replica): Promise<Said> {
  return new Said(await (await fetch(`${service.origin}/metrics`)).text())
}

const untilSaid = (what: string, replica: Replica, isSo: (metrics: Said) => boolean) =>
  until(what, async () => isSo(await metricsOf(replica)))

describe('the metrics of a service', () => {
  test('have the contents of memory and their age', async () => {
    await createReferenceStore(database).append({
      source: 'open-er-api',
      fetchedMs: Date.parse(AT) - 60_000,
      upstreamMs: Date.parse(AT) - 90_000,
      rates: [
        { currency: 'KES', perUsd: '130' },
        { currency: 'NGN', perUsd: '1500' },
      ],
    })
    const replica = await serve()
    await replica.post(
      [ROW, { ...ROW, to: 'NGN', rate: 1490 }, { ...ROW, provider_id: 'retail-b' }],
      key,
    )
    replica.clock.advance(5000)
    const metrics = await metricsOf(replica)
    const entries = metrics.all('corridor_memory_entries')
    expect(Object.fromEntries(entries.map(({ labels, value }) => [labels.index, value]))).toEqual({
      ...{ quotes: 3, corridors: 2, references: 2, keys: 1, currencies: 10, providers: 10 },
    })
    expect(metrics.value('corridor_memory_newest_quote_age_seconds')).toBe(5)
    expect(metrics.value('corridor_memory_newest_reference_age_seconds')).toBe(65)
    expect(metrics.value('corridor_memory_generation_age_seconds')).toBe(5)
    expect(metrics.value('corridor_memory_publications_total')).toBeGreaterThanOrEqual(2)
  })

  test("measure the time from another process's commit until it is served here", async () => {
    const [here, there] = [await serve(), await serve()]
    expect((await metricsOf(here)).value('corridor_replication_lag_seconds')).toBe(0)
    await there.post(ROW, key)
    const kind = { kind: 'observations' }
    let metrics = await metricsOf(here)
    await until('the notification, and none in progress', async () => {
      metrics = await metricsOf(here)
      const received = metrics.value('corridor_replication_news_total', kind)
      return received === 1 && metrics.value('corridor_replication_lag_seconds') === 0
    })
    const served = metrics.value('corridor_replication_delay_seconds_count')
    const received = metrics.all('corridor_replication_news_total').map(({ value }) => value)
    expect(served).toBe(received.reduce((sum, value) => sum + value, 0))
    const own = await metricsOf(there)
    expect(own.value('corridor_replication_news_total', kind)).toBeUndefined()
  })

  test('have how often jobs ran, for how long, and when they last succeeded', async () => {
    const replica = await serve()
    const job = { task: 'flush-usage' }
    const ran = { ...job, outcome: 'success' }
    await untilSaid('a run', replica, (metrics) => {
      return (metrics.value('corridor_job_runs_total', ran) ?? 0) > 0
    })
    const metrics = await metricsOf(replica)
    const runs = metrics.value('corridor_job_runs_total', ran)
    expect(metrics.value('corridor_job_runs_total', { ...job, outcome: 'failure' })).toBe(0)
    expect(metrics.value('corridor_job_duration_seconds_count', job)).toBe(runs!)
    expect(metrics.value('corridor_job_last_success_timestamp_seconds', job)).toBe(
      Date.parse(AT) / 1000,
    )
  })

  test("report a feed's outcomes, age and failures", async () => {
    const upstream = Bun.serve({ port: 0, fetch: () => new Response('gone', { status: 410 }) })
    const replica = await serve({
      REFERENCE_FEED: 'open-er-api',
      REFERENCE_FEED_CRON: SELDOM,
      REFERENCE_FEED_URL: `http://localhost:${upstream.port}`,
    })
    const feed = { feed: 'open-er-api' }
    await untilSaid('a failure', replica, (metrics) => {
      return metrics.value('corridor_feed_failing', feed) === 1
    })
    const metrics = await metricsOf(replica)
    expect(metrics.value('corridor_feed_runs_total', { ...feed, outcome: 'failure' })).toBe(1)
    expect(metrics.value('corridor_feed_runs_total', { ...feed, outcome: 'success' })).toBe(0)
    expect(metrics.value('corridor_feed_age_seconds', feed)).toBeUndefined()
    expect(metrics.value('corridor_feed_values_held_back')).toBe(0)
    await upstream.stop(true)
  })

  test('have the reason why a replica is not ready, in time even if the database hangs', async () => {
    const proxy = await DatabaseProxy.to(database.url)
    const replica = await Replica.start(database, { database: handleAt(database, proxy.port) })
    running.push(replica)
    const reasons = async () =>
      (await metricsOf(replica)).all('corridor_unready').map(({ value }) => value)
    expect(await reasons()).toEqual([0, 0, 0])
    proxy.mute('')
    const startMs = performance.now()
    expect(await reasons()).toEqual([0, 1, 0])
    expect(performance.now() - startMs).toBeLessThan(1500)
    const [, reason] = (await metricsOf(replica)).all('corridor_unready')
    expect(reason?.labels).toEqual({ reason: 'database_unavailable' })
    proxy.close()
  })

  test('report a provider, and corridors, that have been silent for longer than usual', async () => {
    const replica = await serve()
    for (const hours of [40, 30, 20, 10, 8]) {
      const sentAt = new Date(Date.parse(AT) - hours * HOUR_MS).toISOString()
      await replica.post({ ...ROW, effective_from: sentAt }, key)
      await replica.post({ ...ROW, provider_id: 'retail-b', effective_from: sentAt }, key)
      await replica.post(
        { ...ROW, provider_id: 'retail-b', to: 'NGN', effective_from: sentAt },
        key,
      )
    }
    replica.clock.advance(24 * HOUR_MS)
    await replica.post({ ...ROW, provider_id: 'retail-b' }, key)
    const other = await Replica.start(database, { clock: replica.clock })
    running.push(other)
    let silent: readonly object[] = []
    await until('a look at the providers', async () => {
      silent = (await metricsOf(other)).all('corridor_provider_silent_seconds')
      return silent.length > 0
    })
    expect(silent).toMatchObject([{ labels: { provider: 'retail-a' }, value: 32 * 3600 }])
    const partly = (await metricsOf(other)).all('corridor_provider_silent_corridors')
    expect(partly).toMatchObject([{ labels: { provider: 'retail-b' }, value: 1 }])
  })

  test('report quota, keys, cache, tools, pool, loop and process', async () => {
    const replica = await serve({ QUOTA_ENTERPRISE: '2' })
    for (let i = 0; i < 5; i++) await replica.get('/time-series?from=USD&to=KES', key)
    await replica.get('/rates?from=USD&to=KES', 'nobody')
    await untilSaid('a sample of the loop', replica, (metrics) => {
      return metrics.value('corridor_event_loop_delay_seconds_count')! > 0
    })
    const metrics = await metricsOf(replica)
    expect(metrics.value('corridor_quota_rejections_total')).toBe(3)
    expect(metrics.value('corridor_unauthorized_total')).toBe(1)
    expect(metrics.value('corridor_window_cache_misses_total')).toBeGreaterThan(0)
    expect(metrics.value('corridor_window_cache_hits_total')).toBeGreaterThan(0)
    expect(metrics.value('corridor_window_cache_entries')).toBeGreaterThan(0)
    expect(metrics.value('corridor_window_cache_evictions_total')).toBe(0)
    expect(metrics.value('corridor_database_connections_max', { pool: 'main' })).toBe(4)
    for (const pool of ['main', 'history']) {
      const states = metrics.all('corridor_database_connections', { pool })
      expect(states.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(1)
      expect(metrics.value('corridor_database_queries_waiting', { pool })).toBe(0)
    }
    expect(metrics.value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(metrics.value('process_cpu_seconds_total')).toBeGreaterThan(0)
    const startedMs = metrics.value('process_start_time_seconds')! * 1000
    expect(Math.abs(startedMs + performance.now() - Date.now())).toBeLessThan(60_000)
    const build = { version, revision: 'unknown', runtime: `bun ${Bun.version}` }
    expect(metrics.value('corridor_build_info', build)).toBe(1)
  })
})

describe('the traces of a service', () => {
  test('show the work in the database below a request, and jobs by themselves', async () => {
    const collector = new Collector()
    const upstream = Bun.serve({ port: 0, fetch: () => new Response('gone', { status: 410 }) })
    const replica = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'prices',
      OTEL_TRACES_SAMPLER: 'always_on',
      REFERENCE_FEED: 'open-er-api',
      REFERENCE_FEED_CRON: SELDOM,
      REFERENCE_FEED_URL: `http://localhost:${upstream.port}`,
    })
    expect((await replica.post(ROW, key)).status).toBe(201)
    expect((await replica.get('/rates/history?from=USD&to=KES', key)).status).toBe(200)
    await untilSaid('a run', replica, (metrics) => {
      const run = { task: 'fetch-references', outcome: 'failure' }
      return metrics.value('corridor_job_runs_total', run) === 1
    })
    await running.pop()!.service.stop()
    await upstream.stop(true)
    const pairs = collector.spans.flatMap(({ name, spanId }) =>
      collector.spans
        .filter(({ parentSpanId }) => parentSpanId === spanId)
        .map((child) => [name, child.name]),
    )
    expect(pairs).toContainEqual(['POST /api/v1/rates', 'database record'])
    expect(pairs).toContainEqual(['GET /api/v1/rates/history', 'database page'])
    expect(pairs).toContainEqual(['job fetch-references', 'feed open-er-api'])
    expect(collector.spans.map(({ name }) => name)).not.toContain('job flush-usage')
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'prices',
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    await collector.stop()
  })
})
