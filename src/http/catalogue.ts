import { corridorsOf, liveCorridors } from '~/service/corridors.ts'
import {
  CorridorsResponse,
  CurrenciesResponse,
  ProvidersResponse,
  presentCorridors,
  presentCurrencies,
  presentProviders,
} from '~/wire/catalogue.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { CorridorsQuery, NoQuery } from '~/wire/parameters.ts'
import { corridorsText } from '~/wire/text/catalogue-text.ts'
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
      description: 'Every code that the other operations take, with its name and flag.',
    },
    query: NoQuery,
    response: CurrenciesResponse,
    isTiered: true,
    find: ({ view }) => ({
      currencies: view.catalogue.currencies,
      corridors: liveCorridors(view),
    }),
    present: presentCurrencies,
  }),
  meteredRoute(deps, {
    path: '/corridors',
    notes: {
      id: 'listCorridors',
      tag: 'Catalogue',
      summary: 'Every corridor with live rates',
      description: 'How many providers quote each, its best executable rate and average spread.',
    },
    query: CorridorsQuery,
    response: CorridorsResponse,
    isTiered: true,
    find: ({ query, view }) => corridorsOf(view, readSelection(query)),
    present: presentCorridors,
    text: corridorsText,
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
    present: (found, { nowMs }) => presentProviders(found, nowMs),
  }),
]
