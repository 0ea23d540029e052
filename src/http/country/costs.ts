import type { HotDeps } from '~/http/access.ts'
import { meteredRoute } from '~/http/metered-route.ts'
import type { Route } from '~/http/route.ts'
import { countryCosts } from '~/service/country/costs.ts'
import {
  CostsQuery,
  CostsResponse,
  costsList,
  costsQuestion,
  presentCosts,
} from '~/wire/country/costs.ts'

export const costsRoutes = (deps: HotDeps): Route[] => [
  meteredRoute(deps, {
    path: '/costs',
    notes: {
      id: 'getCosts',
      tag: 'Costs',
      summary: 'What it costs to send an amount from one country to another',
      description:
        'Every live offer that names both countries, cheapest first, by the method of Remittance ' +
        'Prices Worldwide: fee and exchange rate margin as a percentage of the amount. An offer ' +
        'for other amounts is priced at its nearest amount, `at_amount`. Of offers that differ ' +
        'only in their amounts, one is listed. The average, the median and the goals cover all ' +
        'offers with a cost, stale ones too. `from` and `to` are needed only for currencies ' +
        'other than the usual ones.',
      errors: ['unsupported_currency', 'database_unavailable'],
    },
    query: CostsQuery,
    response: CostsResponse,
    isKnowing: true,
    find: ({ query, view }) => countryCosts(view, costsQuestion(query)),
    present: presentCosts,
    list: costsList,
  }),
]
