import { providerRates } from '~/service/provider-rates.ts'
import { ProviderQuery } from '~/wire/parameters.ts'
import { presentProviderRates } from '~/wire/provider-rates.ts'
import { type AccessDeps, meteredHandler } from './access.ts'
import type { Route } from './route.ts'

export const providerRatesRoutes = (deps: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/rates/provider',
    handle: meteredHandler(deps, {
      query: ProviderQuery,
      isTiered: true,
      answer: ({ query, view }) =>
        presentProviderRates(providerRates(view, query.provider), view.freshness),
    }),
  },
]
