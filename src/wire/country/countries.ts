import { type Static, Type } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import type { Countries } from '~/service/country/countries.ts'
import type { CountryPair } from '~/service/country/pairs.ts'
import { freshnessFields, Instant, namedRecord, optional, record } from '~/wire/fields.ts'
import { presentNote } from '~/wire/note.ts'
import { CountryCode } from '~/wire/offer/offer.ts'
import { iso, presentFreshness } from '~/wire/present.ts'

const PAIRS_MAX = 5000

const CountryEntry = namedRecord('Country', {
  code: CountryCode,
  name: Type.String(),
  currencies: Type.Array(Type.String(), {
    description: 'Supported currencies; the first is the default.',
  }),
})

const CountryPairSummary = namedRecord('CountryPairSummary', {
  source_country: CountryCode,
  target_country: CountryCode,
  corridors: Type.Array(record({ from: Type.String(), to: Type.String() }), {
    description: 'The currencies that the offers are in.',
  }),
  provider_count: Type.Integer(),
  offer_count: Type.Integer({ description: 'Offers that differ in more than their amounts.' }),
  last_updated: { ...Instant, description: 'Of the newest price.' },
})

export const CountriesResponse = namedRecord('CountriesResponse', {
  countries: Type.Array(CountryEntry, { description: 'By code.' }),
  pairs: Type.Array(CountryPairSummary, {
    description: 'By source, then target country.',
    maxItems: PAIRS_MAX,
  }),
  country_count: Type.Integer(),
  pair_count: Type.Integer({ description: 'Of all pairs.' }),
  note: optional.string({ description: 'That more pairs are known than are listed.' }),
  ...freshnessFields,
})

const presentPair = (pair: CountryPair): Static<typeof CountryPairSummary> => ({
  source_country: pair.sourceCountry,
  target_country: pair.targetCountry,
  corridors: pair.corridors.map(({ from, to }) => ({ from, to })),
  provider_count: pair.providerCount,
  offer_count: pair.offerCount,
  last_updated: iso(pair.lastUpdatedMs),
})

/** A note that a list is cut; null if it is whole. */
const cutNote = (count: number): string | null =>
  count > PAIRS_MAX
    ? `These are the first ${PAIRS_MAX} of ${count} pairs; for others ask /corridors with ` +
      'by=country and source_country.'
    : null

export function presentCountries(
  { countries, pairs }: Countries,
  freshness: Freshness,
): Static<typeof CountriesResponse> {
  return {
    countries: countries.map(({ code, name, currencies }) => ({
      code,
      name,
      currencies: [...currencies],
    })),
    pairs: pairs.slice(0, PAIRS_MAX).map(presentPair),
    country_count: countries.length,
    pair_count: pairs.length,
    ...presentNote(cutNote(pairs.length)),
    ...presentFreshness(freshness),
  }
}
