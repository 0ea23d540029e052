import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { countryCode, countryFault } from '~/domain/offer/country.ts'
import { DELIVERY_DAYS_MAX, deliveryMsOf } from '~/domain/offer/duration.ts'
import { NO_FILTERS, type OfferFilters } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { CHANNELS, PAY_WAYS } from '~/domain/offer/terms.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import { optional, words } from '~/wire/fields.ts'
import { ageParameter, readMaxAge } from '~/wire/moment.ts'

const DELIVERY =
  'time such as 2h or 3d, or an ISO 8601 duration such as PT2H or P3D, ' +
  `at most ${DELIVERY_DAYS_MAX} days`

const country = (description: string, example: string) =>
  Type.String({ description, examples: [example] })

export const countryParameters = {
  source_country: country(
    'ISO 3166-1 alpha-2 code of the country that the money is sent from.',
    'GB',
  ),
  target_country: country(
    'ISO 3166-1 alpha-2 code of the country that the money is sent to.',
    'KE',
  ),
}

const ONLY = 'Offers that name others are left out.'

/** Words in lower case, of which an offer needs to say one. */
const anyOf = <const T extends readonly string[]>(values: T, what: string, example: T[number]) =>
  optional.list(words(values), {
    description: `${what}, any of these. ${ONLY}`,
    ...{ minItems: 1, examples: [[example]] },
  })

export const filterParameters = {
  source_country: Type.Optional({
    ...countryParameters.source_country,
    description: `Country that the money is sent from, ISO 3166-1 alpha-2. ${ONLY}`,
  }),
  target_country: Type.Optional({
    ...countryParameters.target_country,
    description: `Country that the money is sent to, ISO 3166-1 alpha-2. ${ONLY}`,
  }),
  pay_in: anyOf(PAY_WAYS, 'How the sender pays', 'debit_card'),
  pay_out: anyOf(PAY_WAYS, 'How the recipient is paid', 'mobile_money'),
  channel: anyOf(CHANNELS, 'Where the transfer is ordered', 'internet'),
  delivery_max: optional.string({
    description: `A ${DELIVERY}. Offers that may take longer are left out.`,
    examples: ['1d'],
  }),
}

/** Filters of offers of which a list shows one of each provider, or all. */
export const offerParameters = {
  ...filterParameters,
  offers: optional.words(['best', 'all'], {
    description: "`all` lists every matching offer instead of each provider's best.",
  }),
}

/** Filters of offers and prices for a request about now. */
export const selectionParameters = { ...ageParameter, ...offerParameters }

const SelectionQuery = Type.Object(selectionParameters)
type SelectionQuery = Static<typeof SelectionQuery>

/** Reads the selection of offers. Throws a 400 that names the invalid parameter. */
export function readSelection(query: SelectionQuery): Selection {
  const maxAgeMs = readMaxAge(query)
  const filters = readFilters(query)
  const isEvery = query.offers === 'all'
  const isPlain = filters === NO_FILTERS && !isEvery && maxAgeMs === null
  return isPlain ? UNSELECTED : { filters, isEvery, maxAgeMs }
}

/** The filters of a request; `NO_FILTERS` itself if it has none. */
export function readFilters(query: Omit<SelectionQuery, 'max_age' | 'offers'>): OfferFilters {
  const { source_country, target_country, pay_in, pay_out, channel, delivery_max } = query
  const filters = {
    sourceCountry: readCountry('source_country', source_country),
    targetCountry: readCountry('target_country', target_country),
    payIn: pay_in ?? null,
    payOut: pay_out ?? null,
    channel: channel ?? null,
    deliveryMaxMs: readDelivery(delivery_max),
  }
  return Object.values(filters).every((one) => one === null) ? NO_FILTERS : filters
}

const ECHO_LENGTH_MAX = 40

/** A request's country code, given in any case; null if absent. */
function readCountry(name: string, text: string | undefined): string | null {
  return text === undefined ? null : neededCountry(name, text)
}

/** A request's country code, given in any case. Throws a 400 for any other string. */
export function neededCountry(name: string, text: string): string {
  const code = countryCode(text)
  if (code !== null) return code
  const echo = JSON.stringify(text.slice(0, ECHO_LENGTH_MAX))
  throw invalidParameter({ name, fault: `${echo} ${countryFault(text)}` })
}

/** A delivery time in milliseconds, null if absent; a 400 if it is not a delivery time. */
export function readDelivery(text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = deliveryOf(text)
  if (ms !== null) return ms
  throw invalidParameter({ name: 'delivery_max', fault: `it must be a ${DELIVERY}` })
}

/** The milliseconds of a delivery time, as ISO 8601 or an age has it; null for any other string. */
export const deliveryOf = (text: string): number | null => deliveryMsOf(text) ?? shortMs(text)

/** Reads the notation of an age, up to the maximum of a delivery. */
function shortMs(text: string): number | null {
  const ms = ageMsOf(text)
  return ms !== null && ms <= DELIVERY_DAYS_MAX * DAY_MS ? ms : null
}
