import { liveCorridors } from '~/service/corridors.ts'
import {
  CurrenciesResponse,
  ProvidersResponse,
  presentCurrencies,
  presentProviders,
} from '~/wire/catalogue.ts'
import { NoQuery } from '~/wire/parameters.ts'
import type { HotDeps } from './access.ts'
import { meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

export const catalogueRoutes = (deps: HotDeps): Route[] => [
  meteredRoute(deps, {
    path: '/currencies',
    notes: {
      id: 'listCurrencies',
      tag: 'Catalogue',
      summary: 'Active currencies, and the corridors with live rates',
      description: 'Every code that the other operations accept, with its name and flag.',
    },
    query: NoQuery,
    response: CurrenciesResponse,
    find: ({ view }) => ({
      currencies: view.catalogue.currencies,
      corridors: liveCorridors(view),
    }),
    present: presentCurrencies,
  }),
  meteredRoute(deps, {
    path: '/providers',
    notes: {
      id: 'listProviders',
      tag: 'Catalogue',
      summary: 'Active providers',
      description: 'Their ids, what kind of institution each is and what kind of price it quotes.',
    },
    query: NoQuery,
    response: ProvidersResponse,
    isTiered: false,
    find: ({ view }) => view.catalogue.providers,
    present: presentProviders,
  }),
]
