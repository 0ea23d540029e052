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
      const full = presentSeries(series, view.freshness)
      const { timestamp: _, data: _points, ...basis } = full
      return {
        body: full,
        basis,
        headers: {
          ...(full.as_of && { 'x-as-of': full.as_of }),
          ...(full.note && { 'x-note': full.note }),
        },
      }
    },
  }),
]
