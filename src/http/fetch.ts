import type { TObject, TSchema } from '@sinclair/typebox'
import type { View } from '~/memory/view.ts'
import { type FeedTimes, fetchMatrix, type Matrix } from '~/service/fetch.ts'
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
import { readMaxAge } from '~/wire/moment.ts'
import {
  FETCH_CODES_MAX,
  FetchManyToOneQuery,
  FetchMatrixQuery,
  FetchMultiQuery,
  FetchOneQuery,
  MATRIX_CODES_MAX,
} from '~/wire/parameters.ts'
import {
  fetchManyToOneText,
  fetchMatrixText,
  fetchMultiText,
  fetchOneText,
} from '~/wire/text/fetch-text.ts'
import type { HotDeps } from './access.ts'
import { type MeteredRoute, meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

const COVERAGE =
  'Pairs with a stablecoin, or with a currency that has no recent reference, have no mid: `note` ' +
  'names it. `provider_best` is null if there is no executable quote. A currency against ' +
  'itself has the mid 1. 503 only while no currency at all has a recent reference, or the prices ' +
  'of a pair could not be loaded.'

export type FetchDeps = HotDeps & {
  /** The time of the feeds' next run; absent if none is run. */
  readonly feedTimes?: FeedTimes
}

export const fetchRoutes = (deps: FetchDeps): Route[] => [
  pairsRoute(deps, {
    ...{ path: '/fetch-one', id: 'fetchOne', summary: 'Mid and best executable rate of one pair' },
    ...{ query: FetchOneQuery, response: FetchOneResponse },
    ...{ present: presentFetchOne, text: fetchOneText },
  }),
  pairsRoute(deps, {
    ...{ path: '/fetch-multi', id: 'fetchMulti', summary: 'One base against many quotes' },
    limits: `Up to ${FETCH_CODES_MAX} quotes for one unit. `,
    ...{ query: FetchMultiQuery, response: FetchMultiResponse },
    ...{ present: presentFetchMulti, text: fetchMultiText },
  }),
  pairsRoute(deps, {
    ...{ path: '/fetch-matrix', id: 'fetchMatrix', summary: 'Many bases against many quotes' },
    limits: `Up to ${MATRIX_CODES_MAX} of each for one unit. `,
    ...{ query: FetchMatrixQuery, response: FetchMatrixResponse },
    ...{ present: presentFetchMatrix, text: fetchMatrixText },
  }),
  pairsRoute(deps, {
    path: '/fetch-many-to-one',
    ...{ id: 'fetchManyToOne', summary: 'Many bases against one quote' },
    limits: `Up to ${FETCH_CODES_MAX} bases for one unit. `,
    ...{ query: FetchManyToOneQuery, response: FetchManyToOneResponse },
    ...{ present: presentFetchManyToOne, text: fetchManyToOneText },
  }),
]

type PairsQuery = TObject & { readonly static: Asked }

type PairsRoute<Q extends PairsQuery, R extends TSchema> = Pick<
  MeteredRoute<Q, R, Matrix>,
  'path' | 'query' | 'response' | 'present' | 'text'
> & { readonly id: string; readonly summary: string; readonly limits?: string }

/** A path of the family; they differ in how many codes each side takes. */
const pairsRoute = <Q extends PairsQuery, R extends TSchema>(
  deps: FetchDeps,
  { id, summary, limits = '', ...own }: PairsRoute<Q, R>,
): Route =>
  meteredRoute<Q, R, Matrix>(deps, {
    ...own,
    notes: {
      ...{ id, tag: 'Pairs', summary, description: limits + COVERAGE },
      errors: ['unsupported_currency', 'mid_unavailable', 'database_unavailable'],
    },
    isKnowing: true,
    find: (ask) => found(deps, ask),
    midsOf,
  })

type Codes = string | readonly string[]
type Asked = { readonly from: Codes; readonly to: Codes; readonly max_age?: string }

type Ask = { readonly query: Asked; readonly view: View; readonly knownMs?: number }

/** Result of every path of the family; a side that takes one code has it as a string. */
function found({ feedTimes }: FetchDeps, { query, view, knownMs }: Ask): Matrix {
  const { from, to } = query
  const asked = {
    ...{ from: listOf(from), to: listOf(to), maxAgeMs: readMaxAge(query) },
    mayLackAll: knownMs !== undefined,
  }
  return fetchMatrix(view, asked, feedTimes)
}

/** The mids alone, as a read-only key gets them: no price of a provider, nor what is said of it. */
const midsOf = (matrix: Matrix): Matrix => ({
  ...matrix,
  pairs: matrix.pairs.map((row) => row.map((pair) => ({ ...pair, best: null }))),
  ...{ stale: [], tooOld: [] },
})

const listOf = (codes: Codes): readonly string[] => (typeof codes === 'string' ? [codes] : codes)
