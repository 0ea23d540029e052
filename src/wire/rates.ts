import { type Static, Type } from '@sinclair/typebox'
import { corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { roundBps } from '~/domain/round.ts'
import type { EvaluatedQuote, Rates } from '~/service/rates.ts'
import { dayMidFields, presentDayMid } from './day-mid.ts'
import {
  freshnessFields,
  midFields,
  namedRecord,
  nullable,
  optional,
  ProviderType,
  priceFields,
  RateType,
} from './fields.ts'
import { knownFields } from './known/known.ts'
import { type Detailed, detailFields, presentDetail } from './list/detail.ts'
import { List } from './list/list.ts'
import { absenceNote, noteFields, presentNote } from './note.ts'
import { offerFields, presentOffer, presentUnspecified, unspecifiedFields } from './offer/offer.ts'
import { presentSuspect, relianceFields } from './offer/suspect.ts'
import {
  presentAge,
  presentFreshness,
  presentMid,
  presentPrice,
  presentRateDate,
  presentStanding,
} from './present.ts'

export const ProviderRate = namedRecord('ProviderRate', {
  provider_id: Type.String(),
  provider_name: Type.String(),
  ...priceFields,
  spread_bps: Type.Number({
    description: 'Basis points below the best rate of the same rate_type in the corridor.',
  }),
  vs_mid_bps: optional.number({
    description: 'Basis points against the mid; negative is below it.',
  }),
  rate_type: RateType,
  provider_type: nullable(ProviderType),
  transfer_time: nullable.string(),
  ...relianceFields,
  ...dayMidFields,
  ...offerFields,
  ...unspecifiedFields,
})

const DetailedRate = namedRecord('DetailedRate', { ...ProviderRate.properties, ...detailFields })

export const RatesResponse = namedRecord('RatesResponse', {
  corridor: Type.String({ examples: ['USD/KES'] }),
  providers: Type.Array(DetailedRate),
  count: Type.Integer(),
  ...midFields,
  ...noteFields,
  ...freshnessFields,
  ...knownFields,
})

export const ratesList = new List({
  response: RatesResponse,
  entries: 'providers',
  about: ({ corridor }) => ['rates', corridor],
})

/** One quote of a corridor in the form of `/rates` and `/historical`. */
export function presentProviderRate(
  { ranked, vsMidBps }: EvaluatedQuote,
  asked: Detailed = {},
): Static<typeof DetailedRate> {
  const { quote, provider, spreadBps } = ranked
  return {
    provider_id: provider.id,
    provider_name: provider.name,
    ...presentPrice(quote),
    spread_bps: roundBps(spreadBps),
    ...(vsMidBps !== null && { vs_mid_bps: roundBps(vsMidBps) }),
    rate_type: quote.rateType,
    provider_type: provider.providerType,
    transfer_time: provider.transferTime,
    ...presentSuspect(ranked),
    ...presentAge(ranked),
    ...presentRateDate(quote, provider),
    ...presentStanding(quote),
    ...presentDayMid(ranked),
    ...presentOffer(quote),
    ...presentUnspecified(ranked.unspecified),
    ...presentDetail(quote, asked),
  }
}

export function presentRates(
  rates: Rates & Detailed,
  freshness: Freshness,
): Static<typeof RatesResponse> {
  return {
    corridor: corridorKey(rates.corridor),
    providers: rates.quotes.map((quote) => presentProviderRate(quote, rates)),
    count: rates.quotes.length,
    ...presentMid(rates.mid),
    ...presentNote(rates.absence && absenceNote(rates.absence)),
    ...presentFreshness(freshness),
  }
}
