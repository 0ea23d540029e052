import { seriesOf } from '~/service/series.ts'
import {
  presentSeries,
  SeriesQuery,
  SeriesResponse,
  seriesList,
  seriesQuestion,
} from '~/wire/series.ts'
import { type ColdDeps, knowingRoute } from './cold-route.ts'
import type { Route } from './route.ts'

export const seriesRoutes = (deps: ColdDeps): Route[] => [
  knowingRoute(deps, {
    path: '/time-series',
    notes: {
      id: 'getTimeSeries',
      tag: 'Rates',
      summary: 'Mid and best rate of a corridor in buckets',
      description:
        'Whole UTC buckets, oldest first: start and end are extended to the limits of a bucket. ' +
        "The bucket of the current time, or of the hourly tier's cutoff, is partial. Official " +
        'and parallel prices count in samples but are never best; neither are suspect prices, or ' +
        'those of a provider while it was not active.',
      mayCarry: ['X-As-Of', 'X-Note'],
    },
    query: SeriesQuery,
    response: SeriesResponse,
    list: seriesList,
    async answer({ query, view }, past) {
      const series = await seriesOf(past, view, seriesQuestion(query))
      const body = presentSeries(series, view.freshness)
      const { as_of, note } = body
      return {
        body,
        headers: { ...(as_of && { 'x-as-of': as_of }), ...(note && { 'x-note': note }) },
      }
    },
  }),
]
