import { Type } from '@sinclair/typebox'
import type { View } from '~/memory/view.ts'
import { liveCorridors } from '~/service/corridors.ts'
import {
  CurrenciesResponse,
  ProvidersResponse,
  presentCurrencies,
  presentProviders,
} from '~/wire/catalogue.ts'
import { record } from '~/wire/fields.ts'
import { presentFreshness } from '~/wire/present.ts'
import { leftOut, pageFields, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const input = Type.Object(sliceFields)

export const listProviders = tool({
  name: 'list_providers',
  title: 'Providers',
  description:
    'The active providers with id, name, what kind of institution each is (provider_type), what ' +
    'kind of price it publishes (rate_type), region, transfer time and payment methods. Use it ' +
    'to turn a name into the provider id that get_history takes, or to describe a provider; it ' +
    'holds no prices. Ordered by name.',
  input,
  output: record({ ...ProvidersResponse.properties, ...pageFields }),
  answer({ args, view }) {
    const { providers } = view.catalogue
    return {
      ...presentProviders(sliced(providers, args), view.freshness.nowMs),
      ...leftOut({ providers: providers.length }, args),
    }
  },
})

export const listCurrencies = tool({
  name: 'list_currencies',
  title: 'Currencies',
  description:
    'The supported currencies with code and name, and the corridors that have live rates as ' +
    'plain pairs. Use it to find the code of a currency or to check that it is supported; use ' +
    'list_corridors for figures. limit and offset apply to both lists.',
  input,
  output: record({ ...CurrenciesResponse.properties, ...pageFields }),
  answer({ args, view }) {
    const { currencies } = view.catalogue
    const corridors = liveCorridors(view)
    const page = {
      currencies: sliced(currencies, args),
      corridors: sliced(corridors, args),
    }
    return {
      ...presentCurrencies(page, view.freshness),
      ...leftOut({ currencies: currencies.length, corridors: corridors.length }, args),
    }
  },
})

export const CATALOGUE_URI = 'corridor://catalogue'

/** The catalogue as a resource: what a model may want to read before it asks anything. */
export const catalogueResource = {
  uri: CATALOGUE_URI,
  name: 'catalogue',
  title: 'Currencies, providers and corridors',
  description:
    'Which currencies, providers and corridors there are, without prices: what arguments of ' +
    'the tools may be. Reading it costs one unit, like a tool call.',
  mimeType: 'application/json',
}

/** Short forms of everything active, so that the whole catalogue fits into a context window. */
export function presentCatalogue(view: View): object {
  return {
    currencies: view.catalogue.currencies.map(({ code, name }) => ({ code, name })),
    providers: view.catalogue.providers.map(({ id, name, rateType }) => ({
      id,
      name,
      rate_type: rateType,
    })),
    corridors: liveCorridors(view).map(({ from, to }) => `${from}/${to}`),
    ...presentFreshness(view.freshness),
  }
}
