import type { Period, Window } from '~/domain/period.ts'
import { BUCKETS_MAX, bucketEndMs, bucketStartMs, type Interval } from '~/domain/series.ts'
import type { AgeLimits } from '~/memory/view.ts'
import type { Words } from '~/portal/words/words.ts'
import type { HeldSeriesQuestion } from '~/service/held-series.ts'

export const CHART_PERIODS = ['7d', '30d', '90d', '1y'] as const

/** Length of the chart's past. */
export type ChartPeriod = (typeof CHART_PERIODS)[number]

type Span = {
  readonly interval: Interval
  /** The period of the API that the chart shows; null for as many buckets as it has at most. */
  readonly period: Period | null
}

const SPANS: Readonly<Record<ChartPeriod, Span>> = {
  '7d': { interval: 'PT1H', period: '7d' },
  '30d': { interval: 'P1D', period: '30d' },
  '90d': { interval: 'P1D', period: '90d' },
  '1y': { interval: 'P1D', period: null },
}

const DEFAULT: ChartPeriod = '90d'

/** The period with that name; the usual one for any other name. */
export const chartPeriodOf = (text: string | null): ChartPeriod =>
  CHART_PERIODS.find((period) => period === text) ?? DEFAULT

export const periodWords = ({ say }: Words, period: ChartPeriod): string =>
  say(`chart-period.${period}`)

export const periodInterval = (period: ChartPeriod): Interval => SPANS[period].interval

/** The time for which the chart holds a price, as the board calls it current; null for good. */
export function heldMsOf({ staleAfterMs, quoteMaxAgeMs }: AgeLimits): number | null {
  const limits = [staleAfterMs, quoteMaxAgeMs].filter((ms) => ms !== null)
  return limits.length === 0 ? null : Math.min(...limits)
}

export const chartQuestion = (
  { from, to, period }: { from: string; to: string; period: ChartPeriod },
  { nowMs, ageLimits }: { nowMs: number; ageLimits: AgeLimits },
): HeldSeriesQuestion => ({
  from,
  to,
  interval: SPANS[period].interval,
  period: SPANS[period].period ?? '90d',
  startMs: SPANS[period].period === null ? longest(period, nowMs).fromMs : null,
  endMs: null,
  heldMs: heldMsOf(ageLimits),
  isOhlc: SPANS[period].interval !== 'PT1H',
})

/** The current window of a chart in the parameters of `/time-series`. */
export function windowParameters(period: ChartPeriod, nowMs: number): string {
  const { period: known } = SPANS[period]
  if (known !== null) return `period=${known}`
  const { fromMs, beforeMs } = longest(period, nowMs)
  return `start=${secondText(fromMs)}&end=${secondText(beforeMs)}`
}

/** The maximum number of whole buckets, of which the last one is the present one. */
function longest(period: ChartPeriod, nowMs: number): Window {
  const { interval } = SPANS[period]
  const beforeMs = bucketEndMs(nowMs, interval)
  return { fromMs: bucketStartMs(beforeMs, interval, -BUCKETS_MAX[interval]), beforeMs }
}

const secondText = (ms: number): string => new Date(ms).toISOString().replace('.000', '')
