/** @jsxImportSource preact */

import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Candle } from '~/domain/series.ts'
import { dayText, percentText, rateDecimals, rateText } from '~/portal/format.ts'
import { Notice } from '~/portal/notice.tsx'
import { Sparkline } from '~/portal/sparkline.tsx'
import type { HeldPoint, HeldSeries } from '~/service/held-series.ts'
import { CHART_PERIODS, type ChartPeriod, periodInterval, periodWords } from './chart-period.ts'

type Props = {
  readonly from: string
  readonly to: string
  readonly period: ChartPeriod
  /** The series; null while the database that it is read from is away. */
  readonly series: HeldSeries | null
  /** The address of the board with another period. */
  hrefOf(period: ChartPeriod): string
  readonly csvHref: string
}

/** Mid, best rate and samples over time: as a chart, a table and a file. */
export function ChartSection({ from, to, period, series, hrefOf, csvHref }: Props) {
  return (
    <section class="stack-tight" aria-labelledby="chart-title" id="chart">
      <div class="chart-head">
        <h2 id="chart-title">
          {from} to {to} over {periodWords(period)}
        </h2>
        <nav aria-label="Period of the chart">
          <ul class="tabs">
            {CHART_PERIODS.map((name) => (
              <li key={name}>
                <a href={hrefOf(name)} aria-current={name === period ? 'true' : undefined}>
                  {periodWords(name)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      {series ? (
        <Chart {...{ from, to, period, csvHref }} points={series.points} />
      ) : (
        <Notice kind="warn" title="The chart is not available at the moment">
          The database with the history cannot be reached, or takes too long. The prices above are
          not affected; <a href={hrefOf(period)}>try the chart again</a> in a moment.
        </Notice>
      )}
    </section>
  )
}

type ChartProps = Pick<Props, 'from' | 'to' | 'period' | 'csvHref'> & Pick<HeldSeries, 'points'>

type Unit = 'day' | 'hour'

const PLOT = { width: 1000, height: 300 }

function Chart({ from, to, period, csvHref, points }: ChartProps) {
  const mid = points.map((point) => point.mid)
  const best = points.map((point) => point.standing)
  const rates = [...mid, ...best].filter((rate) => rate !== null)
  if (rates.length === 0)
    return <p class="muted">There is no mid and no price for this corridor in that time.</p>
  const decimals = rateDecimals(rates)
  const unit = periodInterval(period) === 'P1D' ? 'day' : 'hour'
  const label = summary({ mid, best, period, unit })
  const isCarried = points.map((point) => isCarriedForward(point, unit))
  return (
    <>
      <Legend
        unit={unit}
        isCarried={isCarried.includes(true)}
        hasCandles={points.some(({ midCandle }) => candleText(midCandle) !== undefined)}
      />
      <div class="chart-plot" data-chart="series" data-label={label} data-unit={unit}>
        <Sparkline {...{ mid, best, isCarried, ...PLOT, label }} />
        <p class="chart-ends small muted" aria-hidden="true">
          <span>{dayText(points[0]!.startMs)}</span>
          <span>
            from {rateText(Math.min(...rates), decimals)} to{' '}
            {rateText(Math.max(...rates), decimals)}
          </span>
          <span>{dayText(points.at(-1)!.startMs)}</span>
        </p>
      </div>
      <p class="small muted">{label}</p>
      <PointTable {...{ points, unit, decimals }} />
      <p class="small">
        <a href={csvHref} download={`${from}-${to}-${period}.csv`}>
          Download as CSV
        </a>
      </p>
    </>
  )
}

const UNIT_MS: Readonly<Record<Unit, number>> = { day: DAY_MS, hour: HOUR_MS }

/** Whether the mid was more than a day old at the bucket's end. */
const isCarriedForward = ({ startMs, midAtMs }: HeldPoint, unit: Unit): boolean =>
  midAtMs !== null && midAtMs < startMs + UNIT_MS[unit] - DAY_MS

type LegendProps = { unit: Unit; isCarried: boolean; hasCandles: boolean }

const Legend = ({ unit, isCarried, hasCandles }: LegendProps) => (
  <p class="chart-legend muted small">
    <span class="key key-mid">mid{isCarried && ', dashed where it is more than a day old'}</span>
    {hasCandles && (
      <span class="key key-candle" data-live hidden>
        how the mid moved in a {unit}: filled where it fell
      </span>
    )}
    <span class="key key-best">best rate that held, before fees</span>
    <span class="key key-samples" data-live hidden>
      new prices per {unit}
    </span>
  </p>
)

/** The chart in figures, newest first. */
const PointTable = ({ points, unit, decimals }: TableProps) => (
  <details class="chart-data">
    <summary>Show as a table</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key */}
    <section class="table-frame chart-table" tabIndex={0} aria-label="The chart as a table">
      <table class="table" id="series">
        <thead>
          <tr>
            <th scope="col">{unit === 'day' ? 'Day (UTC)' : 'Hour (UTC)'}</th>
            <th scope="col" class="number">
              Mid
            </th>
            <th scope="col" class="number">
              Best rate
            </th>
            <th scope="col" class="number">
              New prices
            </th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <Point key={point.startMs} point={point} unit={unit} decimals={decimals} />
          ))}
        </tbody>
      </table>
    </section>
  </details>
)

type TableProps = { points: readonly HeldPoint[]; unit: Unit; decimals: number }

const LENGTH_OF = { day: 10, hour: 16 }

function Point({ point, unit, decimals }: PointProps) {
  const iso = new Date(point.startMs).toISOString()
  const text = (rate: number | null) => (rate === null ? '' : rateText(rate, decimals))
  return (
    <tr>
      <td>
        <time dateTime={iso}>{iso.slice(0, LENGTH_OF[unit]).replace('T', ' ')}</time>
      </td>
      <td class="number" data-candle={candleText(point.midCandle)}>
        {isCarriedForward(point, unit) && <span class="beside">of {dayText(point.midAtMs!)} </span>}
        {text(point.mid)}
      </td>
      <td class="number">{text(point.standing)}</td>
      <td class="number">{point.samples}</td>
    </tr>
  )
}

/** The open, high, low and close of a mid that moved in its bucket; none for one that stood. */
const candleText = (candle: Candle | null): string | undefined =>
  candle && candle.high > candle.low
    ? [candle.open, candle.high, candle.low, candle.close].map(roundAmount).join(' ')
    : undefined

type PointProps = { point: HeldPoint; unit: Unit; decimals: number }

type Lines = {
  mid: readonly (number | null)[]
  best: readonly (number | null)[]
  period: ChartPeriod
  unit: Unit
}

/** The chart in words, for people who do not see it. */
function summary({ mid, best, period, unit }: Lines): string {
  const mids = mid.filter((rate) => rate !== null)
  const bests = best.filter((rate) => rate !== null)
  const [first, last] = [mids[0], mids.at(-1)]
  const moved =
    first !== undefined && last !== undefined
      ? `Over ${periodWords(period)} the mid went from ${rateText(first)} to ${rateText(last)} ` +
        `(${percentText((last / first - 1) * 10_000, true)}). `
      : `No mid is known over ${periodWords(period)}. `
  return moved + bestText(bests, `${best.length} ${unit}s`)
}

function bestText(bests: readonly number[], all: string): string {
  if (bests.length === 0) return 'No provider gave a price that money can be sent at.'
  const [low, high] = [rateText(Math.min(...bests)), rateText(Math.max(...bests))]
  const range = low === high ? `was ${low}` : `lay between ${low} and ${high}`
  return `The best rate ${range}; there was one for ${bests.length} of ${all}.`
}
