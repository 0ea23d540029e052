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
import type { OperationNotes } from '~/wire/openapi/operation.ts'
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
import { meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

const COVERAGE =
  'Pairs with a stablecoin, or with a currency that has no recent reference, have no mid: `note` ' +
  'names it. `provider_best` is null if there is no executable quote. A currency against ' +
  'itself has the mid 1. 503 only while no currency at all has a recent reference, or the prices ' +
  'of a pair could not be loaded.'

const notes = (
  id: string,
  { summary, limits = '' }: { summary: string; limits?: string },
): OperationNotes => ({
  id,
  tag: 'Pairs',
  summary,
  description: limits + COVERAGE,
  errors: ['unsupported_currency', 'mid_unavailable', 'database_unavailable'],
})

export type FetchDeps = HotDeps & {
  /** The time when feeds are asked next; absent if no feed is asked. */
  readonly feedTimes?: FeedTimes
}

export const fetchRoutes = (deps: FetchDeps): Route[] => [
  fetchOne(deps),
  fetchMulti(deps),
  fetchWholeMatrix(deps),
  fetchManyToOne(deps),
]

type Codes = string | readonly string[]
type Asked = { readonly from: Codes; readonly to: Codes; readonly max_age?: string }

type Ask = { readonly query: Asked; readonly view: View; readonly knownMs?: number }

/** Result of every path of the family; a side that takes one code has it as a text. */
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

const fetchOne = (deps: FetchDeps): Route =>
  meteredRoute(deps, {
    path: '/fetch-one',
    notes: notes('fetchOne', { summary: 'Mid and best executable rate of one pair' }),
    query: FetchOneQuery,
    response: FetchOneResponse,
    isTiered: true,
    isKnowing: true,
    find: (ask) => found(deps, ask),
    midsOf,
    present: presentFetchOne,
    text: fetchOneText,
  })

const fetchMulti = (deps: FetchDeps): Route =>
  meteredRoute(deps, {
    path: '/fetch-multi',
    notes: notes('fetchMulti', {
      summary: 'One base against many quotes',
      limits: `Up to ${FETCH_CODES_MAX} quotes for one unit. `,
    }),
    query: FetchMultiQuery,
    response: FetchMultiResponse,
    isTiered: true,
    isKnowing: true,
    find: (ask) => found(deps, ask),
    midsOf,
    present: presentFetchMulti,
    text: fetchMultiText,
  })

const fetchWholeMatrix = (deps: FetchDeps): Route =>
  meteredRoute(deps, {
    path: '/fetch-matrix',
    notes: notes('fetchMatrix', {
      summary: 'Many bases against many quotes',
      limits: `Up to ${MATRIX_CODES_MAX} of each for one unit. `,
    }),
    query: FetchMatrixQuery,
    response: FetchMatrixResponse,
    isTiered: true,
    isKnowing: true,
    find: (ask) => found(deps, ask),
    midsOf,
    present: presentFetchMatrix,
    text: fetchMatrixText,
  })

const fetchManyToOne = (deps: FetchDeps): Route =>
  meteredRoute(deps, {
    path: '/fetch-many-to-one',
    notes: notes('fetchManyToOne', {
      summary: 'Many bases against one quote',
      limits: `Up to ${FETCH_CODES_MAX} bases for one unit. `,
    }),
    query: FetchManyToOneQuery,
    response: FetchManyToOneResponse,
    isTiered: true,
    isKnowing: true,
    find: (ask) => found(deps, ask),
    midsOf,
    present: presentFetchManyToOne,
    text: fetchManyToOneText,
  })
