import { ratesOf } from '~/service/rates.ts'
import { CorridorQuery } from '~/wire/parameters.ts'
import { presentRates } from '~/wire/rates.ts'
import { type AccessDeps, meteredHandler } from './access.ts'
import type { Route } from './route.ts'

export const ratesRoutes = (deps: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/rates',
    handle: meteredHandler(deps, {
      query: CorridorQuery,
      isTiered: true,
      answer: ({ query, view }) => presentRates(ratesOf(view, query), view.freshness),
    }),
  },
]
