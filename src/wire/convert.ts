import { type Static, Type } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import type { Mid } from '~/domain/mid.ts'
import type { AmountMatch } from '~/domain/offer/band.ts'
import type { Cost } from '~/domain/price/cost.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import type { Conversion, Conversions } from '~/service/convert.ts'
import { dayMidFields, presentDayMid } from './day-mid.ts'
import {
  backingFields,
  freshnessFields,
  Instant,
  namedRecord,
  nullable,
  optional,
  priceFields,
  RateType,
} from './fields.ts'
import { knownFields } from './known/known.ts'
import { type Detailed, detailFields, presentDetail } from './list/detail.ts'
import { List, type Mark } from './list/list.ts'
import { absenceNote, bestNote, lackNote, noteFields, presentNote } from './note.ts'
import {
  matchFields,
  offerFields,
  presentMatch,
  presentOffer,
  presentUnspecified,
  unspecifiedFields,
} from './offer/offer.ts'
import { presentSuspect, relianceFields } from './offer/suspect.ts'
import {
  iso,
  presentAge,
  presentBacking,
  presentFreshness,
  presentPrice,
  presentRateDate,
  presentStanding,
} from './present.ts'

export const EntryCost = namedRecord('EntryCost', {
  fee_pct: Type.Number({ description: 'The fee, in percent of the amount sent.' }),
  margin_pct: Type.Number({
    description: 'The exchange rate margin against the mid of the day, in percent of the amount.',
  }),
  total_pct: Type.Number({
    description: 'fee_pct + margin_pct: total cost by Remittance Prices Worldwide, SDG 10.c.1.',
  }),
  total: optional.number({
    description:
      'total_pct / 100 * amount, in the source currency; absent where amount_match is nearest, ' +
      'as the price is for another amount.',
  }),
  currency: Type.String({ description: 'The source currency.' }),
})

const ConvertProviderEntry = namedRecord('ConvertProviderEntry', {
  provider_id: Type.String(),
  provider_name: Type.String(),
  ...priceFields,
  send_amount: Type.Optional(
    nullable.number({
      description:
        'With recipient_gets: the smallest amount with that net_converted, rounded up at the ' +
        "12th digit; null if the fee cannot be converted, or no amount in or near the offer's " +
        'range is enough.',
    }),
  ),
  send_amount_is: Type.Optional(
    Type.Literal('minimum', {
      description: "Present when send_amount is the offer's minimum, and less would be enough.",
    }),
  ),
  converted: nullable.number({
    description: 'amount * rate, before fees, in the target currency; null where send_amount is.',
  }),
  net_converted: nullable.number({
    description:
      'After the fee; null if the fee cannot be converted, or amount_match is out_of_range.',
  }),
  spread_bps: Type.Number(),
  vs_mid_bps: optional.number(),
  rate_type: RateType,
  ...relianceFields,
  ...dayMidFields,
  cost: nullable(EntryCost),
  ...offerFields,
  ...matchFields,
  ...unspecifiedFields,
  ...detailFields,
})

export const ConvertResponse = namedRecord('ConvertResponse', {
  from: Type.String(),
  to: Type.String(),
  amount: nullable.number({
    description:
      'As requested; with recipient_gets the send_amount of best, and null without a best.',
  }),
  recipient_gets: optional.number({ description: 'As requested.' }),
  mid: nullable.record({
    rate: Type.Number(),
    converted: nullable.number({ description: 'amount * rate; null without an amount.' }),
    source: Type.String(),
    fetched_at: Instant,
    ...backingFields,
  }),
  best: nullable(ConvertProviderEntry),
  best_current: {
    ...nullable(ConvertProviderEntry),
    description:
      'The best of those that are not stale and whose fee is stated; null without one. Prices ' +
      'for the nearest amount are compared at at_amount, so that it is the cheapest of /costs ' +
      'too. `best` may be too old to be available. A suspect price, or one that is out_of_range, ' +
      'is neither.',
  },
  providers: Type.Array(ConvertProviderEntry),
  count: Type.Integer(),
  ...noteFields,
  ...freshnessFields,
  ...knownFields,
})

