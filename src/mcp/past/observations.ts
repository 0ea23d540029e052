import { type Static, Type } from '@sinclair/typebox'
import { corridorKey } from '~/domain/corridor.ts'
import { shortened } from '~/mcp/answer/short.ts'
import { againWith, paged } from '~/mcp/page.ts'
import type { View } from '~/memory/view.ts'
import { type History, type HistoryDeps, type HistoryPoint, historyOf } from '~/service/history.ts'
import { HistoryQuery, historyQuestion, presentHistory } from '~/wire/history.ts'
import { iso } from '~/wire/present.ts'
import { extremesOf } from './extremes.ts'

const Asked = Type.Composite([HistoryQuery, Type.Object({ detail: Type.String() })])
type Asked = Static<typeof Asked>

/** The maximum number of observations that are read to find the lowest and the highest. */
const SUMMED_MAX = 5000

const WITHOUT = new Set([
  ...['limit', 'offset', 'order', 'provider_name', 'spread_bps'],
  ...['id', 'recorded_at', 'recorded_via'],
])
const OF_ONE_PROVIDER = new Set([...WITHOUT, 'provider_id'])

/** Observations of a corridor, a page of them, below what all in the window come to. */
export async function observationsOf(past: HistoryDeps, view: View, asked: Asked): Promise<object> {
  const question = historyQuestion(asked)
  const { limit, offset } = question
  const history = await historyOf(past, view, question)
  const isWhole = offset === 0 && !history.hasMore && question.order === 'asc'
  const all = isWhole
    ? history
    : await historyOf(past, view, {
        ...question,
        ...{ order: 'asc', limit: SUMMED_MAX, offset: 0, untilMs: history.toMs },
      })
  const { data, ...body } = presentHistory(history, question, view.freshness)
  const [next, until] = [offset + limit, body.to_date]
  const later = question.order === 'asc' ? 'later' : 'earlier'
  const shown = paged(
    body,
    history.hasMore
      ? {
          next_offset: next,
          note: `there are ${later} observations; ${againWith(next, until)}`,
        }
      : {},
    emptyNote(view, history, all, asked),
    all.hasMore ? `first, last, lowest and highest are of the first ${SUMMED_MAX} alone` : null,
  )
  const whole = {
    ...shown,
    ...(history.hasMore && { next_until: until }),
    ...extremesOf(all.points.filter(isSummed).map(ratedOf)),
    data,
  }
  return shortened(whole, {
    args: asked,
    entries: ['data'],
    without: asked.provider === undefined ? WITHOUT : OF_ONE_PROVIDER,
  })
}

/** Explains why a page is empty; null if it is not. */
function emptyNote(view: View, { points, ...history }: History, all: History, asked: Asked) {
  if (points.length > 0) return null
  if (all.points.length > 0) return `offset ${asked.offset} is after the last observation`
  const { corridor, fromMs, toMs } = history
  const lastMs = view
    .allQuotes(corridor.from, corridor.to)
    .filter(
      ({ atMs, providerId }) => atMs < fromMs && (asked.provider ?? providerId) === providerId,
    )
    .reduce<number | null>((newest, { atMs }) => Math.max(newest ?? atMs, atMs), null)
  const window = `from ${iso(fromMs)} to ${iso(toMs)}`
  const before =
    lastMs === null ? 'none is known from before' : `the last before is of ${iso(lastMs)}`
  return `No such price of ${corridorKey(corridor)} was recorded ${window}; ${before}.`
}

/** Reports whether an observation counts in what all come to. */
const isSummed = ({ isSuperseded, suspect }: HistoryPoint): boolean =>
  !isSuperseded && suspect === null

const ratedOf = ({ quote: { rate, rateType, atMs }, provider }: HistoryPoint) => ({
  kind: rateType,
  rate,
  shown: { at: iso(atMs), provider_id: provider.id },
})
