import { corridorChange } from '~/service/change.ts'
import { ChangeQuery, ChangeResponse, presentChange } from '~/wire/change.ts'
import { type ColdDeps, knowingRoute } from './cold-route.ts'
import type { Route } from './route.ts'

export const changeRoutes = (deps: ColdDeps): Route[] => [
  knowingRoute(deps, {
    path: '/change',
    notes: {
      id: 'getChange',
      tag: 'Rates',
      summary: 'How mid and best rate moved over a period',
      description:
        'The end is now, or the cutoff of the hourly tier; the start is one period earlier. Each ' +
        'end counts the providers active at that time, and the age of quotes and mids up to that ' +
        'time. A missing value is left out, and so is the change that needs it.',
    },
    query: ChangeQuery,
    response: ChangeResponse,
    isLive: true,
    async answer({ query, view }, past) {
      const body = presentChange(await corridorChange(past, view, query), view.freshness)
      const { timestamp: _, ...basis } = body
      const { at: _start, ...start } = body.start
      const { at: _end, ...end } = body.end
      return { body, basis: view.freshness.tier === 'hourly' ? basis : { ...basis, start, end } }
    },
  }),
]
