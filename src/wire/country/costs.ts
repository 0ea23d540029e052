import { type Static, Type } from '@sinclair/typebox'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { type OfferCost, SMART_CONDITIONS, SMART_OFFERS, type Smart } from '~/domain/offer/costs.ts'
import { offerId } from '~/domain/offer/id.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { CostsQuestion, CountryCosts } from '~/service/country/costs.ts'
import { EntryCost, presentCost } from '~/wire/convert.ts'
import { dayMidFields, presentDayMid } from '~/wire/day-mid.ts'
import {
  ageFields,
  freshnessFields,
  named,
  namedRecord,
  nullable,
  optional,
  priceFields,
  RateType,
  record,
  standingFields,
  words,
} from '~/wire/fields.ts'
import { knownFields } from '~/wire/known/known.ts'
import { List } from '~/wire/list/list.ts'
import { presentNote } from '~/wire/note.ts'
import {
  AmountMatchWord,
  CountryCode,
  OfferId,
  offerFields,
  presentOffer,
} from '~/wire/offer/offer.ts'
import {
  countryParameters,
  filterParameters,
  neededCountry,
  readFilters,
} from '~/wire/offer/selection.ts'
import { presentSuspect, suspectFields } from '~/wire/offer/suspect.ts'
import { ConvertQuery } from '~/wire/parameters.ts'
import { presentAge, presentFreshness, presentPrice, presentStanding } from '~/wire/present.ts'
import { costsNote } from './costs-note.ts'

const currency = (country: string, example: string) =>
  optional.string({
    description: `Currency code, for a currency other than the usual one of ${country}.`,
    examples: [example],
  })

const STATED = 'Only offers that state it count.'
const { pay_in, pay_out, channel, delivery_max } = filterParameters

const statedParameters = {
  pay_in: { ...pay_in, description: `How the sender pays, any of these. ${STATED}` },
  pay_out: { ...pay_out, description: `How the recipient is paid, any of these. ${STATED}` },
  channel: { ...channel, description: `Where the transfer is ordered, any of these. ${STATED}` },
  delivery_max: {
    ...delivery_max,
    description: `The longest delivery time, such as 2h or 3d. ${STATED}`,
  },
}

export const CostsQuery = Type.Object({
  ...countryParameters,
  amount: {
    ...ConvertQuery.properties.amount,
    description: 'Amount in the source currency, in plain decimal notation; this or amount_usd.',
  },
  amount_usd: optional.number({
    description: 'Amount in US dollars, converted to the source currency at the mid.',
    exclusiveMinimum: 0,
    maximum: AMOUNT_MAX,
    examples: [200],
  }),
  from: currency('source_country', 'GBP'),
  to: currency('target_country', 'KES'),
  ...statedParameters,
})

const CostEntry = namedRecord('CostEntry', {
  provider_id: Type.String(),
  provider_name: Type.String(),
  ...priceFields,
  rate_type: RateType,
  ...suspectFields,
  ...ageFields,
  ...standingFields,
  ...dayMidFields,
  cost: nullable(EntryCost),
  ...offerFields,
  amount_match: AmountMatchWord,
  at_amount: Type.Number({
    description: 'The amount that the cost is for: the requested one, or the nearest of the offer.',
  }),
})

const SmartOffers = namedRecord('SmartOffers', {
  pct: Type.Number({ description: 'The mean of their total_pct.' }),
  offers: Type.Array(
    record({
      offer_id: OfferId,
      provider_id: Type.String(),
      provider_name: Type.String(),
      total_pct: Type.Number(),
    }),
    { minItems: SMART_OFFERS, maxItems: SMART_OFFERS, description: 'Cheapest first.' },
  ),
  unchecked: Type.Array(words(SMART_CONDITIONS), {
    description: "The World Bank's conditions that could not be checked for all three.",
  }),
})

const percentOrNull = (description: string) => nullable.number({ description })

