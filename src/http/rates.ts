import { ratesOf } from '~/service/rates.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { RatesQuery } from '~/wire/parameters.ts'
import { presentRates, RatesResponse, ratesList } from '~/wire/rates.ts'
import type { HotDeps } from './access.ts'
import { meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

export const ratesRoutes = (deps: HotDeps): Route[] => [
  meteredRoute(deps, {
    path: '/rates',
    notes: {
      id: 'getRates',
      tag: 'Rates',
      summary: 'Latest quote of every provider in a corridor',
      description:
        'Grouped by kind in the order retail, p2p, interbank, official, parallel, the best rate ' +
        'first in each. A corridor without quotes gives an empty list. The mid fields are ' +
        'present only while the mid is recent.',
      errors: ['unsupported_currency', 'same_currency', 'database_unavailable'],
    },
    query: RatesQuery,
    response: RatesResponse,
    isKnowing: true,
    find: ({ query, view }) => ({
      ...ratesOf(view, query, readSelection(query)),
      detail: query.detail,
    }),
    present: presentRates,
    list: ratesList,
  }),
]
