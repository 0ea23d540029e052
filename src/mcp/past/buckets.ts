import type { Corridor } from '~/domain/corridor.ts'
import type { Period } from '~/domain/period.ts'
import type { Interval } from '~/domain/series.ts'
import { leftOut, paged, type Slice, sliced } from '~/mcp/page.ts'
import type { View } from '~/memory/view.ts'
import { type SeriesDeps, type SeriesPoint, seriesOf } from '~/service/series.ts'
import { readInstant } from '~/wire/moment.ts'
import { iso } from '~/wire/present.ts'
import { presentSeries } from '~/wire/series.ts'
import { extremesOf } from './extremes.ts'

type Asked = Corridor &
  Slice & {
    readonly interval: Interval
    readonly period: Period
    readonly until?: string
    readonly order: 'asc' | 'desc'
    readonly detail: string
  }

/** The buckets of a corridor, a page of them, below what they come to. */
export async function bucketsOf(past: SeriesDeps, view: View, asked: Asked): Promise<object> {
  const { until: untilText, order, detail, ...question } = asked
  const untilMs = readInstant('until', untilText)
  const isOhlc = detail === 'full'
  const window = { startMs: null, endMs: untilMs }
  const series = await seriesOf(past, view, { ...question, ...window, isOhlc })
  const all = order === 'asc' ? series.points : series.points.toReversed()
  const until = iso(untilMs ?? view.freshness.nowMs)
  const page = leftOut({ buckets: all.length }, { ...asked, until })
  const { data, ...body } = paged(
    presentSeries({ ...series, points: sliced(all, asked) }, view.freshness),
    page,
    series.isTracked && series.points.every(({ mid, best }) => mid === null && best === null)
      ? 'Neither a mid nor a price is known of this time.'
      : null,
  )
  return {
    ...body,
    ...(page.next_offset !== undefined && { next_until: until }),
    ...summaryOf(series.points, asked.interval),
    data: isOhlc ? data : data.map((point) => shortPoint(point, asked.interval)),
  }
}

/** The first, last, lowest and highest mid and best rate of points, which are oldest first. */
function summaryOf(points: readonly SeriesPoint[], interval: Interval): object {
  const kinds = (['mid', 'best'] as const).flatMap((kind) =>
    points.flatMap((point) => {
      const rate = point[kind]
      return rate === null
        ? []
        : [
            {
              kind,
              rate,
              told: {
                ...timeOf(point, interval),
                ...(kind === 'mid' && carriedAt(point, interval)),
              },
            },
          ]
    }),
  )
  return extremesOf(kinds)
}

const timeOf = ({ startMs }: SeriesPoint, interval: Interval) => ({
  t: startText(iso(startMs), interval),
})

/** The time of a mid that is older than its bucket. */
const carriedAt = ({ startMs, midAtMs }: SeriesPoint, interval: Interval): object =>
  midAtMs !== null && midAtMs < startMs ? { mid_at: startText(iso(midAtMs), interval) } : {}

type Point = ReturnType<typeof presentSeries>['data'][number]

/** A point without what is not known, and without the time of a mid of the bucket's own day. */
function shortPoint({ t, mid, best, samples, mid_at }: Point, interval: Interval): object {
  const isCarried = mid_at !== null && mid_at < t
  return {
    t: startText(t, interval),
    ...(mid !== null && { mid }),
    ...(best !== null && { best }),
    ...(samples > 0 && { samples }),
    ...(isCarried && { mid_at: startText(mid_at, interval) }),
  }
}

const DATE_LENGTH = '2026-03-05'.length

/** Where a bucket starts: by its date, unless it is an hour. */
const startText = (t: string, interval: Interval): string =>
  interval === 'PT1H' ? t : t.slice(0, DATE_LENGTH)