export const CostsResponse = namedRecord('CostsResponse', {
  source_country: CountryCode,
  target_country: CountryCode,
  from: nullable.string({ description: 'Null if none of its currencies is supported.' }),
  to: nullable.string({ description: 'Null if none of its currencies is supported.' }),
  amount: nullable.number({
    description: 'In the source currency; null if there is no mid to convert amount_usd.',
  }),
  amount_usd: optional.number({ description: 'As requested.' }),
  offers: Type.Array(CostEntry, {
    description:
      'By cost.total_pct, smallest first; then those without a cost, then suspect ones, and last ' +
      'those whose amount_match is out_of_range.',
  }),
  count: Type.Integer(),
  average_pct: percentOrNull(
    'Mean total_pct of the offers with a cost, suspect ones too; null without one.',
  ),
  median_pct: percentOrNull('Their median total_pct.'),
  average_excluding_suspect_pct: percentOrNull('As average_pct, without suspect offers.'),
  suspect: Type.Integer({ description: 'How many of the offers are suspect, within range.' }),
  out_of_range: Type.Integer({
    description: 'How many are out_of_range; no figure counts them.',
  }),
  smart: {
    ...nullable(SmartOffers),
    description:
      "The World Bank's Smart Remitter Target: the three cheapest that arrive within five days, " +
      'as far as they state it; null if there are fewer.',
  },
  meets: {
    ...nullable(
      named(
        'CostGoals',
        record({
          sdg_3: Type.Boolean({ description: 'Whether average_pct is at most 3 (SDG 10.c).' }),
          sdg_5: Type.Boolean({
            description: 'Whether it is at most 5, the most of any corridor by SDG 10.c.',
          }),
          g20_1: Type.Boolean({ description: 'Whether it is at most 1, the goal of the G20.' }),
        }),
      ),
    ),
    description: 'Null without an average.',
  },
  note: optional.string({
    description:
      'Why the list is empty, that the cheapest price is stale, or which other currencies of ' +
      'the countries have offers.',
  }),
  ...freshnessFields,
  ...knownFields,
})

export const costsList = new List({
  response: CostsResponse,
  entries: 'offers',
  without: ['smart.offers', 'suspect'],
  marks: {
    is_smart: {
      description: 'Whether it is one of the three of `smart` in the JSON answer.',
      isSet({ offer_id: id }, { smart }) {
        const { offers } = (smart as Static<typeof SmartOffers> | null) ?? { offers: [] }
        return offers.some(({ offer_id }) => offer_id === id)
      },
    },
  },
  about: ({ source_country, target_country, amount }) => [
    ...['costs', source_country, target_country, amount],
  ],
})

/** Reads a checked query. Throws a 400 that names the invalid parameter. */
export function costsQuestion(query: Static<typeof CostsQuery>): CostsQuestion {
  const sourceCountry = neededCountry('source_country', query.source_country)
  const targetCountry = neededCountry('target_country', query.target_country)
  const { from = null, to = null, source_country: _, target_country: __, ...said } = query
  const filters = readFilters(said)
  return { sourceCountry, targetCountry, from, to, filters, sum: sumOf(query) }
}

function sumOf(query: Static<typeof CostsQuery>): CostsQuestion['sum'] {
  const { amount, amount_usd: amountUsd } = query
  if (amount !== undefined && amountUsd !== undefined)
    throw invalidParameter({ name: 'amount_usd', fault: 'amount is given too; give one of them' })
  if (amount !== undefined) return { amount, amountUsd: null }
  if (amountUsd !== undefined) return { amount: null, amountUsd }
  throw new ServiceError(
    'missing_parameter',
    'amount is required: the amount to send in the source currency, or amount_usd, in US dollars',
    { parameter: 'amount' },
  )
}

function presentOfferCost(one: OfferCost<RankedQuote>): Static<typeof CostEntry> {
  const { candidate, match, cost } = one
  const { quote, provider } = candidate
  return {
    provider_id: provider.id,
    provider_name: provider.name,
    ...presentPrice(quote),
    rate_type: quote.rateType,
    ...presentSuspect(candidate),
    ...presentAge(candidate),
    ...presentStanding(quote),
    ...presentDayMid(candidate),
    cost: presentCost(cost, { currency: quote.from, match }),
    ...presentOffer(quote),
    amount_match: match.match,
    at_amount: roundAmount(match.atAmount),
  }
}

const presentSmart = ({ pct, offers, unchecked }: Smart<RankedQuote>) => ({
  pct: roundPercent(pct),
  offers: offers.map(({ candidate: { quote, provider }, cost }) => ({
    offer_id: offerId(quote),
    provider_id: provider.id,
    provider_name: provider.name,
    total_pct: roundPercent(cost!.totalPct),
  })),
  unchecked: [...unchecked],
})

const rounded = (percent: number | null): number | null => percent && roundPercent(percent)

export function presentCosts(
  found: CountryCosts,
  freshness: Freshness,
): Static<typeof CostsResponse> {
  const { sourceCountry, targetCountry, corridor, amount, amountUsd, costs } = found
  const { offers, smart, meets } = costs
  return {
    source_country: sourceCountry,
    target_country: targetCountry,
    from: corridor?.from ?? null,
    to: corridor?.to ?? null,
    amount,
    ...(amountUsd !== null && { amount_usd: amountUsd }),
    offers: offers.map(presentOfferCost),
    count: offers.length,
    average_pct: rounded(costs.averagePct),
    median_pct: rounded(costs.medianPct),
    average_excluding_suspect_pct: rounded(costs.averageExcludingSuspectPct),
    suspect: costs.suspectCount,
    out_of_range: costs.outOfRangeCount,
    smart: smart && presentSmart(smart),
    meets: meets && { sdg_3: meets.sdg3, sdg_5: meets.sdg5, g20_1: meets.g20 },
    ...presentNote(costsNote(found)),
    ...presentFreshness(freshness),
  }
}
