import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { type Channel, type Offer, type PayWay, PLAIN } from './terms.ts'

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

/** In the order in which answers name them. */
const NAMES = Object.keys(NO_FILTERS) as FilterName[]

export const askedOf = (filters: OfferFilters): FilterName[] =>
  NAMES.filter((name) => filters[name] !== null)

/** Reports whether nothing is asked of offers. */
export const isUnfiltered = (filters: OfferFilters): boolean =>
  filters === NO_FILTERS || NAMES.every((name) => filters[name] === null)

/** A quote, and what its provider says of all its transfers, where that is known. */
type Asked = {
  readonly quote: Quote
  readonly provider?: Pick<Provider, 'transferTime'>
}

/**
 * The filters that an offer says nothing about; null if it says something else than one asks.
 * Where an offer does not say how long it takes, the provider's own words count, if they can be
 * read as a time.
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

/** Says whether an offer is what a filter asks; null if it says nothing of it. */
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

/** The time that a transfer takes, in milliseconds; null for an end that is not known. */
type Delivery = {
  readonly deliveryMinMs: number | null
  readonly deliveryMaxMs: number | null
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['minute', MINUTE_MS],
  ['hour', HOUR_MS],
  ['day', DAY_MS],
])
const WORDS: ReadonlyMap<string, number> = new Map([
  ...['instant', 'instantly', 'immediate', 'immediately'].map((word) => [word, 0] as const),
  ...['minutes', 'within minutes', 'a few minutes'].map((word) => [word, HOUR_MS] as const),
  ['same day', DAY_MS],
  ['next day', 2 * DAY_MS],
])
/** `3-5 days`, `less than one hour`, `up to 2 days`, `6 days or more`. */
const SPAN =
  /^(?:(less than|within|up to) )?(one|\d{1,3})(?: ?(?:-|–|to) ?(\d{1,3}))? (\w+?)s?( or more)?$/

const known = new Map<string, Delivery | null>()
const KNOWN_MAX = 1000

/**
 * Reads a provider's own words for the duration of a transfer; null if they are not a time: days on
 * which banks work have no fixed length.
 */
export function deliveryIn(text: string | null): Delivery | null {
  if (text === null) return null
  const read = known.get(text)
  if (read !== undefined) return read
  if (known.size >= KNOWN_MAX) known.clear()
  const delivery = readDelivery(text.trim().toLowerCase())
  known.set(text, delivery)
  return delivery
}

function readDelivery(text: string): Delivery | null {
  const mostMs = WORDS.get(text)
  if (mostMs !== undefined) return { deliveryMinMs: null, deliveryMaxMs: mostMs }
  const [, bound, first = '', second, unit = '', more] = SPAN.exec(text) ?? []
  const unitMs = UNITS_MS.get(unit)
  if (unitMs === undefined) return null
  const fromMs = (first === 'one' ? 1 : Number(first)) * unitMs
  if (more) return { deliveryMinMs: fromMs, deliveryMaxMs: null }
  const toMs = second === undefined ? fromMs : Number(second) * unitMs
  return { deliveryMinMs: bound || second === undefined ? null : fromMs, deliveryMaxMs: toMs }
}
