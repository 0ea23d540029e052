import type { PublicAsk, PublicDeps } from '~/portal/public-page.tsx'
import { inTime } from '~/service/deadline.ts'
import { type HeldSeries, type HeldSeriesDeps, heldSeriesOf } from '~/service/held-series.ts'
import { type ChartPeriod, chartQuestion } from './chart-period.ts'

/** The time that a page waits for the past before it leaves it out. */
const CHART_WAIT_MS = 1500

type Deps = Pick<PublicDeps, 'log' | 'ageLimits'> & { readonly past: HeldSeriesDeps }

type Question = { readonly from: string; readonly to: string; readonly period: ChartPeriod }

/** The series of a page's chart; null if the past cannot be read, or not soon enough. */
export async function chartSeries(
  { past, log, ageLimits }: Deps,
  { view, nowMs }: Pick<PublicAsk, 'view' | 'nowMs'>,
  question: Question,
): Promise<HeldSeries | null> {
  try {
    const series = heldSeriesOf(past, view, chartQuestion(question, { nowMs, ageLimits }))
    return await inTime(series, { msMax: CHART_WAIT_MS, message: 'the chart took too long' })
  } catch (err) {
    log.warn({ err }, 'a page is shown without its chart')
    return null
  }
}
