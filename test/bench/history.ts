import { drizzle } from 'drizzle-orm/postgres-js'
import { DAY_MS } from '~/domain/duration.ts'
import type { ReferenceRow } from '~/domain/mid.ts'
import { bucketStartsMs } from '~/domain/series.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { connect, type Database } from '~/store/database.ts'
import { foundRows } from '~/store/day-references.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { migrate } from '~/store/migrate.ts'
import { pageStatement } from '~/store/past/history-store.ts'
import { bucketRows, worthRows } from '~/store/past/series-store.ts'
import { standingQuotes } from '~/store/past/snapshot-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { currency, provider } from '../support/catalogue.ts'
import { connectClient } from './client.ts'
import { PER_USD, perUsdAt, wander } from './dataset.ts'
import { command, serve } from './process.ts'
import { type Figure, median } from './table.ts'

const HOUR_MS = 3_600_000
const PROVIDERS = Array.from({ length: 71 }, (_, i) => provider(`bench-${i}`))
const TARGETS = ['KES', 'NGN', 'UGX', 'TZS', 'GHS', 'RWF', 'ETB', 'MAD', 'XOF', 'ZMW']
const SOURCES = ['USD', 'EUR', 'GBP', 'AED', 'CAD', 'CHF', 'SAR']
const CORRIDORS = SOURCES.flatMap((from) => TARGETS.map((to) => ({ from, to })))

type Sizes = { readonly historyRows: number; readonly asks: number }
type Corridor = { readonly from: string; readonly to: string }
type Market = { readonly corridors: readonly Corridor[]; readonly nowMs: number }

/** One question of many: `i` tells one asking from the next. */
type Question = {
  readonly what: string
  readonly goal: string
  readonly path: (i: number) => string
  /** The question by SQL alone, its rows read by the driver. */
  readonly sql: (database: Database, i: number) => PromiseLike<unknown>
  /** Whether asking again is answered from memory. */
  readonly isKept: boolean
}

type Times = { readonly p50: number; readonly p99: number }
type Measured = {
  readonly cold: Times
  readonly repeated: Times
  readonly sql: Times
}
type Scale = {
  readonly rows: number
  readonly measured: ReadonlyMap<string, Measured>
  readonly bytesPerRow: number
  readonly importRate: number
}

/**
 * The questions about the past on two histories, one of ten times as many corridors as the other,
 * each of them as long and as dense: so both give the same answers, from ten times the rows. Each
 * question is asked of the corridors in turn, then of one again and again, and beside them the same
 * statements through the driver.
 */
export async function history(dir: string, { historyRows, asks }: Sizes): Promise<Figure[]> {
  const nowMs = Date.now()
  const few = CORRIDORS.slice(0, CORRIDORS.length / 10)
  const [rows, corridors] = [historyRows, CORRIDORS]
  const short = await scaleOf(`${dir}/short`, { rows: rows / 10, corridors: few, asks, nowMs })
  const long = await scaleOf(`${dir}/long`, { rows, corridors, asks, nowMs })
  return [
    ...questionsAt(nowMs, CORRIDORS).flatMap((question) => figuresOf(question, short, long)),
    ...sizes(long),
  ]
}

async function scaleOf(
  dataDir: string,
  { rows, corridors, asks, nowMs }: Market & { rows: number; asks: number },
): Promise<Scale> {
  const embedded = await openEmbedded({ dataDir, use: 'command', say: () => {} })
  const { url } = embedded
  const sql = connect(url)
  const database: Database = {
    ...{ sql, db: drizzle(sql), kind: 'embedded', where: embedded.directory },
    close: () => sql.end(),
  }
  try {
    await migrate(database)
    const importRate = await filled(database, rows, { corridors, nowMs })
    const measured = await askedAll({ database, url, asks, corridors, nowMs })
    const [size] = await sql`
      select pg_total_relation_size('observations') + pg_total_relation_size('rollups') as bytes`
    return { rows, measured, importRate, bytesPerRow: Number(size!.bytes) / rows }
  } finally {
    await database.close()
    await embedded.close()
  }
}

/** Loads observations and two years of hourly references; observations a second. */
async function filled(
  database: Database,
  rows: number,
  { corridors, nowMs }: Market,
): Promise<number> {
  const codes = [...SOURCES, ...TARGETS].map((code) => currency(code))
  await createCatalogueStore(database).apply({ currencies: codes, providers: PROVIDERS })
  const pairs = corridors.flatMap((corridor) =>
    PROVIDERS.map(({ id }) => ({ ...corridor, providerId: id })),
  )
  const said = wander(pairs, { count: rows, nowMs, perUsd: PER_USD })
  await importReferences({ database, rows: references(nowMs) })
  const startMs = performance.now()
  await importObservations({ database, rows: asyncRows(said) })
  const rate = (rows * 1000) / (performance.now() - startMs)
  await database.sql`vacuum (analyze) observations, rollups, reference_rates, reference_snapshots`
  return rate
}