type Entry = Static<typeof ConvertProviderEntry>

const isEntry = (a: Entry, b: Entry): boolean => a.offer_id === b.offer_id

/** Reports whether an entry is the one that the response shows by itself as `field`. */
const markOf = (member: 'best' | 'best_current'): Mark => ({
  description: `Whether it is \`${member}\` of the JSON response.`,
  isSet(row, body) {
    const one = body[member] as Entry | null
    return one !== null && isEntry(row as Entry, one)
  },
})

export const convertList = new List({
  response: ConvertResponse,
  entries: 'providers',
  without: ['best', 'best_current'],
  marks: { is_best: markOf('best'), is_best_current: markOf('best_current') },
  about: ({ from, to, amount, recipient_gets }) => ['convert', from, to, recipient_gets ?? amount],
})

const rounded = (amount: number | null): number | null => amount && roundAmount(amount)

/** The cost in percent, and in the currency of the amount if the price is for it; null without. */
export const presentCost = (
  cost: Cost | null,
  { currency, match }: { readonly currency: string; readonly match: AmountMatch | null },
): Static<typeof EntryCost> | null =>
  cost && {
    fee_pct: cost.feePct,
    margin_pct: cost.marginPct,
    total_pct: cost.totalPct,
    ...(match?.match === 'exact' && { total: roundAmount(cost.total) }),
    currency,
  }

export function presentConversion(
  entry: Conversion,
  recipientGets: number | null,
  asked: Detailed = {},
): Static<typeof ConvertProviderEntry> {
  const { quote, provider } = entry.ranked
  return {
    provider_id: provider.id,
    provider_name: provider.name,
    ...presentPrice(quote),
    ...(recipientGets !== null && { send_amount: entry.sent }),
    ...(entry.isMinimum && { send_amount_is: 'minimum' as const }),
    converted: rounded(entry.converted),
    net_converted: rounded(entry.net),
    spread_bps: roundBps(entry.spreadBps),
    ...(entry.vsMidBps !== null && { vs_mid_bps: roundBps(entry.vsMidBps) }),
    rate_type: quote.rateType,
    ...presentSuspect(entry.ranked),
    ...presentAge(entry.ranked),
    ...presentRateDate(quote, provider),
    ...presentStanding(quote),
    ...presentDayMid(entry.ranked),
    cost: presentCost(entry.cost, { currency: quote.from, match: entry.match }),
    ...presentOffer(quote),
    ...presentMatch(quote, entry.match),
    ...presentUnspecified(entry.ranked.unspecified),
    ...presentDetail(quote, asked),
  }
}

export const presentConvertMid = (mid: Mid, amount: number | null) => ({
  rate: roundAmount(mid.rate),
  converted: rounded(amount && amount * mid.rate),
  source: mid.source,
  fetched_at: iso(mid.atMs),
  ...presentBacking(mid),
})

/** Says why entries or the best are missing, or what limits the best; else null. */
function noteOn({ corridor, amount, absence, lack, best, filters }: Conversions): string | null {
  if (absence) return absenceNote(absence)
  if (lack) return lackNote(lack, { corridor, amount })
  return best && bestNote(best.ranked, filters)
}

export function presentConvert(
  conversions: Conversions & Detailed,
  freshness: Freshness,
): Static<typeof ConvertResponse> {
  const { corridor, amount, recipientGets, mid, best, bestCurrent, entries } = conversions
  const shown = (entry: Conversion) => presentConversion(entry, recipientGets, conversions)
  return {
    from: corridor.from,
    to: corridor.to,
    amount,
    ...(recipientGets !== null && { recipient_gets: recipientGets }),
    mid: mid && presentConvertMid(mid, amount),
    best: best && shown(best),
    best_current: bestCurrent && shown(bestCurrent),
    providers: entries.map(shown),
    count: entries.length,
    ...presentNote(noteOn(conversions)),
    ...presentFreshness(freshness),
  }
}
