import { type Static, Type } from '@sinclair/typebox'
import { corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { roundAmount } from '~/domain/round.ts'
import { BUCKETS_MAX, INTERVALS } from '~/domain/series.ts'
import type { Series, SeriesPoint, SeriesQuestion } from '~/service/series.ts'
import { freshnessFields, Instant, namedRecord, nullable, words } from './fields.ts'
import { periodParameter } from './history.ts'
import { List } from './list/list.ts'
import { readInstant } from './moment.ts'
import { CorridorQuery } from './parameters.ts'
import { iso, presentFreshness } from './present.ts'

export const SeriesQuery = Type.Object({
  ...CorridorQuery.properties,
  interval: words(INTERVALS, {
    default: 'P1D',
    description:
      `Length of a bucket: a UTC day (at most ${BUCKETS_MAX.P1D} of them) ` +
      `or a UTC hour (at most ${BUCKETS_MAX.PT1H}).`,
  }),
  period: periodParameter('How far back the window goes from its end.', '30d'),
  start: Type.Optional(
    Type.String({
      description: 'An ISO-8601 date-time at which the window starts; it overrides period.',
      format: 'date-time',
      examples: ['2026-03-01T00:00:00Z'],
    }),
  ),
  end: Type.Optional(
    Type.String({
      description: 'An ISO-8601 date-time at which the window ends, instead of now.',
      format: 'date-time',
      examples: ['2026-03-05T00:00:00Z'],
    }),
  ),
})

export const TimeSeriesPoint = namedRecord('TimeSeriesPoint', {
  t: Type.String({ ...Instant, description: 'Where the bucket starts, UTC.' }),
  mid: nullable(
    Type.Number({
      description: "Last mid known at the bucket's end; null before the feed's history begins.",
    }),
  ),
  best: nullable(
    Type.Number({
      description:
        'Highest executable rate observed in the bucket that was not suspect, of providers ' +
        'active at the time; null without.',
    }),
  ),
  samples: Type.Integer({ description: 'Observations in the bucket, of every kind.' }),
  mid_at: nullable(
    Type.String({
      ...Instant,
      description:
        "The time of the mid, its staler leg's: before t where the mid is carried forward.",
    }),
  ),
})

export const SeriesResponse = namedRecord('TimeSeriesResponse', {
  corridor: Type.String({ examples: ['USD/KES'] }),
  interval: words(INTERVALS),
  start: Instant,
  end: Instant,
  tracked_corridor: Type.Boolean({ description: 'Whether any provider ever quoted the pair.' }),
  data: Type.Array(TimeSeriesPoint),
  count: Type.Integer(),
  note: Type.Optional(
    Type.String({ description: 'A remark on the window, or on an untracked pair.' }),
  ),
  ...freshnessFields,
})

/** Buckets as rows; the window as a whole is left out. */
export const seriesList = new List({
  response: SeriesResponse,
  entries: 'data',
  without: ['start', 'end'],
  about: ({ corridor, interval }) => ['time-series', corridor, interval],
})

/** The question that a checked query asks. Throws a 400 for a text that is not a date-time. */
export function seriesQuestion(query: Static<typeof SeriesQuery>): SeriesQuestion {
  const { start, end, ...rest } = query
  return { ...rest, startMs: readInstant('start', start), endMs: readInstant('end', end) }
}

export function presentSeries(series: Series, freshness: Freshness): Static<typeof SeriesResponse> {
  const { corridor, interval, window, isTracked, points } = series
  const notes = notesOn(series)
  return {
    corridor: corridorKey(corridor),
    interval,
    start: iso(window.fromMs),
    end: iso(window.beforeMs),
    tracked_corridor: isTracked,
    data: points.map(presentPoint),
    count: points.length,
    ...(notes.length > 0 && { note: notes.join(' ') }),
    ...presentFreshness(freshness),
  }
}

function notesOn({ interval, window, isTracked }: Series): string[] {
  const notes: string[] = []
  if (window.isCut)
    notes.push(
      `More than ${BUCKETS_MAX[interval]} buckets of ${interval} were asked for: ` +
        'these are the newest, and start has moved.',
    )
  if (window.isAhead)
    notes.push('The end asked for lies in the future: the series ends with the present bucket.')
  if (!isTracked) notes.push('No provider has quoted this pair: the series holds mids at most.')
  return notes
}

type Presented = Static<typeof TimeSeriesPoint>

/** The bodies of points that the service remembers, which come back as the same objects. */
const presented = new WeakMap<SeriesPoint, Presented>()

function presentPoint(point: SeriesPoint): Presented {
  const known = presented.get(point)
  if (known) return known
  const { startMs, mid, midAtMs, best, samples } = point
  const shown = {
    t: iso(startMs),
    mid: mid === null ? null : roundAmount(mid),
    best: best === null ? null : roundAmount(best),
    samples,
    mid_at: midAtMs === null ? null : iso(midAtMs),
  }
  presented.set(point, shown)
  return shown
}
