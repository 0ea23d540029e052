import { fetchMatrix } from '~/service/fetch.ts'
import {
  FetchManyToOneResponse,
  FetchMatrixResponse,
  FetchMultiResponse,
  FetchOneResponse,
  presentFetchManyToOne,
  presentFetchMatrix,
  presentFetchMulti,
  presentFetchOne,
} from '~/wire/fetch.ts'
import {
  FETCH_CODES_MAX,
  FetchManyToOneQuery,
  FetchMatrixQuery,
  FetchMultiQuery,
  FetchOneQuery,
  MATRIX_CODES_MAX,
} from '~/wire/parameters.ts'
import type { AccessDeps } from './access.ts'
import { meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

const notes = {
  tag: 'Pairs',
  errors: ['unsupported_currency', 'mid_unavailable'],
} as const

const COVERAGE =
  'Stablecoins have no mid, and `provider_best` is null where nothing executable is quoted. ' +
  'A currency against itself has the mid 1.'

export const fetchRoutes = (deps: AccessDeps): Route[] => [
  meteredRoute(deps, {
    path: '/fetch-one',
    notes: {
      ...notes,
      id: 'fetchOne',
      summary: 'Mid and best executable rate of one pair',
      description: COVERAGE,
    },
    query: FetchOneQuery,
    response: FetchOneResponse,
    isTiered: true,
    answer: ({ query: { from, to }, view }) =>
      presentFetchOne(fetchMatrix(view, { from: [from], to: [to] }), view.freshness),
  }),
  meteredRoute(deps, {
    path: '/fetch-multi',
    notes: {
      ...notes,
      id: 'fetchMulti',
      summary: 'One base against many quotes',
      description: `Up to ${FETCH_CODES_MAX} quotes for one unit. ${COVERAGE}`,
    },
    query: FetchMultiQuery,
    response: FetchMultiResponse,
    isTiered: true,
    answer: ({ query: { from, to }, view }) =>
      presentFetchMulti(fetchMatrix(view, { from: [from], to }), view.freshness),
  }),
  meteredRoute(deps, {
    path: '/fetch-matrix',
    notes: {
      ...notes,
      id: 'fetchMatrix',
      summary: 'Many bases against many quotes',
      description: `Up to ${MATRIX_CODES_MAX} of each for one unit. ${COVERAGE}`,
    },
    query: FetchMatrixQuery,
    response: FetchMatrixResponse,
    isTiered: true,
    answer: ({ query, view }) => presentFetchMatrix(fetchMatrix(view, query), view.freshness),
  }),
  meteredRoute(deps, {
    path: '/fetch-many-to-one',
    notes: {
      ...notes,
      id: 'fetchManyToOne',
      summary: 'Many bases against one quote',
      description: `Up to ${FETCH_CODES_MAX} bases for one unit. ${COVERAGE}`,
    },
    query: FetchManyToOneQuery,
    response: FetchManyToOneResponse,
    isTiered: true,
    answer: ({ query: { from, to }, view }) =>
      presentFetchManyToOne(fetchMatrix(view, { from, to: [to] }), view.freshness),
  }),
]
