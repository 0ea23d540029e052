import { roundAmount } from '~/domain/round.ts'
import { csvReply } from '~/portal/download.ts'
import { type PublicAsk, type PublicDeps, publicFile } from '~/portal/public-page.tsx'
import { type HeldSeriesDeps, heldSeriesOf } from '~/service/held-series.ts'
import { csvRow } from '~/wire/csv-line.ts'
import { presentSeries, type TimeSeriesPoint } from '~/wire/series.ts'
import { type ChartPeriod, chartPeriodOf, chartQuestion } from './chart-period.ts'

export const SERIES_PATH = '/board/series.csv'

const COLUMNS = [
  't',
  'mid',
  'best',
  'samples',
  'mid_at',
] satisfies (keyof (typeof TimeSeriesPoint)['properties'])[]

/** The column that the API does not have: the best rate in force at the end of the bucket. */
const STANDING = 'standing_best'

type Deps = PublicDeps & { readonly past: HeldSeriesDeps }

/** The data of the board's chart as a file; the API offers it with a key. */
export const seriesFileRoute = (deps: Deps) =>
  publicFile(deps, SERIES_PATH, (ask) => fileReply(deps, ask))

async function fileReply(
  { past, ageLimits }: Deps,
  { url, view, nowMs }: PublicAsk,
): Promise<Response> {
  const { searchParams } = url
  const period: ChartPeriod = chartPeriodOf(searchParams.get('period'))
  const pair = { from: searchParams.get('from') ?? '', to: searchParams.get('to') ?? '' }
  const series = await heldSeriesOf(
    past,
    view,
    chartQuestion({ ...pair, period }, { nowMs, ageLimits }),
  )
  const { data } = presentSeries(series, view.freshness)
  const standing = series.points.map((point) => point.standing)
  const lines = data.map((row, i) => [
    ...COLUMNS.map((name) => textOf(row[name])),
    textOf(standing[i] ?? null),
    view.freshness.isSample ? 'true' : '',
  ])
  const { from, to } = series.corridor
  const table = [[...COLUMNS, STANDING, 'sample'], ...lines]
  return csvReply(`${from}-${to}-${period}.csv`, table.map(csvRow).join(''))
}

const textOf = (value: string | number | null): string =>
  typeof value === 'number' ? String(roundAmount(value)) : (value ?? '')
