import type { HotDeps } from '~/http/access.ts'
import { meteredRoute } from '~/http/metered-route.ts'
import type { Route } from '~/http/route.ts'
import { corridorsBy } from '~/service/country/pairs.ts'
import { CorridorsResponse, corridorsList, presentCorridors } from '~/wire/catalogue.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { CorridorsQuery } from '~/wire/parameters.ts'
import { corridorsText } from '~/wire/text/catalogue-text.ts'

export const corridorsRoutes = (deps: HotDeps): Route[] => [
  meteredRoute(deps, {
    path: '/corridors',
    notes: {
      id: 'listCorridors',
      tag: 'Catalogue',
      summary: 'Every corridor with live rates, by currency or by country',
      description:
        'How many providers quote each corridor, its best executable rate and average spread. ' +
        'With `by=country` each is listed once for every pair of countries that offers name, ' +
        'with those offers only. Their cost depends on the amount: see /costs.',
    },
    query: CorridorsQuery,
    response: CorridorsResponse,
    find: ({ query, view }) => corridorsBy(view, query.by, readSelection(query)),
    present: presentCorridors,
    text: corridorsText,
    list: corridorsList,
  }),
]
