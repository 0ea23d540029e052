import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { keyOf } from './accounts.ts'
import { dataset } from './dataset.ts'
import { serve } from './process.ts'
import { type Figure, percentile } from './table.ts'

const LIVE_QUOTES = 1000
/** Turns of each side in a round, so that both see the same load of the machine. */
const TURNS = 6
const FROM = ['USD', 'EUR', 'GBP', 'AED', 'CAD', 'CHF', 'SAR', 'ZAR', 'KES', 'XOF']
const TO = ['KES', 'NGN', 'UGX', 'TZS', 'GHS', 'RWF', 'ETB', 'MAD', 'XOF', 'ZMW']

type Scene = { readonly database: Database; readonly url: string }

/**
 * Latency of a 10 x 10 `GET /fetch-matrix` while the service waits for a hanging feed, against a
 * service without a feed on the same database, in turns.
 */
export async function feed(
  { database, url }: Scene,
  { rounds, requests }: { rounds: number; requests: number },
): Promise<Figure[]> {
  await fill(database)
  const upstream = hangingUpstream()
  const key = await keyOf(database)
  const settings = { DATABASE_URL: url, QUOTA_ENTERPRISE: '1000000000', LOG_LEVEL: 'silent' }
  const without = await serve(settings)
  const during = await serve({
    ...settings,
    REFERENCE_FEED: 'open-er-api',
    REFERENCE_FEED_URL: upstream.origin,
    REFERENCE_FEED_CRON: '* * * * * *',
  })
  await upstream.asked
  const measured = { without: [] as number[], during: [] as number[] }
  for (const { url } of [without, during]) await latenciesMs(url, key, requests)
  for (let turn = 0; turn < TURNS * rounds; turn++) {
    measured.without.push(...(await latenciesMs(without.url, key, requests)))
    measured.during.push(...(await latenciesMs(during.url, key, requests)))
  }
  await during.stop()
  await without.stop()
  upstream.stop()
  const figure = (percent: number): Figure => ({
    what: `GET /fetch-matrix 10 x 10 while a feed hangs, p${percent}`,
    value: percentile(measured.during, percent),
    unit: 'ms',
    beside: { what: 'without a feed', value: percentile(measured.without, percent) },
    goal: 'about 1',
  })
  return [figure(50), figure(99)]
}

/** Accepts every request and never responds. */
function hangingUpstream() {
  const asked = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch() {
      asked.resolve()
      return new Promise<Response>(() => {})
    },
  })
  const { origin } = server.url
  return { origin, asked: asked.promise, stop: () => void server.stop(true) }
}

async function latenciesMs(url: string, key: string, requests: number): Promise<number[]> {
  const path = `${url}/fetch-matrix?from=${FROM}&to=${TO}`
  const headers = { 'x-api-key': key }
  const latencies: number[] = []
  for (let i = 0; i < requests; i++) {
    const startMs = performance.now()
    const reply = await fetch(path, { headers })
    await reply.arrayBuffer()
    latencies.push(performance.now() - startMs)
    if (reply.status !== 200) throw new Error(`GET /fetch-matrix returned ${reply.status}`)
  }
  return latencies
}

async function fill(database: Database): Promise<void> {
  const nowMs = Date.now()
  const data = dataset({ liveQuotes: LIVE_QUOTES, nowMs })
  await createCatalogueStore(database).apply(data)
  const store = createObservationStore(database)
  for (const observations of data.rows(LIVE_QUOTES))
    await store.record({ observations, idempotency: null })
  const rates = [...new Set([...FROM, ...TO])]
    .filter((currency) => currency !== 'USD')
    .map((currency) => ({ currency, perUsd: '100' }))
  await createReferenceStore(database).append({ source: 'bench', fetchedMs: nowMs, rates })
}
