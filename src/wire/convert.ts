import { type Static, Type } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import type { Mid } from '~/domain/mid.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import type { Conversion, Conversions } from '~/service/convert.ts'
import {
  ageFields,
  freshnessFields,
  Instant,
  namedRecord,
  nullable,
  RateType,
  record,
  standingFields,
} from './fields.ts'
import { iso, presentAge, presentFreshness, presentStanding } from './present.ts'

const ConvertProviderEntry = namedRecord('ConvertProviderEntry', {
  provider_id: Type.String(),
  provider_name: Type.String(),
  rate: Type.Number(),
  fee: nullable(Type.Number()),
  fee_currency: nullable(Type.String()),
  converted: Type.Number({ description: 'amount * rate, before fees, in the target currency.' }),
  net_converted: nullable(
    Type.Number({ description: 'After the fee; null when the fee cannot be priced.' }),
  ),
  spread_bps: Type.Number(),
  vs_mid_bps: Type.Optional(Type.Number()),
  rate_type: RateType,
  ...ageFields,
  ...standingFields,
})

export const ConvertResponse = namedRecord('ConvertResponse', {
  from: Type.String(),
  to: Type.String(),
  amount: Type.Number(),
  mid: nullable(
    record({
      rate: Type.Number(),
      converted: Type.Number(),
      source: Type.String(),
      fetched_at: Instant,
    }),
  ),
  best: nullable(ConvertProviderEntry),
  best_current: {
    ...nullable(ConvertProviderEntry),
    description:
      'The best of those that are not stale and whose fee is stated; null without one. ' +
      '`best` may be too old to be had.',
  },
  providers: Type.Array(ConvertProviderEntry),
  count: Type.Integer(),
  ...freshnessFields,
})

export function presentConversion(entry: Conversion): Static<typeof ConvertProviderEntry> {
  const { quote, provider, spreadBps } = entry.ranked
  return {
    provider_id: provider.id,
    provider_name: provider.name,
    rate: roundAmount(quote.rate),
    fee: quote.fee === null ? null : roundAmount(quote.fee),
    fee_currency: quote.feeCurrency,
    converted: roundAmount(entry.converted),
    net_converted: entry.net === null ? null : roundAmount(entry.net),
    spread_bps: roundBps(spreadBps),
    ...(entry.vsMidBps !== null && { vs_mid_bps: roundBps(entry.vsMidBps) }),
    rate_type: quote.rateType,
    ...presentAge(entry.ranked),
    ...presentStanding(quote),
  }
}

export const presentConvertMid = (mid: Mid, amount: number) => ({
  rate: roundAmount(mid.rate),
  converted: roundAmount(amount * mid.rate),
  source: mid.source,
  fetched_at: iso(mid.atMs),
})

export function presentConvert(
  { corridor, amount, mid, best, bestCurrent, entries }: Conversions,
  freshness: Freshness,
): Static<typeof ConvertResponse> {
  return {
    from: corridor.from,
    to: corridor.to,
    amount,
    mid: mid && presentConvertMid(mid, amount),
    best: best && presentConversion(best),
    best_current: bestCurrent && presentConversion(bestCurrent),
    providers: entries.map(presentConversion),
    count: entries.length,
    ...presentFreshness(freshness),
  }
}
