import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { bucketStartsMs } from '~/domain/series.ts'
import type { Database } from '~/store/database.ts'
import { foundRows } from '~/store/day-references.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createSeriesStore, worthRows } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { CORRIDORS, type Corridor, type Span } from './market.ts'

/** One kind of query; `i` makes each repetition different. */
export type Question = {
  readonly what: string
  /** Goal of the query, with words before the goal for the smaller history. */
  readonly goal: string
  readonly path: (i: number) => string
  /** A time within its span, for the query with `known_at`. */
  readonly knownMs: (i: number) => number
  /** The query by SQL alone, its rows read by the driver. */
  readonly sql: (database: Database, i: number) => PromiseLike<unknown>
  /** Says whether a repetition is served from memory. */
  readonly isKept: boolean
  /** Says whether it is also about the present, unless it has `known_at`. */
  readonly isOfNow?: true
  /** Number of repetitions before parts of its response are cached. */
  readonly asksMax?: number
}

type Page = {
  readonly limit: number
  readonly offset: number
  readonly provider: string | null
  readonly order: 'asc' | 'desc'
  /** Days from the end of the page's 90 days to now. */
  readonly daysAgo: number
}

const PERIOD_MS = 90 * DAY_MS
const HALF_YEAR_MS = 183 * DAY_MS
/** Each repetition of a page ends at an hour of its own, so that no part of it is cached. */
const ASKS_MAX = 240

const pairOf = ({ from, to }: Corridor): string => `from=${from}&to=${to}`
const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Queries about corridors in turn, up to the whole span back. */
export function questionsAt(span: Span, corridors: readonly Corridor[]): Question[] {
  const corridorAt = (i: number) => corridors.at((i * 37) % corridors.length)!
  const { nowMs } = span
  const dayMs = nowMs - (nowMs % DAY_MS)
  const days = Math.floor(span.spanMs / DAY_MS)
  /** Each repetition has a time of its own, so that no part of its response is cached. */
  const back = (i: number, of: number) => (1 + (Math.abs(i * 37) % of)) * DAY_MS
  const dateMs = (i: number) => dayMs - back(i, days - 30)
  const yearEndMs = (i: number) => dayMs - back(i, Math.max(30, days - 366))
  return [
    ...pages(nowMs, days, corridorAt),
    {
      what: '/time-series of 366 days',
      goal: 'under 15 ms, repeated under 1 ms, ',
      path: (i) => `/time-series?${pairOf(corridorAt(i))}&${yearUntil(yearEndMs(i))}`,
      knownMs: (i) => yearEndMs(i) - HALF_YEAR_MS,
      sql: (database, i) => seriesSql(database, corridorAt(i), yearEndMs(i)),
      isKept: true,
    },
    {
      what: '/time-series of 366 days with candles',
      goal: 'as /time-series, ',
      path: (i) => `/time-series?${pairOf(corridorAt(i))}&${yearUntil(yearEndMs(i))}&ohlc=true`,
      knownMs: (i) => yearEndMs(i) - HALF_YEAR_MS,
      sql: (database, i) => seriesSql(database, corridorAt(i), yearEndMs(i)),
      isKept: true,
    },
    {
      what: '/historical',
      goal: 'under 15 ms, ',
      path: (i) => `/historical?${pairOf(corridorAt(i))}&date=${isoDate(dateMs(i))}`,
      knownMs: (i) => dateMs(i) + DAY_MS,
      sql: (database, i) => snapshotSql(database, corridorAt(i), dateMs(i) + DAY_MS),
      isKept: true,
    },
    {
      what: '/change over 90 days',
      goal: 'under 15 ms, ',
      path: (i) => `/change?${pairOf(corridorAt(i))}&period=${i < 0 ? '30d' : '90d'}`,
      knownMs: (i) => nowMs - Math.abs(i) * HOUR_MS,
      isOfNow: true,
      asksMax: CORRIDORS.length / 10,
      sql: (database, i) => snapshotSql(database, corridorAt(i), nowMs - PERIOD_MS),
      isKept: false,
    },
  ]
}

const yearUntil = (lastMs: number): string => {
  const at = (days: number) => new Date(lastMs - days * DAY_MS).toISOString()
  return `start=${at(365)}&end=${at(-1)}`
}

