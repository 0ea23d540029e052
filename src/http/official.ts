import { officialOf } from '~/service/official.ts'
import {
  OfficialQuery,
  OfficialResponse,
  officialList,
  officialQuestion,
  presentOfficial,
} from '~/wire/official.ts'
import { type ColdDeps, coldRoute } from './cold-route.ts'
import type { Route } from './route.ts'

export const officialRoutes = (deps: ColdDeps): Route[] => [
  coldRoute(deps, {
    path: '/official',
    notes: {
      id: 'getOfficial',
      tag: 'Rates',
      summary: 'Official rates of a date',
      description:
        "What central banks stated for a date of their own calendar, each rate with that day's " +
        'mid, its distance from it, and its age. Where a bank stated none for the date, its ' +
        'nearest earlier rate.',
    },
    query: OfficialQuery,
    response: OfficialResponse,
    list: officialList,
    isOfCorridor: false,
    async answer({ query, view }) {
      const official = await officialOf(deps.past, view, officialQuestion(query))
      const body = presentOfficial(official, view.freshness)
      const { timestamp: _, ...basis } = body
      return { body, basis }
    },
  }),
]
