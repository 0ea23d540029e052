import { type Static, Type } from '@sinclair/typebox'
import { corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { roundAmount } from '~/domain/round.ts'
import { BUCKETS_MAX, type Candle, INTERVALS } from '~/domain/series.ts'
import type { Series, SeriesPoint, SeriesQuestion } from '~/service/series.ts'
import { freshnessFields, Instant, namedRecord, nullable, optional, words } from './fields.ts'
import { periodParameter } from './history.ts'
import { knownFields } from './known/known.ts'
import { List } from './list/list.ts'
import { readInstant } from './moment.ts'
import { CorridorQuery } from './parameters.ts'
import { iso, presentFreshness } from './present.ts'

export const SeriesQuery = Type.Object({
  ...CorridorQuery.properties,
  interval: words(INTERVALS, {
    default: 'P1D',
    description:
      `Length of a bucket: a UTC day (at most ${BUCKETS_MAX.P1D} of them), hour ` +
      `(${BUCKETS_MAX.PT1H}), ISO week, which begins on Monday (${BUCKETS_MAX.P1W}), or month ` +
      `(${BUCKETS_MAX.P1M}).`,
  }),
  ohlc: words(['false', 'true'], {
    default: 'false',
    description: 'true adds ohlc to each point: the first, highest, lowest and last rates.',
  }),
  period: periodParameter('How far back the window goes from its end.', '30d'),
  start: optional.string({
    description: 'An ISO-8601 date-time at which the window starts; it overrides period.',
    format: 'date-time',
    examples: ['2026-03-01T00:00:00Z'],
  }),
  end: optional.string({
    description: 'An ISO-8601 date-time at which the window ends, instead of now.',
    format: 'date-time',
    examples: ['2026-03-05T00:00:00Z'],
  }),
})

const SeriesCandle = namedRecord('SeriesCandle', {
  open: Type.Number(),
  high: Type.Number(),
  low: Type.Number(),
  close: Type.Number(),
})

export const TimeSeriesPoint = namedRecord('TimeSeriesPoint', {
  t: Type.String({ ...Instant, description: 'The start of the bucket, UTC.' }),
  mid: nullable.number({
    description: "Last mid known at the bucket's end; null before the feed's history begins.",
  }),
  best: nullable.number({
    description:
      'Highest executable rate in the bucket that was not suspect, of providers active at the ' +
      'time; null if there is none.',
  }),
  samples: Type.Integer({ description: 'Observations in the bucket, of every kind.' }),
  mid_at: nullable.string({
    ...Instant,
    description:
      'The time of the mid, that of its older leg; before t if the mid is carried forward.',
  }),
  ohlc: optional.record(
    { mid: nullable(SeriesCandle), best: nullable(SeriesCandle) },
    'With ohlc=true. `mid` opens with the mid in force at the start of the bucket and closes ' +
      "with `mid`. `best` is from the best rates of the bucket's hours, or in a bucket of one " +
      'hour from those at each observation; its high is `best`.',
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
  note: optional.string({ description: 'A remark on the window, or on an untracked pair.' }),
  ...freshnessFields,
  ...knownFields,
})

/** Buckets as rows; the window as a whole is left out. */
export const seriesList = new List({
  response: SeriesResponse,
  entries: 'data',
  without: ['start', 'end'],
  about: ({ corridor, interval }) => ['time-series', corridor, interval],
})

/** Reads a checked query. Throws a 400 for a string that is not a date-time. */
export function seriesQuestion(query: Static<typeof SeriesQuery>): SeriesQuestion {
  const { start, end, ohlc, ...rest } = query
  return {
    ...rest,
    isOhlc: ohlc === 'true',
    startMs: readInstant('start', start),
    endMs: readInstant('end', end),
  }
}

export function presentSeries(series: Series, freshness: Freshness): Static<typeof SeriesResponse> {
  const { corridor, interval, isOhlc, window, isTracked, points } = series
  const notes = notesOn(series)
  return {
    corridor: corridorKey(corridor),
    interval,
    start: iso(window.fromMs),
    end: iso(window.beforeMs),
    tracked_corridor: isTracked,
    data: points.map((point) => presentPoint(point, isOhlc)),
    count: points.length,
    ...(notes.length > 0 && { note: notes.join(' ') }),
    ...presentFreshness(freshness),
  }
}

function notesOn({ interval, window, isTracked }: Series): string[] {
  const notes: string[] = []
  if (window.isCut)
    notes.push(
      `More than ${BUCKETS_MAX[interval]} buckets of ${interval} were requested: ` +
        'these are the newest, and start has moved.',
    )
  if (window.isAhead)
    notes.push('The requested end is in the future: the series ends with the present bucket.')
  if (!isTracked) notes.push('No provider has quoted this pair: the series holds mids at most.')
  return notes
}

type Presented = Static<typeof TimeSeriesPoint>

/** The bodies of points that the service remembers, which come back as the same objects. */
const presented = new WeakMap<SeriesPoint, Presented>()

function presentPoint(point: SeriesPoint, isOhlc: boolean): Presented {
  const known = presented.get(point)
  if (known) return known
  const { startMs, mid, midAtMs, midCandle, best, candle, samples } = point
  const shown = {
    t: iso(startMs),
    mid: mid === null ? null : roundAmount(mid),
    best: best === null ? null : roundAmount(best),
    samples,
    mid_at: midAtMs === null ? null : iso(midAtMs),
    ...(isOhlc && { ohlc: { mid: presentCandle(midCandle), best: presentCandle(candle) } }),
  }
  presented.set(point, shown)
  return shown
}

const presentCandle = (candle: Candle | null): Static<typeof SeriesCandle> | null =>
  candle && {
    open: roundAmount(candle.open),
    high: roundAmount(candle.high),
    low: roundAmount(candle.low),
    close: roundAmount(candle.close),
  }
