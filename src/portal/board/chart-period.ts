import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { BUCKETS_MAX, type Interval } from '~/domain/series.ts'
import type { SeriesQuestion } from '~/service/series.ts'

export const CHART_PERIODS = ['7d', '30d', '90d', '1y'] as const

/** How far back the chart goes. */
export type ChartPeriod = (typeof CHART_PERIODS)[number]

type Span = { readonly words: string; readonly interval: Interval; readonly lengthMs: number }

const SPANS: Readonly<Record<ChartPeriod, Span>> = {
  '7d': { words: '7 days', interval: 'PT1H', lengthMs: (BUCKETS_MAX.PT1H - 1) * HOUR_MS },
  '30d': { words: '30 days', interval: 'P1D', lengthMs: 30 * DAY_MS },
  '90d': { words: '90 days', interval: 'P1D', lengthMs: 90 * DAY_MS },
  '1y': { words: 'a year', interval: 'P1D', lengthMs: (BUCKETS_MAX.P1D - 1) * DAY_MS },
}

const DEFAULT: ChartPeriod = '90d'

/** The period with that name; the usual one for any other name. */
export const chartPeriodOf = (text: string | null): ChartPeriod =>
  CHART_PERIODS.find((period) => period === text) ?? DEFAULT

export const periodWords = (period: ChartPeriod): string => SPANS[period].words

export const periodInterval = (period: ChartPeriod): Interval => SPANS[period].interval

/** The start of a chart that ends now. */
export const periodStartMs = (period: ChartPeriod, nowMs: number): number =>
  nowMs - SPANS[period].lengthMs

/** The chart's question about the past. */
export const chartQuestion = (
  { from, to, period }: { from: string; to: string; period: ChartPeriod },
  nowMs: number,
): SeriesQuestion => ({
  from,
  to,
  interval: periodInterval(period),
  period: '30d',
  startMs: periodStartMs(period, nowMs),
  endMs: null,
})