function pages(nowMs: number, days: number, corridorAt: (i: number) => Corridor): Question[] {
  let pageQuestions = 0
  const page = (what: string, goal: string, more: Partial<Page>): Question => {
    const ask: Page = { limit: 500, offset: 0, provider: null, order: 'asc', daysAgo: 0, ...more }
    const { limit, offset, provider, order, daysAgo } = ask
    const lastMs = nowMs - daysAgo * DAY_MS - pageQuestions++ * ASKS_MAX * HOUR_MS
    const untilMs = (i: number) => lastMs - (ASKS_MAX / 2 + i) * HOUR_MS
    const question = `period=90d&limit=${limit}&offset=${offset}&order=${order}`
    const filter = provider ? `&provider=${provider}` : ''
    const window = (i: number) => `&until=${new Date(untilMs(i)).toISOString()}`
    return {
      what: `/rates/history ${what}`,
      goal,
      path: (i) => `/rates/history?${pairOf(corridorAt(i))}&${question}${filter}${window(i)}`,
      knownMs: untilMs,
      sql: (database, i) => pageSql(database, { ...ask, ...corridorAt(i) }, untilMs(i)),
      isKept: false,
    }
  }
  const provider = 'bench-7'
  return [
    page('of 500', 'under 10 ms, ', {}),
    page('of 500, newest first', '', { order: 'desc' }),
    page('of 500, of the first year', '', { daysAgo: days - Math.min(days / 2, 300) }),
    page('of 5,000', 'under 60 ms, ', { limit: 5000 }),
    page('of 5, the 2,000th', 'no slower than twice the first, ', { limit: 5, offset: 9995 }),
    page('of 5, the first', '', { limit: 5 }),
    page('of 100 of one provider', '', { limit: 100, provider }),
    page('of 100 of one provider, after 100', '', { limit: 100, offset: 100, provider }),
  ]
}

async function pageSql(database: Database, ask: Page & Corridor, untilMs: number): Promise<void> {
  const { from, to, provider, limit, offset, order } = ask
  const fromMs = untilMs - (untilMs % HOUR_MS) - PERIOD_MS
  const window = { fromMs, beforeMs: untilMs + 1, order, offset, limit: limit + 1 }
  const corridor = { from, to }
  const { page, standing: standingIn } = storesOf(database)
  const quotes = await page({ ...window, corridor, providerId: provider })
  if (quotes.length === 0) return
  const times = [quotes[0]!.atMs, quotes.at(-1)!.atMs]
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)]
  const standing = standingIn(corridor, standingAt(firstMs))
  if (!provider) return void (await standing)
  const meanwhile = { fromMs: firstMs, beforeMs: lastMs + 1 }
  const others = { ...window, ...meanwhile, corridor, providerId: null, offset: 0, limit: 20_001 }
  await Promise.all([standing, page(others)])
}

const stores = new WeakMap<Database, ReturnType<typeof storesIn>>()

const storesIn = (database: Database) => ({
  ...createHistoryStore(database),
  ...createSeriesStore(database),
  ...createSnapshotStore(database),
})

/** The stores of a database, which cache what they learn of it. */
function storesOf(database: Database) {
  const known = stores.get(database) ?? storesIn(database)
  stores.set(database, known)
  return known
}

const standingAt = (ms: number) => ({ sinceMs: ms, beforeMs: ms + 1 })

const legsOf = ({ from, to }: Corridor): string[] => [from, to].filter((code) => code !== 'USD')

const seriesSql = (database: Database, corridor: Corridor, lastMs: number) => {
  const window = { fromMs: lastMs - 365 * DAY_MS, beforeMs: lastMs + DAY_MS }
  const endsMs = bucketStartsMs(window, 'P1D').map((ms) => ms + DAY_MS)
  return Promise.all([
    storesOf(database).buckets({ ...window, corridor, interval: 'P1D' }),
    ...legsOf(corridor).map((leg) => worthRows(database, leg, endsMs)),
  ])
}

const snapshotSql = (database: Database, corridor: Corridor, beforeMs: number) =>
  Promise.all([
    storesOf(database).standing(corridor, standingAt(beforeMs - 1)),
    foundRows(
      database,
      legsOf(corridor).map((currency) => ({ currency, atMs: beforeMs - 1 })),
    ),
  ])
