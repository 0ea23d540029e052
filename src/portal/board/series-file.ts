import type { Fetch } from '~/http/handler.ts'
import { errorReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { limited, type PublicAsk, type PublicDeps } from '~/portal/public-page.tsx'
import { type SeriesDeps, seriesOf } from '~/service/series.ts'
import { csvLine } from '~/wire/csv-line.ts'
import { presentSeries, type TimeSeriesPoint } from '~/wire/series.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import { type ChartPeriod, chartPeriodOf, chartQuestion } from './chart-period.ts'

export const SERIES_PATH = '/board/series.csv'

const COLUMNS = [
  't',
  'mid',
  'best',
  'samples',
] satisfies (keyof (typeof TimeSeriesPoint)['properties'])[]

type Deps = PublicDeps & { readonly past: SeriesDeps }

/** The data of the board's chart as a file; the API offers it with a key. */
export const seriesFileRoutes = (deps: Deps): Route[] => [
  { method: 'GET', path: SERIES_PATH, handle: seriesFile(deps) },
]

const seriesFile = (deps: Deps): Fetch =>
  limited(deps, {
    over: (_request, seconds) =>
      new Response(`too many requests from your address; come back in ${seconds} s\n`, {
        status: 429,
        headers: { ...PLAIN_TEXT, 'retry-after': String(seconds) },
      }),
    async answer(ask) {
      try {
        return await fileReply(deps, ask)
      } catch (error) {
        return errorReply(error, deps.log)
      }
    },
  })

const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' }

async function fileReply({ past }: Deps, { url, view, nowMs }: PublicAsk): Promise<Response> {
  const { searchParams } = url
  const period: ChartPeriod = chartPeriodOf(searchParams.get('period'))
  const pair = { from: searchParams.get('from') ?? '', to: searchParams.get('to') ?? '' }
  const series = await seriesOf(past, view, chartQuestion({ ...pair, period }, nowMs))
  const { data } = presentSeries(series, view.freshness)
  const lines = [COLUMNS, ...data.map((row) => COLUMNS.map((name) => String(row[name] ?? '')))]
  const { from, to } = series.corridor
  return new Response(streamedBody(lines.map((line) => `${csvLine(line)}\r\n`).join('')), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${from}-${to}-${period}.csv"`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
  })
}
