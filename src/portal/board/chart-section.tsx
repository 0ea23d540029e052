import { useContext } from 'preact/hooks'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Candle } from '~/domain/series.ts'
import { IsOfThen } from '~/portal/cite/known-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import { Sparkline } from '~/portal/sparkline.tsx'
import { rateDecimals } from '~/portal/words/format.ts'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { HeldPoint, HeldSeries } from '~/service/held-series.ts'
import { CHART_PERIODS, type ChartPeriod, periodInterval, periodWords } from './chart-period.ts'

type Props = {
  readonly from: string
  readonly to: string
  readonly period: ChartPeriod
  /** The series; null while its database is unreachable. */
  readonly series: HeldSeries | null
  hrefOf(period: ChartPeriod): string
  /** The file of now, which a page of an earlier time does not have. */
  readonly csvHref: string
}

/** Mid, best rate and samples over time: as a chart, a table and a file. */
export function ChartSection({ from, to, period, series, hrefOf, csvHref }: Props) {
  const { words, say, rich } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="chart-title" id="chart">
      <div class="chart-head">
        <h2 id="chart-title">
          {say('chart.title', { from, to, period: periodWords(words, period) })}
        </h2>
        <nav aria-label={say('chart.period')}>
          <ul class="tabs">
            {CHART_PERIODS.map((name) => (
              <li key={name}>
                <a href={hrefOf(name)} aria-current={name === period ? 'true' : undefined}>
                  {periodWords(words, name)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      {series ? (
        <Chart {...{ from, to, period, csvHref }} points={series.points} />
      ) : (
        <Notice kind="warn" title={say('chart.away')}>
          {rich('chart.away-why', { link: linkTo(hrefOf(period)) })}
        </Notice>
      )}
    </section>
  )
}

type ChartProps = Pick<Props, 'from' | 'to' | 'period' | 'csvHref'> & Pick<HeldSeries, 'points'>

type Unit = 'day' | 'hour'

const PLOT = { width: 1000, height: 300 }

function Chart({ from, to, period, csvHref, points }: ChartProps) {
  const { words, say, dayText, rateText } = useWords()
  const isOfThen = useContext(IsOfThen)
  const mid = points.map((point) => point.mid)
  const best = points.map((point) => point.standing)
  const rates = [...mid, ...best].filter((rate) => rate !== null)
  if (rates.length === 0) return <p class="muted">{say('chart.empty')}</p>
  const decimals = rateDecimals(rates)
  const unit = periodInterval(period) === 'P1D' ? 'day' : 'hour'
  const label = summary(words, { mid, best, period, unit })
  const isCarried = points.map((point) => isCarriedForward(point, unit))
  return (
    <>
      <Legend
        unit={unit}
        isCarried={isCarried.includes(true)}
        hasCandles={points.some(({ midCandle }) => candleText(midCandle) !== undefined)}
      />
      <div
        class="chart-plot"
        dir="ltr"
        data-chart="series"
        data-label={label}
        {...spoken(words, unit)}
      >
        <Sparkline {...{ mid, best, isCarried, ...PLOT, label }} />
        <p class="chart-ends small muted" aria-hidden="true">
          <span dir="auto">{dayText(points[0]!.startMs)}</span>
          <span dir="auto">
            {say('chart.from-to', {
              least: rateText(Math.min(...rates), decimals),
              most: rateText(Math.max(...rates), decimals),
            })}
          </span>
          <span dir="auto">{dayText(points.at(-1)!.startMs)}</span>
        </p>
      </div>
      <p class="small muted">{label}</p>
      <PointTable {...{ points, unit, decimals }} />
      {!isOfThen && (
        <p class="small">
          <a href={csvHref} download={`${from}-${to}-${period}.csv`}>
            {say('chart.csv')}
          </a>
        </p>
      )}
    </>
  )
}

const UNIT_MS: Readonly<Record<Unit, number>> = { day: DAY_MS, hour: HOUR_MS }

/** Reports whether the mid was more than a day old at the bucket's end. */
const isCarriedForward = ({ startMs, midAtMs }: HeldPoint, unit: Unit): boolean =>
  midAtMs !== null && midAtMs < startMs + UNIT_MS[unit] - DAY_MS

type LegendProps = { unit: Unit; isCarried: boolean; hasCandles: boolean }

function Legend({ unit, isCarried, hasCandles }: LegendProps) {
  const { say } = useWords()
  return (
    <p class="chart-legend muted small">
      <span class="key key-mid">{say(isCarried ? 'chart.key-mid-carried' : 'chart.key-mid')}</span>
      {hasCandles && (
        <span class="key key-candle" data-live hidden>
          {say('chart.key-candle', { unit })}
        </span>
      )}
      <span class="key key-best">{say('chart.key-best')}</span>
      <span class="key key-samples" data-live hidden>
        {say('chart.key-samples', { unit })}
      </span>
    </p>
  )
}

/** Texts of the chart's script, and its locale. */
const spoken = ({ say, locale, dateLocale }: Words, unit: Unit) => ({
  'data-unit': unit,
  'data-locale': locale,
  'data-dates': dateLocale,
  'data-words': JSON.stringify({
    tap: say('chart.tap'),
    point: say('chart.point'),
    keys: say('chart.keys'),
    none: say('chart.none'),
    range: say('chart.from-to', { least: '{low}', most: '{high}' }),
    reading: say('chart.reading', {
      time: '{time}',
      mid: '{mid}',
      best: '{best}',
      samples: '{samples}',
    }),
  }),
})

/** The chart in numbers, newest first. */
function PointTable({ points, unit, decimals }: TableProps) {
  const { say } = useWords()
  const heads = [say('chart.mid'), say('chart.best'), say('chart.samples')]
  return (
    <details class="chart-data">
      <summary>{say('chart.table')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by key */}
      <section class="table-frame chart-table" tabIndex={0} aria-label={say('chart.table-label')}>
        <table class="table" id="series">
          <thead>
            <tr>
              <th scope="col">{say('chart.unit', { unit })}</th>
              {heads.map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
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
}

type TableProps = { points: readonly HeldPoint[]; unit: Unit; decimals: number }

const LENGTH_OF = { day: 10, hour: 16 }

function Point({ point, unit, decimals }: PointProps) {
  const { say, dayText, rateText } = useWords()
  const iso = new Date(point.startMs).toISOString()
  const text = (rate: number | null) => (rate === null ? '' : rateText(rate, decimals))
  return (
    <tr>
      <td>
        <time dateTime={iso}>{iso.slice(0, LENGTH_OF[unit]).replace('T', ' ')}</time>
      </td>
      <td class="number" data-candle={candleText(point.midCandle)}>
        {isCarriedForward(point, unit) && (
          <span class="aside">{say('chart.mid-of', { day: dayText(point.midAtMs!) })} </span>
        )}
        {text(point.mid)}
      </td>
      <td class="number">{text(point.standing)}</td>
      <td class="number">{point.samples}</td>
    </tr>
  )
}

/** The open, high, low and close of a mid that moved in its bucket; none for one that did not. */
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

/** The chart in words, for people who do not see it: what moved, and where nothing is known. */
function summary(words: Words, { mid, best, period, unit }: Lines): string {
  const { say, rateText, percentText } = words
  const mids = mid.filter((rate) => rate !== null)
  const [first, last] = [mids[0], mids.at(-1)]
  const span = periodWords(words, period)
  const moved =
    first !== undefined && last !== undefined
      ? say('chart.moved', {
          span,
          first: rateText(first),
          last: rateText(last),
          percent: percentText((last / first - 1) * 100, true),
        })
      : say('chart.no-mid', { span })
  return `${moved} ${bestText(words, best, unit)}`
}

function bestText({ say, rateText }: Words, all: Lines['best'], unit: Unit): string {
  const bests = all.filter((rate) => rate !== null)
  if (bests.length === 0) return say('chart.no-best')
  const [low, high] = [rateText(Math.min(...bests)), rateText(Math.max(...bests))]
  const range = low === high ? say('chart.best-was', { low }) : say('chart.best-lay', { low, high })
  const missing = all.length - bests.length
  if (missing === 0) return `${range} ${say('chart.best-always', { unit, all: all.length })}`
  return `${range} ${say('chart.best-gaps', { unit, known: bests.length, missing })}`
}
