import { drawnText, FONT } from '~/portal/picture/drawing.ts'
import { pairTitle } from '~/portal/place/pair.ts'
import type { Words } from '~/portal/words/words.ts'
import type { RankingQuery } from './query.ts'
import type { Row } from './ranking.ts'

export const CHART_ROWS_MAX = 15
export const CHART_WIDTH = 720

const GOAL_PCT = 3
const TOP = 84
const ROW = 37
const BAR = 12
const MARGIN = 20
const FOOT = 60
const WIDTH = CHART_WIDTH - 2 * MARGIN

const COLOURS = {
  paper: '#ffffff',
  ink: '#191c1f',
  soft: '#565c61',
  good: '#0b6b4f',
  over: '#9a4b00',
}

/** Keeps names readable where the line of the goal passes below them. */
const HALO = `stroke="${COLOURS.paper}" stroke-width="4" paint-order="stroke"`

export const chartHeight = (count: number): number =>
  TOP + Math.min(count, CHART_ROWS_MAX) * ROW + FOOT

export const rowName = (words: Words, { pair, provider }: Row): string =>
  pair ? pairTitle(words, pair) : provider!.name

export const rankingTitle = ({ say }: Words, { of, order }: RankingQuery): string =>
  say('ranking.chart-title', {
    what: say(`ranking-of.${of}`),
    order: say(`ranking-order.${order}`),
  })

type Drawn = {
  readonly words: Words
  readonly query: RankingQuery
  readonly rows: readonly Row[]
  readonly cutoffMs: number
  readonly isSample: boolean
  /** Host of the source, as people write it. */
  readonly host: string
}

/** The first rows as bars, with the goal of the United Nations as a line; nothing in it can run. */
export function rankingChart({ words, query, rows, cutoffMs, isSample, host }: Drawn): string {
  const shown = rows.slice(0, CHART_ROWS_MAX)
  const widest = Math.max(GOAL_PCT, ...shown.map(({ pct }) => pct))
  const height = chartHeight(shown.length)
  const isTurned = words.direction === 'rtl'
  const at = (fromStart: number) => (isTurned ? CHART_WIDTH - fromStart : fromStart)
  const atStart = isTurned ? 'text-anchor="end"' : ''
  const atEnd = isTurned ? '' : 'text-anchor="end"'
  const text = (x: number, y: number, said: string, more = '') =>
    `<text x="${x}" y="${y}" ${more}>${drawnText(words, said)}</text>`
  const bars = shown.map(({ pct }, i) => {
    const length = Math.max(0, (pct / widest) * WIDTH)
    const x = isTurned ? CHART_WIDTH - MARGIN - length : MARGIN
    const fill = pct <= GOAL_PCT ? COLOURS.good : COLOURS.over
    const size = `width="${length.toFixed(1)}" height="${BAR}"`
    return `<rect x="${x.toFixed(1)}" y="${TOP + i * ROW + 9}" ${size} fill="${fill}"/>`
  })
  const labels = shown.map((row, i) => {
    const y = TOP + i * ROW
    const percent = words.percentText(row.pct)
    return (
      text(at(MARGIN), y, words.isolated(rowName(words, row)), `${atStart} ${HALO}`) +
      text(at(CHART_WIDTH - MARGIN), y, percent, `${atEnd} ${HALO}`)
    )
  })
  const goal = at(MARGIN + (GOAL_PCT / widest) * WIDTH).toFixed(1)
  const end = height - FOOT
  const soft = `fill="${COLOURS.soft}" font-size="13" ${atStart}`
  const asOf = words.say('embed.as-of', { time: words.momentText(cutoffMs) })
  const origin = [
    `${words.isolated(host)} · ${asOf}`,
    ...(isSample ? [words.say('sample.banner')] : []),
  ]
  const title = rankingTitle(words, query)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CHART_WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${CHART_WIDTH} ${height}" lang="${words.language}" ` +
    `font-family="${FONT}, system-ui, sans-serif" font-size="15" fill="${COLOURS.ink}" ` +
    `role="img"><title>${Bun.escapeHTML(title)}</title>` +
    `<rect width="100%" height="100%" fill="${COLOURS.paper}"/>` +
    text(at(MARGIN), 30, title, `font-size="19" ${atStart}`) +
    text(at(MARGIN), 52, words.say('ranking.goal-line'), soft) +
    `${bars.join('')}<path d="M${goal} ${TOP - 14}V${end}" stroke="${COLOURS.ink}" ` +
    `stroke-dasharray="4 3"/>${labels.join('')}` +
    `${origin.map((line, i) => text(at(MARGIN), height - 34 + i * 20, line, soft)).join('')}</svg>`
  )
}
