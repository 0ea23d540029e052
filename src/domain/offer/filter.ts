import type { Provider } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { type Channel, type Offer, type PayWay, PLAIN } from './terms.ts'
import { type Delivery, deliveryIn } from './transfer-time.ts'

/** Filters of a request. Null filters nothing; of a list, one match is enough. */
export type OfferFilters = {
  readonly sourceCountry: string | null
  readonly targetCountry: string | null
  readonly payIn: readonly PayWay[] | null
  readonly payOut: readonly PayWay[] | null
  readonly channel: readonly Channel[] | null
  readonly deliveryMaxMs: number | null
}

export type FilterName = keyof OfferFilters

export const NO_FILTERS: OfferFilters = {
  sourceCountry: null,
  targetCountry: null,
  payIn: null,
  payOut: null,
  channel: null,
  deliveryMaxMs: null,
}

/** Nothing unspecified: one list for all. */
export const ALL_SAID: readonly FilterName[] = []

/** The filters in the order in which responses name them. */
const NAMES = Object.keys(NO_FILTERS) as FilterName[]

export const askedOf = (filters: OfferFilters): FilterName[] =>
  NAMES.filter((name) => filters[name] !== null)

/** Reports whether no filter is set. */
export const isUnfiltered = (filters: OfferFilters): boolean =>
  filters === NO_FILTERS || NAMES.every((name) => filters[name] === null)

/** A quote, and its provider's statements about all transfers, if known. */
type Asked = {
  readonly quote: Quote
  readonly provider?: Pick<Provider, 'transferTime'>
}

/**
 * The filters that an offer says nothing about; null if it contradicts one. If an offer does not
 * state its delivery time, the provider's own words count, if they can be read as a time.
 */
export function unspecifiedOf(
  { quote, provider }: Asked,
  filters: OfferFilters,
): FilterName[] | null {
  const unspecified: FilterName[] = []
  for (const name of NAMES) {
    if (filters[name] === null) continue
    const fits =
      FITS[name](quote.offer ?? PLAIN, filters) ??
      (name === 'deliveryMaxMs' ? arrivesBy(provider, filters.deliveryMaxMs!) : null)
    if (fits === false) return null
    if (fits === null) unspecified.push(name)
  }
  return unspecified
}

type Fit = (offer: Offer, filters: OfferFilters) => boolean | null

/** Returns whether an offer meets a filter; null if it says nothing of it. */
const FITS: Readonly<Record<FilterName, Fit>> = {
  sourceCountry: (offer, asked) => isSame(offer.sourceCountry, asked.sourceCountry),
  targetCountry: (offer, asked) => isSame(offer.targetCountry, asked.targetCountry),
  payIn: (offer, asked) => offer.payIn && isAnyOf(offer.payIn, asked.payIn),
  payOut: (offer, asked) => offer.payOut && isAnyOf(offer.payOut, asked.payOut),
  channel: (offer, asked) => offer.channel && isAnyOf([offer.channel], asked.channel),
  deliveryMaxMs: (offer, asked) =>
    arrivesWithin(offer, asked.deliveryMaxMs ?? Number.POSITIVE_INFINITY),
}

const isSame = (said: string | null, asked: string | null): boolean | null =>
  said === null ? null : said === asked

const isAnyOf = <T>(said: readonly T[], asked: readonly T[] | null): boolean =>
  said.some((one) => asked?.includes(one))

function arrivesBy(provider: Asked['provider'], ms: number): boolean | null {
  const delivery = deliveryIn(provider?.transferTime ?? null)
  return delivery && arrivesWithin(delivery, ms)
}

/** Reports whether money arrives in that time at the latest; null if an offer does not say. */
export function arrivesWithin(delivery: Delivery, ms: number): boolean | null {
  const { deliveryMinMs, deliveryMaxMs } = delivery
  if (deliveryMaxMs !== null) return deliveryMaxMs <= ms
  return deliveryMinMs !== null && deliveryMinMs > ms ? false : null
}
