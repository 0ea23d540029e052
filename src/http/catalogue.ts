import { liveCorridors } from '~/service/corridors.ts'
import { presentCorridors, presentCurrencies, presentProviders } from '~/wire/catalogue.ts'
import { NoQuery } from '~/wire/parameters.ts'
import { type AccessDeps, meteredHandler } from './access.ts'
import type { Route } from './route.ts'

export const catalogueRoutes = (deps: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/currencies',
    handle: meteredHandler(deps, {
      query: NoQuery,
      isTiered: false,
      answer: ({ view, nowMs }) => {
        const { currencies } = view.catalogue
        return presentCurrencies({ currencies, corridors: liveCorridors(view) }, nowMs)
      },
    }),
  },
  {
    method: 'GET',
    path: '/corridors',
    handle: meteredHandler(deps, {
      query: NoQuery,
      isTiered: true,
      answer: ({ view }) => presentCorridors(liveCorridors(view), view.freshness),
    }),
  },
  {
    method: 'GET',
    path: '/providers',
    handle: meteredHandler(deps, {
      query: NoQuery,
      isTiered: false,
      answer: ({ view, nowMs }) => presentProviders(view.catalogue.providers, nowMs),
    }),
  },
]
