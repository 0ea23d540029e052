import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { type Period, periodStartMs } from '~/domain/period.ts'
import { roundPercent } from '~/domain/round.ts'
import type { Interval } from '~/domain/series.ts'
import { leftOut, paged, type Slice, sliced } from '~/mcp/page.ts'
import type { View } from '~/memory/view.ts'
import { type Series, type SeriesDeps, type SeriesPoint, seriesOf } from '~/service/series.ts'
import { readInstant } from '~/wire/moment.ts'
import { iso } from '~/wire/present.ts'
import { presentSeries } from '~/wire/series.ts'
import { extremesOf, type Rated } from './extremes.ts'

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
  const { until: _, order, detail, ...question } = asked
  const isOhlc = detail === 'full'
  const window = windowOf(asked)
  const series = await seriesOf(past, view, { ...question, ...window, isOhlc })
  const all = order === 'asc' ? series.points : series.points.toReversed()
  const until = iso(window.endMs ?? view.freshness.nowMs)
  const page = leftOut({ buckets: all.length }, { ...asked, until })
  const { data, ...body } = paged(
    presentSeries({ ...series, points: sliced(all, asked) }, view.freshness),
    page,
    unknownNote(series),
  )
  return {
    ...body,
    ...(page.next_offset !== undefined && { next_until: until }),
    ...summaryOf(series.points, asked.interval),
    ...movesOf(series.points, asked.interval),
    data: isOhlc ? data : data.map((point) => shortPoint(point, asked.interval)),
  }
}

type Bounds = Pick<Asked, 'interval' | 'period'> & { readonly until?: string | undefined }

/** The window that buckets are of; null where the question leaves an end open. */
export function windowOf({ until, ...asked }: Bounds) {
  const endMs = readInstant('until', until)
  return { startMs: wholeDaysFrom(asked, endMs), endMs }
}

/**
 * The start of a window of whole days that ends with a day in the past, so that one day is one
 * bucket; null for any other end, from which a period is counted back.
 */
function wholeDaysFrom(
  { interval, period }: Pick<Asked, 'interval' | 'period'>,
  untilMs: number | null,
): number | null {
  if (interval !== 'P1D' || untilMs === null || (untilMs + 1) % DAY_MS !== 0) return null
  return periodStartMs(period, untilMs + 1)
}

const KINDS = ['mid', 'best'] as const

/** The first, last, lowest and highest mid and best rate of points, which are oldest first. */
const summaryOf = (points: readonly SeriesPoint[], interval: Interval): object =>
  extremesOf(KINDS.flatMap((kind) => points.flatMap((point) => ratedOf(point, kind, interval))))

function ratedOf(point: SeriesPoint, kind: 'mid' | 'best', interval: Interval): Rated[] {
  const { [kind]: rate, startMs, midAtMs } = point
  if (rate === null) return []
  const isCarried = kind === 'mid' && isMidCarried(point)
  const shown = {
    t: startText(iso(startMs), interval),
    ...(isCarried && { mid_at: startText(iso(midAtMs!), interval) }),
  }
  return [{ kind, rate, shown, isCarried }]
}

const isMidCarried = ({ startMs, midAtMs }: SeriesPoint): boolean =>
  midAtMs !== null && midAtMs < startMs

/** The largest move from one bucket to the next, either way; only mids of their own buckets. */
function movesOf(points: readonly SeriesPoint[], interval: Interval): object {
  const moves = KINDS.flatMap((kind) => {
    const found = points.slice(1).flatMap((point, i) => {
      const [before, after] = [points[i]!, point].map((one) => ratedOf(one, kind, interval)[0])
      if (!before || !after || before.isCarried || after.isCarried) return []
      return [{ pct: roundPercent((after.rate / before.rate - 1) * 100), ...after.shown }]
    })
    const [largest] = found.toSorted((a, b) => Math.abs(b.pct) - Math.abs(a.pct))
    return largest ? [[kind, largest] as const] : []
  })
  return moves.length === 0 ? {} : { largest_move: Object.fromEntries(moves) }
}

/** A note that nothing is known of a time, or no mid of that time itself; null if one is. */
function unknownNote({ isTracked, points }: Series): string | null {
  const mids = points.filter(({ mid }) => mid !== null)
  if (mids.length === 0)
    return isTracked && points.every(({ best }) => best === null)
      ? 'Neither a mid nor a price is known of this time.'
      : null
  if (mids.some((point) => !isMidCarried(point))) return null
  return `No mid of this time itself is known; the last before is of ${iso(mids.at(-1)!.midAtMs!)}.`
}

type Point = ReturnType<typeof presentSeries>['data'][number]

/**
 * A point without what is not known, and without the time of a mid of the bucket's own. A mid of
 * an earlier time has another name, so that it is not taken for one of the bucket.
 */
function shortPoint({ t, mid, best, samples, mid_at }: Point, interval: Interval): object {
  const isCarried = mid_at !== null && mid_at < t
  return {
    t: startText(t, interval),
    ...(mid !== null && { [isCarried ? 'carried_mid' : 'mid']: mid }),
    ...(best !== null && { best }),
    ...(samples > 0 && { samples }),
    ...(isCarried && { mid_at: startText(mid_at, interval) }),
  }
}

const DATE_LENGTH = '2026-03-05'.length

/** Start of a bucket: its date, unless it is an hour. */
const startText = (t: string, interval: Interval): string =>
  interval === 'PT1H' ? t : t.slice(0, DATE_LENGTH)
