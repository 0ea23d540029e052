import { loadSample } from '~/command/sample.ts'
import type { Corridor } from '~/domain/corridor.ts'
import { sampleShiftDays } from '~/sample/sample.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { keyOf } from '../accounts.ts'
import { emptyHome } from '../home.ts'
import { type Running, serve } from '../process.ts'
import { pinToServers } from './cores.ts'
import { type Market, type MarketOptions, market } from './market.ts'
import { offerMarket } from './offers.ts'

const LIVE_QUOTES = 5000
const CORRIDORS = 500
const SOURCES = [
  ...['USD', 'EUR', 'GBP', 'AED', 'CAD', 'CHF', 'SAR', 'ZAR', 'CNY', 'INR'],
  ...['JPY', 'AUD', 'BRL', 'KES', 'NGN', 'GHS', 'XOF', 'XAF', 'EGP', 'MAD'],
]
const TARGETS = [
  ...['UGX', 'TZS', 'RWF', 'ETB', 'ZMW', 'MWK', 'MZN', 'AOA', 'BWP', 'GMD'],
  ...['GNF', 'SLE', 'LRD', 'MGA', 'MUR', 'NAD', 'LYD', 'TND', 'DZD', 'BIF'],
  ...['CVE', 'CDF', 'DJF', 'KMF', 'LSL', 'SZL', 'SCR'],
]

export type Keys = {
  /** A realtime key that may record. */
  readonly realtime: string
  readonly hourly: string
  /** A key without units left. */
  readonly spent: string
}

export type Scene = {
  readonly database: Database
  readonly databaseUrl: string
  readonly service: Running
  readonly keys: Keys
  readonly market: Market
  /** One more corridor, with many offers. */
  readonly offers: Market
  /** The codes that `market` quotes between. */
  readonly sources: readonly string[]
  readonly targets: readonly string[]
  close(): Promise<void>
}

/**
 * The service in its own process on the sample and 5,000 generated live quotes: 500 corridors, each
 * quote with as many observations as `depth` says. Only the quotas and the age of mids are set;
 * keys, metering, limits and headers are the defaults.
 */
export async function openScene(dataDir: string, depth: number): Promise<Scene> {
  const home = await emptyHome(dataDir)
  const { database, url } = home
  const nowMs = Date.now()
  const shiftDays = sampleShiftDays(nowMs)
  const sample = { origin: 'http://localhost:3000', shiftDays, nowMs, say: () => {} }
  await loadSample(database, sample)
  const { quoted, offers } = await filled(database, { nowMs, depth })
  const settings = { DATABASE_URL: url, ...LIMITS, MID_MAX_AGE: '240h' }
  const keys = await keysOf(database)
  const service = await serve(settings)
  await pinToServers(service.pid)
  await spend(service.url, keys.spent, database)
  return {
    ...{ database, databaseUrl: url, service, keys, market: quoted, offers },
    sources: SOURCES,
    targets: TARGETS,
    async close() {
      await service.stop()
      await home.close()
    },
  }
}

/** Uses a key's only unit; resolves when the database has it. */
async function spend(url: string, key: string, { sql }: Database): Promise<void> {
  await fetch(`${url}/providers`, { headers: { 'x-api-key': key } })
  while ((await sql`select from usage`).length === 0) await Bun.sleep(50)
}

export const LIMITS = {
  AUTH_FAILURES_PER_MINUTE: '1000000',
  QUOTA_FREE: '1',
  QUOTA_PRO: '1000000000',
  QUOTA_ENTERPRISE: '1000000000',
}

export const keysOf = async (database: Database): Promise<Keys> => ({
  realtime: await keyOf(database, { role: 'treasury' }),
  hourly: await keyOf(database, { plan: 'pro' }),
  spent: await keyOf(database, { plan: 'free' }),
})

/** Quotes as many corridors as `CORRIDORS` lacks, the last of them with offers. */
async function filled(
  database: Database,
  { nowMs, depth }: Pick<MarketOptions, 'nowMs' | 'depth'>,
) {
  const { sql } = database
  const known = await sql`select source || '/' || target as pair from corridors`
  const taken = new Set(known.map(({ pair }) => pair))
  const free = SOURCES.flatMap((from) => TARGETS.map((to): Corridor => ({ from, to })))
    .filter(({ from, to }) => !taken.has(`${from}/${to}`))
    .slice(0, CORRIDORS - taken.size)
  const rates = await sql`
    select distinct on (currency) currency, per_usd
    from reference_rates order by currency, fetched_at desc`
  const perUsd = { USD: 1, ...Object.fromEntries(rates.map((r) => [r.currency, +r.per_usd])) }
  const options = { depth, nowMs, perUsd }
  const quoted = market(free.slice(0, -1), { ...options, liveQuotes: LIVE_QUOTES })
  const offers = offerMarket(free.slice(-1), options)
  await createCatalogueStore(database).apply({ currencies: [], providers: quoted.providers })
  for (const { rows } of [quoted, offers])
    await importObservations({ database, rows: inTurn(rows()) })
  await sql`vacuum (analyze)`
  return { quoted, offers }
}

export async function* inTurn<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}