async function* asyncRows<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

async function* references(nowMs: number): AsyncGenerator<ReferenceRow[]> {
  const codes = [...new Set([...SOURCES, ...TARGETS])].filter((code) => code !== 'USD')
  for (let fetchedMs = nowMs - 730 * DAY_MS; fetchedMs < nowMs; fetchedMs += HOUR_MS)
    yield codes.map((currency) => {
      return { fetchedMs, source: 'bench', currency, perUsd: perUsdAt(currency, fetchedMs) }
    })
}

type Asking = Market & { database: Database; url: string; asks: number }

async function askedAll({
  database,
  url,
  asks,
  ...market
}: Asking): Promise<Map<string, Measured>> {
  const settings = { DATABASE_URL: url, QUOTA_ENTERPRISE: '1000000', MID_MAX_AGE: '240h' }
  const args = ['account', 'create', '--email', 'bench@example.com', '--plan', 'enterprise']
  const { key } = JSON.parse(await command([...args, '--json'], settings))
  const service = await serve(settings)
  const client = await connectClient(new URL(service.url), { 'x-api-key': key })
  try {
    const measured = new Map<string, Measured>()
    for (const question of questionsAt(market.nowMs, market.corridors))
      measured.set(question.what, await asked(question, { database, asks, get: client.get }))
    return measured
  } finally {
    client.close()
    await service.stop()
  }
}

type Side = { database: Database; asks: number; get(path: string): Promise<void> }

async function asked({ path, sql }: Question, { database, asks, get }: Side): Promise<Measured> {
  for (let i = 0; i < WARM_UP; i++) {
    await get(path(-1 - i))
    await sql(database, -1 - i)
  }
  const times = { cold: [] as number[], sql: [] as number[], repeated: [] as number[] }
  for (let i = 0; i < asks; i++) {
    times.cold.push(await timed(() => get(path(i))))
    times.sql.push(await timed(() => sql(database, i + SQL_AHEAD)))
  }
  for (let i = 0; i < asks; i++) times.repeated.push(await timed(() => get(path(0))))
  return {
    cold: percentiles(times.cold),
    sql: percentiles(times.sql),
    repeated: percentiles(times.repeated),
  }
}

const WARM_UP = 10
/** The driver is not asked what the service has just read, so that neither warms the other. */
const SQL_AHEAD = 31

async function timed(work: () => PromiseLike<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

function percentiles(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: median(times), p99: sorted[Math.ceil(sorted.length * 0.99) - 1]! }
}

const pairOf = ({ from, to }: Corridor): string => `from=${from}&to=${to}`
const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function questionsAt(nowMs: number, corridors: readonly Corridor[]): Question[] {
  const corridorAt = (i: number) => corridors.at(i % corridors.length)!
  const dayMs = nowMs - (nowMs % DAY_MS)
  return [
    ...pages(nowMs, corridorAt),
    {
      what: '/time-series of 366 days',
      goal: 'under 15 ms, repeated under 1 ms',
      path: (i) => `/time-series?${pairOf(corridorAt(i))}&${yearOf(dayMs, i)}`,
      sql: (database, i) => seriesSql(database, corridorAt(i), dayMs - daysBack(i) * DAY_MS),
      isKept: true,
    },
    {
      what: '/historical',
      goal: 'under 15 ms',
      path: (i) => `/historical?${pairOf(corridorAt(i))}&date=${isoDate(dayMs - dateOf(i))}`,
      sql: (database, i) => snapshotSql(database, corridorAt(i), dayMs - dateOf(i) + DAY_MS),
      isKept: true,
    },
    {
      what: '/change over 90 days',
      goal: 'under 15 ms',
      path: (i) => `/change?${pairOf(corridorAt(i))}&period=90d`,
      sql: (database, i) => snapshotSql(database, corridorAt(i), nowMs - 90 * DAY_MS),
      isKept: false,
    },
  ]
}

/** Each asking has a year of its own, so that none finds a part of its answer in memory. */
const daysBack = (i: number): number => 1 + (Math.abs(i) % 300)

const yearOf = (dayMs: number, i: number): string => {
  const at = (days: number) => new Date(dayMs - (daysBack(i) + days) * DAY_MS).toISOString()
  return `start=${at(365)}&end=${at(-1)}`
}

const dateOf = (i: number): number => (1 + Math.abs((i * 37) % 700)) * DAY_MS

