import type { HotDeps } from '~/http/access.ts'
import { meteredRoute } from '~/http/metered-route.ts'
import type { Route } from '~/http/route.ts'
import { countriesOf } from '~/service/country/countries.ts'
import { CountriesResponse, presentCountries } from '~/wire/country/countries.ts'
import { NoQuery } from '~/wire/parameters.ts'

export const countriesRoutes = (deps: HotDeps): Route[] => [
  meteredRoute(deps, {
    path: '/countries',
    notes: {
      id: 'listCountries',
      tag: 'Catalogue',
      summary: 'Countries with their currencies, and the pairs that have offers',
      description:
        'Countries where a supported currency is used, or that an offer names; and every pair of ' +
        'countries that a live offer names. /costs takes any of these pairs.',
    },
    query: NoQuery,
    response: CountriesResponse,
    find: ({ view }) => countriesOf(view),
    present: presentCountries,
  }),
]
