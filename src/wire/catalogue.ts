import { type Static, Type } from '@sinclair/typebox'
import { CURRENCY_TYPES, type Currency } from '~/domain/currency.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { Provider } from '~/domain/provider.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import type { Corridors, LiveCorridor } from '~/service/corridors.ts'
import {
  freshnessFields,
  Instant,
  namedRecord,
  nullable,
  optional,
  ProviderType,
  RateType,
  record,
  sampleFields,
  words,
} from './fields.ts'
import { List } from './list/list.ts'
import { emptyNote, noteFields, presentNote } from './note.ts'
import { CountryCode } from './offer/offer.ts'
import { iso, presentFreshness, presentSample } from './present.ts'

const CurrencyEntry = namedRecord('Currency', {
  code: Type.String(),
  name: Type.String(),
  type: words(CURRENCY_TYPES),
  flag_url: nullable.string(),
  is_active: Type.Boolean(),
  sort_order: Type.Integer(),
})

export const CurrenciesResponse = namedRecord('CurrenciesResponse', {
  currencies: Type.Array(CurrencyEntry),
  corridors: Type.Array(record({ from: Type.String(), to: Type.String() })),
  currency_count: Type.Integer(),
  corridor_count: Type.Integer(),
  ...freshnessFields,
})

const CorridorSummary = namedRecord('CorridorSummary', {
  from: Type.String(),
  to: Type.String(),
  provider_count: Type.Integer(),
  best_rate: nullable.number({
    description: 'Best executable rate; null if there is no executable quote.',
  }),
  best_is_stale: nullable(
    Type.Boolean({ description: 'Whether the quote behind best_rate is stale; null without one.' }),
  ),
  best_last_updated: {
    ...nullable(Instant),
    description: 'Of the quote behind best_rate; null without one.',
  },
  last_updated: { ...Instant, description: 'Of the newest price of any kind, official ones too.' },
  avg_spread_bps: nullable.number(),
  source_country: Type.Optional({
    ...CountryCode,
    description: 'With by=country: every price counted here names it.',
  }),
  target_country: Type.Optional({ ...CountryCode, description: 'As source_country.' }),
  offer_count: optional.integer({
    description: 'With by=country: offers that differ in more than their amounts.',
  }),
})

export const CorridorsResponse = namedRecord('CorridorsResponse', {
  corridors: Type.Array(CorridorSummary),
  count: Type.Integer(),
  ...noteFields,
  ...freshnessFields,
})

export const corridorsList = new List({
  response: CorridorsResponse,
  entries: 'corridors',
  about: () => ['corridors'],
})

const ProviderEntry = namedRecord('Provider', {
  id: Type.String(),
  name: Type.String(),
  logo_url: nullable.string(),
  website_url: nullable.string(),
  provider_type: nullable(ProviderType),
  rate_type: RateType,
  region: nullable.string(),
  time_zone: nullable.string({
    description: 'The IANA time zone of its own dates, such as those of official rates.',
    examples: ['Africa/Nairobi'],
  }),
  transfer_time: nullable.string(),
  payment_methods: nullable(Type.Array(Type.String())),
})

export const ProvidersResponse = namedRecord('ProvidersResponse', {
  providers: Type.Array(ProviderEntry),
  count: Type.Integer(),
  timestamp: Instant,
  ...sampleFields,
})

const presentCurrency = (currency: Currency): Static<typeof CurrencyEntry> => ({
  code: currency.code,
  name: currency.name,
  type: currency.type,
  flag_url: currency.flagUrl,
  is_active: currency.isActive,
  sort_order: currency.sortOrder,
})

export function presentCurrencies(
  answer: { currencies: readonly Currency[]; corridors: readonly LiveCorridor[] },
  freshness: Freshness,
): Static<typeof CurrenciesResponse> {
  return {
    currencies: answer.currencies.map(presentCurrency),
    corridors: answer.corridors.map(({ from, to }) => ({ from, to })),
    currency_count: answer.currencies.length,
    corridor_count: answer.corridors.length,
    ...presentFreshness(freshness),
  }
}

export const presentCorridor = ({
  from,
  to,
  view,
  countries,
}: LiveCorridor): Static<typeof CorridorSummary> => ({
  from,
  to,
  provider_count: view.quotes.length,
  best_rate: view.best && roundAmount(view.best.quote.rate),
  best_is_stale: view.best ? view.best.isStale : null,
  best_last_updated: view.best && iso(view.best.quote.atMs),
  last_updated: iso(view.lastUpdatedMs!),
  avg_spread_bps: view.avgSpreadBps === null ? null : roundBps(view.avgSpreadBps),
  ...(countries && {
    source_country: countries.sourceCountry,
    target_country: countries.targetCountry,
    offer_count: countries.offerCount,
  }),
})

const NO_CORRIDOR = { what: 'price', nothing: 'No provider quotes any corridor at present.' }

/** A note that a list is cut; null if it is whole. */
const cutNote = (listed: number, count: number): string | null =>
  listed < count
    ? `These are the first ${listed} of ${count}; ask with source_country for others.`
    : null

export function presentCorridors(
  { corridors, count, absence }: Corridors,
  freshness: Freshness,
): Static<typeof CorridorsResponse> {
  return {
    corridors: corridors.map(presentCorridor),
    count: corridors.length,
    ...presentNote(absence ? emptyNote(absence, NO_CORRIDOR) : cutNote(corridors.length, count)),
    ...presentFreshness(freshness),
  }
}

export function presentProviders(
  providers: readonly Provider[],
  { nowMs, isSample }: Freshness,
): Static<typeof ProvidersResponse> {
  return {
    providers: providers.map((provider) => ({
      id: provider.id,
      name: provider.name,
      logo_url: provider.logoUrl,
      website_url: provider.websiteUrl,
      provider_type: provider.providerType,
      rate_type: provider.rateType,
      region: provider.region,
      time_zone: provider.timeZone ?? null,
      transfer_time: provider.transferTime,
      payment_methods: provider.paymentMethods && [...provider.paymentMethods],
    })),
    count: providers.length,
    timestamp: iso(nowMs),
    ...presentSample(isSample),
  }
}