function pages(nowMs: number, corridorAt: (i: number) => Corridor): Question[] {
  const page = (what: string, goal: string, more: Partial<Page>): Question => {
    const ask: Page = { limit: 500, offset: 0, provider: null, ...more }
    const { limit, offset, provider } = ask
    const question = `period=90d&limit=${limit}&offset=${offset}`
    const filter = provider ? `&provider=${provider}` : ''
    return {
      what: `/rates/history ${what}`,
      goal,
      path: (i) => `/rates/history?${pairOf(corridorAt(i))}&${question}${filter}`,
      sql: (database, i) => pageSql(database, { ...ask, ...corridorAt(i) }, nowMs),
      isKept: false,
    }
  }
  return [
    page('of 500', 'under 10 ms', {}),
    page('of 5,000', 'under 60 ms', { limit: 5000 }),
    page('of 5, the 2,000th', 'no slower than twice the first', { limit: 5, offset: 9995 }),
    page('of 5, the first', '', { limit: 5 }),
    page('of 100 of one provider', '', { limit: 100, provider: 'bench-7' }),
    page('of 100 of one provider, after 100', '', { limit: 100, offset: 100, provider: 'bench-7' }),
  ]
}

type Page = { limit: number; offset: number; provider: string | null }

async function pageSql(database: Database, ask: Page & Corridor, nowMs: number): Promise<void> {
  const { from, to, provider, limit, offset } = ask
  const fromMs = nowMs - (nowMs % HOUR_MS) - 90 * DAY_MS
  const window = { fromMs, beforeMs: nowMs + 1, order: 'asc' as const, offset, limit: limit + 1 }
  const corridor = { from, to }
  const rows = await pageStatement(database, { ...window, corridor, providerId: provider })
  const [first] = rows
  const last = rows.at(-1)
  if (!first || !last) return
  const standing = standingQuotes(database, corridor, standingAt(Number(first.at_ms)))
  if (!provider) return void (await standing)
  const meanwhile = { fromMs: Number(first.at_ms), beforeMs: Number(last.at_ms) + 1 }
  const others = { ...window, ...meanwhile, corridor, providerId: null, offset: 0, limit: 20_001 }
  await Promise.all([standing, pageStatement(database, others)])
}

const standingAt = (ms: number) => ({ sinceMs: ms, beforeMs: ms + 1 })

const legsOf = ({ from, to }: Corridor): string[] => [from, to].filter((code) => code !== 'USD')

const seriesSql = (database: Database, corridor: Corridor, dayMs: number) => {
  const window = { fromMs: dayMs - 365 * DAY_MS, beforeMs: dayMs + DAY_MS }
  const endsMs = bucketStartsMs(window, 'P1D').map((ms) => ms + DAY_MS)
  return Promise.all([
    bucketRows(database, { ...window, corridor, interval: 'P1D' }),
    ...legsOf(corridor).map((leg) => worthRows(database, leg, endsMs)),
  ])
}

const snapshotSql = (database: Database, corridor: Corridor, beforeMs: number) =>
  Promise.all([
    standingQuotes(database, corridor, standingAt(beforeMs - 1)),
    foundRows(
      database,
      legsOf(corridor).map((currency) => ({ currency, atMs: beforeMs - 1 })),
    ),
  ])

const millions = (rows: number): string =>
  rows >= 1e6 ? `${rows / 1e6} M` : `${rows.toLocaleString('en')}`

function figuresOf({ what, goal, isKept }: Question, short: Scale, long: Scale): Figure[] {
  const [a, b] = [short.measured.get(what)!, long.measured.get(what)!]
  const beside = (name: string, value: number) => ({ beside: { what: name, value } })
  const of = (name: string) => `${what}, ${name}, ${millions(long.rows)} observations`
  const shorter = millions(short.rows)
  return [
    { what: of('p50'), value: b.cold.p50, unit: 'ms', goal, ...beside(shorter, a.cold.p50) },
    { what: of('p99'), value: b.cold.p99, unit: 'ms', ...beside(shorter, a.cold.p99) },
    {
      what: of('p50'),
      value: b.cold.p50,
      unit: 'ms',
      goal: 'at most 1.5',
      ...beside('its SQL through the driver', b.sql.p50),
    },
    ...(isKept
      ? [
          {
            what: of('repeated, p50'),
            value: b.repeated.p50,
            unit: 'ms',
            ...beside('p99', b.repeated.p99),
          },
        ]
      : []),
  ]
}

const sizes = ({ rows, bytesPerRow, importRate }: Scale): Figure[] => [
  {
    what: `disk for one of ${millions(rows)} observations, with indexes and roll-ups`,
    value: bytesPerRow,
    unit: 'bytes',
  },
  { what: `rows imported with roll-ups, of ${millions(rows)}`, value: importRate, unit: 'rows/s' },
]
