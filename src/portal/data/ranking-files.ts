import { roundPercent } from '~/domain/round.ts'
import { StaticFile } from '~/http/static-file.ts'
import { csvReply } from '~/portal/download.ts'
import { PATHS } from '~/portal/paths.ts'
import { png } from '~/portal/picture/drawing.ts'
import { type PublicAsk, type PublicDeps, publicFile } from '~/portal/public-page.tsx'
import { WorkLimit } from '~/service/work-limit.ts'
import { csvRow, plainText } from '~/wire/csv-line.ts'
import { CHART_WIDTH, rankingChart } from './chart.ts'
import { type RankingQuery, rankingQuery } from './query.ts'
import { AMOUNT_USD, type Row, rankingOf } from './ranking.ts'

const DRAWING = {
  runningMax: 1,
  waitingMax: 20,
  refusal: 'too many charts are being requested; retry shortly',
}

/** A chart speaks the language of its address, else that of the reader. */
const VARY = 'accept-encoding, accept-language, cookie'

/** The number of dots of a PNG for a unit of its drawing. */
export const SCALE = 2

/** A ranking as a table, and as a chart that other sites may show. */
export function rankingFileRoutes(deps: PublicDeps) {
  const drawing = new WorkLimit(DRAWING)
  return [
    publicFile(deps, `${PATHS.ranking}.csv`, tableReply),
    publicFile(deps, `${PATHS.ranking}.svg`, (ask) =>
      new StaticFile({
        bytes: chartOf(deps, ask),
        type: 'image/svg+xml',
        headers: { 'content-security-policy': "default-src 'none'", vary: VARY },
      }).reply(ask.request, 'minutes'),
    ),
    publicFile(deps, `${PATHS.ranking}.png`, async (ask) => {
      const svg = chartOf(deps, ask)
      const bytes = await drawing.run(() => png(svg, SCALE * CHART_WIDTH))
      const picture = { bytes, type: 'image/png', isPacked: true, headers: { vary: VARY } }
      return new StaticFile(picture).reply(ask.request, 'minutes')
    }),
  ]
}

function chartOf({ publicUrl }: PublicDeps, { url, view, words }: PublicAsk): string {
  const query = rankingQuery(url.searchParams)
  const { cutoffMs, isSample = false } = view.freshness
  const { host } = new URL(publicUrl ?? url.origin)
  return rankingChart({ words, query, rows: rankingOf(view, query), cutoffMs, isSample, host })
}

const PAIR_COLUMNS = [
  ...['source_country', 'target_country', 'from', 'to', 'average_pct', 'smart_pct', 'offers'],
  ...['suspect', 'meets_sdg_3', 'meets_sdg_5', 'meets_g20_1', 'amount_usd', 'as_of', 'sample'],
]

const PROVIDER_COLUMNS = [
  ...['provider_id', 'provider_name', 'average_pct', 'pairs', 'amount_usd', 'as_of', 'sample'],
]

function tableReply({ url, view }: PublicAsk): Response {
  const query = rankingQuery(url.searchParams)
  const { cutoffMs, isSample = false } = view.freshness
  const end = [String(AMOUNT_USD), new Date(cutoffMs).toISOString(), isSample ? 'true' : '']
  const lines = rankingOf(view, query).map((row) => [...fieldsOf(row), ...end])
  const table = [query.of === 'pairs' ? PAIR_COLUMNS : PROVIDER_COLUMNS, ...lines]
  return csvReply(fileName(query, cutoffMs), table.map(csvRow).join(''))
}

const fileName = ({ of }: RankingQuery, cutoffMs: number): string =>
  `costs-of-${of}-${new Date(cutoffMs).toISOString().slice(0, 10)}.csv`

const percent = (pct: number | null | undefined): string =>
  pct === null || pct === undefined ? '' : String(roundPercent(pct))

function fieldsOf({ pair, provider, pct, count }: Row): string[] {
  if (!pair) return [provider!.id, plainText(provider!.name), percent(pct), String(count)]
  const { sourceCountry, targetCountry, corridor, costs } = pair.found
  const { smart, meets, suspectCount } = costs
  return [
    ...[sourceCountry, targetCountry, corridor?.from ?? '', corridor?.to ?? ''],
    ...[percent(pct), percent(smart?.pct), String(count), String(suspectCount)],
    ...[meets?.sdg3, meets?.sdg5, meets?.g20].map((isMet) => String(isMet ?? '')),
  ]
}
