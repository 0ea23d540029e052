import type { Corridor } from '~/domain/corridor.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Basis } from '~/domain/mid.ts'
import type { Window } from '~/domain/period.ts'
import type { Range } from '~/domain/price/suspect.ts'
import type { BelievedStretch, Bucket, BucketsAsk, Interval, Worth } from '~/domain/series.ts'
import { seriesOf, withActivity } from '~/store/activity.ts'
import { archivedPage, archivedTables, inBlocksOf, RATED } from '~/store/archive/rows.ts'
import { isCorridor, type Place, rowsOf } from '~/store/corridor-ids.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { rollupsIn } from '~/store/known/known-rollups.ts'
import { type BucketRow, bestOf, bucketed } from './bucket-parts.ts'
import { countedBest, executableKinds, withLast } from './rollup-parts.ts'

export function createSeriesStore(database: Database) {
  return {
    async buckets(ask: BucketsAsk): Promise<Bucket[]> {
      const rows = await rowsOf(database, ask.corridor, (place) =>
        bucketRows(database, { ...ask, ...place }),
      )
      return rows.map((row) => ({
        startMs: Number(row.start_ms),
        ...bestOf(row),
        samples: Number(row.samples),
      }))
    },
    async firstObservedMs(corridor: Corridor) {
      const [row] = await rowsOf(database, corridor, (place) => firstObserved(database, place))
      return row ? Number(row.at_ms) : null
    },
    async worthsBefore(currency: string, momentsMs: readonly number[]) {
      const rows = await worthRows(database, currency, momentsMs)
      const said = new Map(rows.map((row) => [Number(row.moment) - 1, worthOf(row)]))
      return carriedForward(said, momentsMs.length)
    },
    async worthRanges(currency: string, momentsMs: readonly number[]) {
      const ranges: (Range | null)[] = momentsMs.slice(1).map(() => null)
      for (const { nth, least, most } of await rangeRows(database, currency, momentsMs))
        ranges[nth - 1] = { least: Number(least), most: Number(most) }
      return ranges
    },
    async worthsIn(currency: string, windows: readonly Window[]) {
      const worths: Worth[][] = windows.map(() => [])
      for (const row of await turnRows(database, currency, windows))
        worths[Number(row.nth) - 1]!.push(worthOf(row))
      return worths
    },
    async believedBests(corridor: Corridor, ask: BelievedAsk) {
      const rows = await rowsOf(database, corridor, (place) => believedRows(database, place, ask))
      return new Map(
        rows.flatMap((row) => {
          const { best, candle } = bestOf(row)
          return best === null ? [] : [[Number(row.start_ms), { best, candle }]]
        }),
      )
    },
  }
}

/**
 * The buckets from roll-ups for whole hours, and from observations for an hour that the window ends
 * within; candles of hours from observations, as far as they are there.
 */
export function bucketRows(database: Database, ask: BucketsAsk & Place) {
  const { sql } = database
  const { corridorId, interval, fromMs, beforeMs, isOhlc = false } = ask
  const isOfMoments = isOhlc && interval === 'PT1H'
  const wholeMs = isOfMoments ? fromMs : Math.max(fromMs, hourStartMs(beforeMs))
  const window = { fromMs: database.knownMs === undefined ? wholeMs : fromMs, beforeMs }
  const archived = archivedTables(database, ask, { ...window, columns: RATED })
  const whole = sql`${instantText(wholeMs)}::timestamptz`
  const before = sql`${instantText(beforeMs)}::timestamptz`
  const open = sql`observations
    where corridor_id = ${corridorId}
      and effective_from >= ${whole} and effective_from < ${before}
      ${archived ? inBlocksOf(sql, whole, before) : sql``}`
  const openHour = sql`
    union all
    select effective_from,
      case when ${executableKinds(sql)} and applies and was_active then rate end, 1
    from ${withActivity(sql, withLast(sql, open), seriesOf(sql, corridorId))}`
  const counted = countedBest(sql, sql`rollups`)
  const hours = {
    from: sql`${instantText(fromMs)}::timestamptz`,
    before: sql`${instantText(isOfMoments ? beforeMs : wholeMs)}::timestamptz`,
  }
  const of = { ...ask, isArchived: archived !== null }
  const seen = sql`(
      select hour as at, ${counted} as best, ${isOfMoments ? sql`pruned` : sql`samples`} as samples
      from ${isOfMoments ? sql`rollups` : rollupsIn(database, of, hours)}
      where corridor_id = ${corridorId} and hour >= ${hours.from} and hour < ${hours.before}
        ${isOfMoments ? sql`and pruned > 0` : sql``}
      ${wholeMs < beforeMs ? openHour : sql``}
    ) seen`
  const rows = sql`from corridors c cross join ${seen} where ${isCorridor(sql, ask)}`
  return sql<BucketRow[]>`
    ${archived ? sql`with ${archived}` : sql``} ${bucketed(sql, ask, rows)}`
}

/** The first row of each corridor and month is never archived, but a handle may not know it. */
export function firstObserved(database: Database, place: Place) {
  const { sql, knownMs } = database
  const condition = sql`corridor_id = ${place.corridorId}`
  const first = { ...ALWAYS, order: 'asc', condition, rowsMax: 1 } as const
  const archived = knownMs === undefined ? null : archivedPage(database, place, first)
  return sql<{ at_ms: string }[]>`
    ${archived ? sql`with ${archived}` : sql``}
    select extract(epoch from effective_from) * 1000 as at_ms
    from corridors c
    cross join (
      select effective_from from observations
      where corridor_id = ${place.corridorId} order by effective_from, id limit 1
    ) first
    where ${isCorridor(sql, place)}`
}

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }

type WorthRow = {
  readonly per_usd: string
  readonly at_ms: string
  readonly basis?: Basis | null
}

const worthOf = ({ per_usd, at_ms, basis }: WorthRow): Worth => ({
  perUsd: Number(per_usd),
  atMs: Number(at_ms),
  ...(basis && { basis }),
})

/**
 * One index probe for each time, reaching back to the previous time at most: older values are
 * missing, and the caller carries them forward. A probe that may look back further reads a whole
 * page of the index for its one row.
 */
export function worthRows({ sql }: Database, currency: string, momentsMs: readonly number[]) {
  const moments = momentsMs.map(instantText)
  return sql<(WorthRow & { moment: string })[]>`
    select moment, r.per_usd, extract(epoch from r.fetched_at) * 1000 as at_ms
    from unnest(
      ${arrayLiteral(['-infinity', ...moments.slice(0, -1)])}::timestamptz[],
      ${arrayLiteral(moments)}::timestamptz[]
    ) with ordinality as moments (since, at, moment)
    cross join lateral (
      select per_usd, fetched_at from reference_rates
      where currency = ${currency}
        and fetched_at < moments.at and fetched_at >= moments.since
      order by fetched_at desc, id desc limit 1
    ) r`
}

/** The lowest and the highest value between each time and the next, in one range of the index. */
export function rangeRows({ sql }: Database, currency: string, momentsMs: readonly number[]) {
  const moments = momentsMs.map(instantText)
  return sql<{ nth: number; least: string; most: string }[]>`
    select width_bucket(fetched_at, ${arrayLiteral(moments)}::timestamptz[]) as nth,
      min(per_usd) as least, max(per_usd) as most
    from reference_rates
    where currency = ${currency}
      and fetched_at >= ${moments[0]!}::timestamptz
      and fetched_at < ${moments.at(-1)!}::timestamptz
    group by 1`
}

/** Every value of a currency in each window, and the one in force before it, in their order. */
export function turnRows({ sql }: Database, currency: string, windows: readonly Window[]) {
  const said = sql`
    select id, per_usd, fetched_at, basis from reference_rates
    where currency = ${currency} and fetched_at`
  return sql<(WorthRow & { nth: string })[]>`
    select nth, per_usd, basis, extract(epoch from fetched_at) * 1000 as at_ms
    from unnest(
      ${arrayLiteral(windows.map(({ fromMs }) => instantText(fromMs)))}::timestamptz[],
      ${arrayLiteral(windows.map(({ beforeMs }) => instantText(beforeMs)))}::timestamptz[]
    ) with ordinality as windows (since, before, nth)
    cross join lateral (
      (${said} < windows.since order by fetched_at desc, id desc limit 1)
      union all
      (${said} >= windows.since and fetched_at < windows.before)
    ) said
    order by nth, fetched_at, id`
}

type BelievedAsk = {
  readonly interval: Interval
  readonly isOhlc?: boolean
  /** In the order of time; each lies within one bucket. */
  readonly stretches: readonly BelievedStretch[]
}

/**
 * The best of each bucket among the rates that its stretches believe. For an hour whose
 * observations were pruned its roll-up counts, if any stretch of the hour believes it.
 */
export function believedRows(database: Database, place: Place, ask: BelievedAsk) {
  const { sql } = database
  const { stretches } = ask
  const fromMs = stretches[0]!.fromMs
  const beforeMs = stretches.at(-1)!.beforeMs
  const texts = (of: (stretch: BelievedStretch) => number) =>
    arrayLiteral(stretches.map(of).map(instantText))
  const numbers = (of: (stretch: BelievedStretch) => number) => arrayLiteral(stretches.map(of))
  const archived = archivedTables(database, place, { fromMs, beforeMs, columns: RATED })
  const said = sql`observations
    where corridor_id = ${place.corridorId}
      and effective_from >= ${instantText(fromMs)}::timestamptz
      and effective_from < ${instantText(beforeMs)}::timestamptz
      and effective_from >= stretches.since and effective_from < stretches.before
      ${archived ? inBlocksOf(sql, sql`stretches.since`, sql`stretches.before`) : sql``}`
  const counted = countedBest(sql, sql`rollups`)
  const believed = sql`::float8 between stretches.least and stretches.most`
  const rows = sql`
    from corridors c
    cross join unnest(
      ${texts(({ fromMs }) => fromMs)}::timestamptz[],
      ${texts(({ beforeMs }) => beforeMs)}::timestamptz[],
      ${numbers(({ least }) => least)}::float8[],
      ${numbers(({ most }) => most)}::float8[]
    ) as stretches (since, before, least, most)
    cross join lateral (
      select effective_from as at, rate as best, 0 as samples
      from ${withActivity(sql, withLast(sql, said), seriesOf(sql, place.corridorId))}
      where rate${believed} and ${executableKinds(sql)} and applies and was_active
      union all
      select hour, ${counted}, 0 from rollups
      where corridor_id = ${place.corridorId} and pruned > 0 and ${counted}${believed}
        and hour > stretches.since - interval '1 hour' and hour < stretches.before
    ) seen
    where ${isCorridor(sql, place)}`
  return sql<BucketRow[]>`
    ${archived ? sql`with ${archived}` : sql``} ${bucketed(sql, ask, rows)}`
}

function carriedForward(said: ReadonlyMap<number, Worth>, count: number): (Worth | null)[] {
  let held: Worth | null = null
  return Array.from({ length: count }, (_, i) => {
    held = said.get(i) ?? held
    return held
  })
}
