import { type ColdDeps, coldRoute } from '~/http/cold-route.ts'
import type { Route } from '~/http/route.ts'
import { referencesOf } from '~/service/references.ts'
import {
  presentReferences,
  ReferencesQuery,
  ReferencesResponse,
  referencesQuestion,
} from '~/wire/reference/references.ts'

export const referencesRoutes = (deps: ColdDeps): Route[] => [
  coldRoute(deps, {
    path: '/references',
    notes: {
      id: 'getReferences',
      tag: 'Rates',
      summary: 'The rates behind the mid of a currency',
      description:
        "Each reference feed's last rate of a currency by the end of a UTC date, whether the mid " +
        'uses it and why not; and the official rates of that date with their distance from the ' +
        'mid.',
    },
    query: ReferencesQuery,
    response: ReferencesResponse,
    isOfCorridor: false,
    async answer({ query, view }) {
      const references = await referencesOf(deps.past, view, referencesQuestion(query))
      return { body: presentReferences(references, view.freshness) }
    },
  }),
]
