import { Type } from '@sinclair/typebox'
import { hasWords } from '~/domain/naming/words.ts'
import { countriesUsing } from '~/domain/offer/country.ts'
import { PROVIDER_TYPES, type Provider, RATE_TYPES } from '~/domain/provider.ts'
import type { View } from '~/memory/view.ts'
import { liveCorridors } from '~/service/corridors.ts'
import { presentCurrencies, presentProviders } from '~/wire/catalogue.ts'
import { words } from '~/wire/fields.ts'
import { presentFreshness } from '~/wire/present.ts'
import { shortened } from './answer/short.ts'
import { detailField } from './argument/fields.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const queryField = (description: string) => ({
  query: Type.Optional(Type.String({ description })),
})

/** Fields that only serve to draw a page, which no tool has. */
const DRAWN = ['logo_url', 'flag_url', 'sort_order']

const undrawn = <T extends object>(entry: T) =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !DRAWN.includes(name)))

export const listProviders = tool({
  name: 'list_providers',
  title: 'Providers',
  description:
    'The active providers: id, name, kind of institution (provider_type), kind of price ' +
    '(rate_type), region, website, transfer time and payment methods.',
  input: Type.Object({
    rate_type: Type.Optional(words(RATE_TYPES, { description: 'Only prices of this kind.' })),
    provider_type: Type.Optional(words(PROVIDER_TYPES, { description: 'Only such institutions.' })),
    ...queryField('Words of name, region or payment method.'),
    ...detailField,
    ...sliceFields,
  }),
  links: () => ({ page: { path: '/providers' } }),
  answer({ args, view }) {
    const { rate_type: rateType, provider_type: providerType, query } = args
    const all = view.catalogue.providers
    const found = all.filter(
      (one) =>
        (rateType ?? one.rateType) === one.rateType &&
        (providerType ?? one.providerType) === one.providerType &&
        (query === undefined || hasWords(wordsAbout(one), query)),
    )
    const { providers, ...rest } = presentProviders(sliced(found, args), view.freshness)
    const shown = providers.map((one) =>
      args.detail === 'full' ? undrawn(one) : known(undrawn(one)),
    )
    return paged(
      { providers: shown, ...rest },
      leftOut({ providers: found.length }, args),
      found.length === 0 ? `None of the ${all.length} active providers matches.` : null,
    )
  },
})

const wordsAbout = ({ id, name, region, paymentMethods }: Provider): string[] => [
  ...[id, name, region ?? ''],
  ...(paymentMethods ?? []),
]

/** An entry without what is not known. */
const known = (entry: object) =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))

const WITHOUT = new Set(['is_active', 'corridors', 'corridor_count'])

export const listCurrencies = tool({
  name: 'list_currencies',
  title: 'Currencies',
  description:
    'The supported currencies: code, name, and whether it is sent (source), received (target) ' +
    'or both.',
  input: Type.Object({
    ...queryField('Words of the name or of a country.'),
    ...detailField,
    ...sliceFields,
  }),
  links: () => ({ page: { path: '/corridors' } }),
  answer({ args, view }) {
    const { query } = args
    const all = view.catalogue.currencies
    const found = all.filter(
      ({ code, name }) =>
        query === undefined ||
        hasWords([code, name, ...countriesUsing(code).map((country) => country.name)], query),
    )
    const corridors = liveCorridors(view)
    const page = { currencies: sliced(found, args), corridors: sliced(corridors, args) }
    const lengths = {
      currencies: found.length,
      ...(args.detail === 'full' && { corridors: corridors.length }),
    }
    const { currencies, ...rest } = presentCurrencies(page, view.freshness)
    const body = paged(
      { currencies: currencies.map(undrawn), ...rest },
      leftOut(lengths, args),
      found.length === 0 ? `None of the ${all.length} supported currencies matches.` : null,
    )
    return shortened(body, { args, entries: ['currencies'], without: WITHOUT })
  },
})

export const CATALOGUE_URI = 'corridor://catalogue'

/** The catalogue as a resource, for a model to read before its first call. */
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
