import { fetchMatrix } from '~/service/fetch.ts'
import {
  presentFetchManyToOne,
  presentFetchMatrix,
  presentFetchMulti,
  presentFetchOne,
} from '~/wire/fetch.ts'
import {
  FetchManyToOneQuery,
  FetchMatrixQuery,
  FetchMultiQuery,
  FetchOneQuery,
} from '~/wire/parameters.ts'
import { type AccessDeps, meteredHandler } from './access.ts'
import type { Route } from './route.ts'

export const fetchRoutes = (deps: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/fetch-one',
    handle: meteredHandler(deps, {
      query: FetchOneQuery,
      isTiered: true,
      answer: ({ query: { from, to }, view }) =>
        presentFetchOne(fetchMatrix(view, { from: [from], to: [to] }), view.freshness),
    }),
  },
  {
    method: 'GET',
    path: '/fetch-multi',
    handle: meteredHandler(deps, {
      query: FetchMultiQuery,
      isTiered: true,
      answer: ({ query: { from, to }, view }) =>
        presentFetchMulti(fetchMatrix(view, { from: [from], to }), view.freshness),
    }),
  },
  {
    method: 'GET',
    path: '/fetch-matrix',
    handle: meteredHandler(deps, {
      query: FetchMatrixQuery,
      isTiered: true,
      answer: ({ query, view }) => presentFetchMatrix(fetchMatrix(view, query), view.freshness),
    }),
  },
  {
    method: 'GET',
    path: '/fetch-many-to-one',
    handle: meteredHandler(deps, {
      query: FetchManyToOneQuery,
      isTiered: true,
      answer: ({ query: { from, to }, view }) =>
        presentFetchManyToOne(fetchMatrix(view, { from, to: [to] }), view.freshness),
    }),
  },
]
