import { type Static, Type } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Emptiness } from '~/service/absence.ts'
import type { ProviderQuote, ProviderRates } from '~/service/provider-rates.ts'
import {
  freshnessFields,
  namedRecord,
  nullable,
  ProviderType,
  priceFields,
  RateType,
  record,
} from './fields.ts'
import { type Detailed, detailFields, presentDetail } from './list/detail.ts'
import { List } from './list/list.ts'
import { emptyNote, noteFields, presentNote } from './note.ts'
import { offerFields, presentOffer, presentUnspecified, unspecifiedFields } from './offer/offer.ts'
import { presentSuspect, relianceFields } from './offer/suspect.ts'
import {
  presentAge,
  presentFreshness,
  presentPrice,
  presentRateDate,
  presentStanding,
} from './present.ts'

export const ProviderRatesResponse = namedRecord('ProviderRatesResponse', {
  provider: record({
    id: Type.String(),
    name: Type.String(),
    provider_type: nullable(ProviderType),
    rate_type: RateType,
    region: nullable.string(),
    transfer_time: nullable.string(),
    website_url: nullable.string(),
  }),
  corridors: Type.Array(
    record({
      from: Type.String(),
      to: Type.String(),
      ...priceFields,
      ...relianceFields,
      ...offerFields,
      ...unspecifiedFields,
      ...detailFields,
    }),
  ),
  count: Type.Integer(),
  ...noteFields,
  ...freshnessFields,
})

export const providerRatesList = new List({
  response: ProviderRatesResponse,
  entries: 'corridors',
  about: ({ provider }) => ['rates', (provider as { id: string }).id],
})

export const presentProvider = (provider: Provider) => ({
  id: provider.id,
  name: provider.name,
  provider_type: provider.providerType,
  rate_type: provider.rateType,
  region: provider.region,
  transfer_time: provider.transferTime,
  website_url: provider.websiteUrl,
})

export const presentProviderQuote = (
  aged: ProviderQuote,
  provider: Provider,
  asked: Detailed = {},
) => {
  const { quote } = aged
  return {
    from: quote.from,
    to: quote.to,
    ...presentPrice(quote),
    ...presentSuspect(aged),
    ...presentAge(aged),
    ...presentRateDate(quote, provider),
    ...presentStanding(quote),
    ...presentOffer(quote),
    ...presentUnspecified(aged.unspecified),
    ...presentDetail(quote, asked),
  }
}

/** Explains why a provider has no corridor. */
const providerNote = ({ name }: Provider, absence: Emptiness): string =>
  emptyNote(absence, {
    what: `price of ${name}`,
    nothing: `${name} quotes no corridor at present.`,
  })

export function presentProviderRates(
  found: ProviderRates & Detailed,
  freshness: Freshness,
): Static<typeof ProviderRatesResponse> {
  const { provider, quotes, absence } = found
  return {
    provider: presentProvider(provider),
    corridors: quotes.map((quote) => presentProviderQuote(quote, provider, found)),
    count: quotes.length,
    ...presentNote(absence && providerNote(provider, absence)),
    ...presentFreshness(freshness),
  }
}
