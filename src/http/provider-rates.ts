import { providerRates } from '~/service/provider-rates.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { ProviderQuery } from '~/wire/parameters.ts'
import {
  ProviderRatesResponse,
  presentProviderRates,
  providerRatesList,
} from '~/wire/provider-rates.ts'
import { providerRatesText } from '~/wire/text/provider-rates-text.ts'
import type { HotDeps } from './access.ts'
import { meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

export const providerRatesRoutes = (deps: HotDeps): Route[] => [
  meteredRoute(deps, {
    path: '/rates/provider',
    notes: {
      id: 'getProviderRates',
      tag: 'Rates',
      summary: 'Every corridor that one provider quotes',
      description: 'The latest quote of the provider in each of its corridors.',
      errors: ['unknown_provider'],
    },
    query: ProviderQuery,
    response: ProviderRatesResponse,
    find: ({ query, view }) => ({
      ...providerRates(view, query.provider, readSelection(query)),
      detail: query.detail,
    }),
    present: presentProviderRates,
    text: providerRatesText,
    list: providerRatesList,
  }),
]
