import { Type } from '@sinclair/typebox'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { PERIODS } from '~/domain/period.ts'
import { BUCKETS_MAX, INTERVALS, type Interval } from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'
import { type HistoryDeps, historyOf } from '~/service/history.ts'
import { type SeriesDeps, seriesOf } from '~/service/series.ts'
import { record, words } from '~/wire/fields.ts'
import { HistoryQuery, HistoryResponse, presentHistory } from '~/wire/history.ts'
import { readInstant } from '~/wire/moment.ts'
import { CorridorQuery, PROVIDER_ID_LENGTH_MAX } from '~/wire/parameters.ts'
import { iso } from '~/wire/present.ts'
import { presentSeries, SeriesResponse } from '~/wire/series.ts'
import {
  againWith,
  leftOut,
  pageFields,
  type Slice,
  sliced,
  sliceFields,
  upperFirst,
} from './page.ts'
import { type Tool, tool } from './tool.ts'

/** What the tools about the past need. */
export type HistoryToolDeps = HistoryDeps & SeriesDeps

const input = Type.Object({
  ...CorridorQuery.properties,
  period: words(PERIODS, { default: '30d', description: 'How far back from now.' }),
  interval: Type.Optional(
    words(INTERVALS, {
      description:
        `Ask for buckets instead of observations: P1D for UTC days (at most ${BUCKETS_MAX.P1D}), ` +
        `PT1H for UTC hours (at most ${BUCKETS_MAX.PT1H}).`,
    }),
  ),
  provider: Type.Optional(
    Type.String({
      description: 'A provider id, as listed by list_providers: only its observations.',
      maxLength: PROVIDER_ID_LENGTH_MAX,
      examples: ['western-union'],
    }),
  ),
  ...sliceFields,
  until: HistoryQuery.properties.until,
})

type Asked = Corridor &
  Slice & { readonly period: (typeof PERIODS)[number]; readonly untilMs: number | null }

/** All pages share the window of the first, however much later the next one is asked for. */
const nextFields = {
  ...pageFields,
  next_until: Type.Optional(
    Type.String({ description: 'Present with next_offset: ask again with it as until.' }),
  ),
}

export const getHistory = (past: HistoryToolDeps): Tool =>
  tool({
    name: 'get_history',
    title: 'Rates of a corridor over time',
    description:
      'How rates in one corridor moved. With `interval`: one point for each UTC day or hour with ' +
      'the mid-market rate, the best executable provider rate and the number of observations: ' +
      'use it for trends and charts. Without `interval`: every single observation as it was ' +
      'recorded, with provider, fee and kind of price: use it to see what one provider did. ' +
      'Rates are units of `to` per one unit of `from`, before fees; lists are oldest first. ' +
      'Observations of different rate_type are not comparable. For current rates use get_rates.',
    input,
    output: Type.Union(
      [
        record({ ...HistoryResponse.properties, ...nextFields }),
        record({ ...SeriesResponse.properties, ...nextFields }),
      ],
      { type: 'object' },
    ),
    answer({ args: { interval, provider, until, ...rest }, view }) {
      const asked = { ...rest, untilMs: readInstant('until', until) }
      if (interval === undefined) return observations(past, view, { ...asked, provider })
      if (provider === undefined) return buckets(past, view, { ...asked, interval })
      throw invalidParameter({
        name: 'provider',
        fault: 'buckets are of all providers; leave out interval to see one provider',
      })
    },
  })

async function observations(
  past: HistoryToolDeps,
  view: View,
  { provider = null, ...asked }: Asked & { provider?: string | null | undefined },
): Promise<object> {
  const question = { ...asked, provider, order: 'asc' } as const
  const history = await historyOf(past, view, question)
  const body = presentHistory(history, question, view.freshness)
  if (body.count === 0 && asked.offset > 0)
    return { ...body, note: `offset ${asked.offset} lies after the last observation` }
  if (!body.has_more) return body
  const [next, until] = [asked.offset + asked.limit, body.to_date]
  const note = `there are later observations; ${againWith(next, until)}`
  return { ...body, next_offset: next, next_until: until, note }
}

async function buckets(
  past: HistoryToolDeps,
  view: View,
  { limit, offset, untilMs, ...asked }: Asked & { interval: Interval },
): Promise<object> {
  const slice = { limit, offset }
  const series = await seriesOf(past, view, { ...asked, startMs: null, endMs: untilMs })
  const page = { ...series, points: sliced(series.points, slice) }
  const body = presentSeries(page, view.freshness)
  const until = iso(untilMs ?? view.freshness.nowMs)
  const rest = leftOut({ buckets: series.points.length }, { ...slice, until })
  const notes = [body.note, rest.note].filter((note) => note !== undefined)
  return {
    ...body,
    ...rest,
    ...(rest.next_offset !== undefined && { next_until: until }),
    ...(notes.length > 0 && { note: notes.map(upperFirst).join(' ') }),
  }
}
