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
        'Rates that central banks published for a date of their own calendar, each with the ' +
        'mid of that day, the distance from it, and its age. If a bank published none for the ' +
        'date, its nearest earlier rate.',
    },
    query: OfficialQuery,
    response: OfficialResponse,
    list: officialList,
    isOfCorridor: false,
    async answer({ query, view }) {
      const official = await officialOf(deps.past, view, officialQuestion(query))
      return { body: presentOfficial(official, view.freshness) }
    },
  }),
]
