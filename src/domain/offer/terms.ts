import { plainDecimal } from '~/domain/decimal.ts'

export const PAY_WAYS = [
  'cash',
  'bank_account',
  'debit_card',
  'credit_card',
  'prepaid_card',
  'mobile_money',
] as const
export const CHANNELS = [
  'internet',
  'agent',
  'bank_branch',
  'mobile_phone',
  'call_center',
  'post_office',
] as const

export type PayWay = (typeof PAY_WAYS)[number]
/** Places where a transfer is ordered. */
export type Channel = (typeof CHANNELS)[number]

/**
 * Identity of an offer. Quotes of one provider in one corridor that agree in all fields are of one
 * offer, and the newest replaces the others.
 *
 * Null means that it was not stated, never that it does not matter.
 */
type OfferIdentity = {
  /** ISO 3166-1 alpha-2. */
  readonly sourceCountry: string | null
  readonly targetCountry: string | null
  /** Never empty. */
  readonly payIn: readonly PayWay[] | null
  readonly payOut: readonly PayWay[] | null
  readonly channel: Channel | null
  /** In the source currency, both inclusive; equal for a price surveyed at one amount. */
  readonly amountMin: number | null
  readonly amountMax: number | null
  /** The provider's own name for it, which distinguishes offers that agree in all else. */
  readonly service: string | null
}

/** Terms of one quote of an offer besides its rate and fee. Null means not stated. */
type OfferTerms = {
  /** Charged on top of the fee, in percent of the amount sent. */
  readonly feePercent: number | null
  readonly deliveryMinMs: number | null
  readonly deliveryMaxMs: number | null
  /** The last time at which the quote is live. */
  readonly validUntilMs: number | null
}

export type Offer = OfferIdentity & OfferTerms

/** The provider's plain offer, without any conditions. */
export const PLAIN: Offer = {
  sourceCountry: null,
  targetCountry: null,
  payIn: null,
  payOut: null,
  channel: null,
  amountMin: null,
  amountMax: null,
  service: null,
  feePercent: null,
  deliveryMinMs: null,
  deliveryMaxMs: null,
  validUntilMs: null,
}

/** Something that may expire by its own terms. */
export type Passing = { readonly offer?: Offer | null }

/** The last time at which it is live by its own terms; else Infinity. */
export const lastMsOf = ({ offer }: Passing): number =>
  offer?.validUntilMs ?? Number.POSITIVE_INFINITY

/** Reports whether a quote was still live at a time, as far as it says so itself. */
export const isValidAt = (passing: Passing, ms: number): boolean => lastMsOf(passing) >= ms

/** The ways in the order of `PAY_WAYS`, each once. */
export const waysInOrder = (ways: readonly PayWay[]): PayWay[] =>
  PAY_WAYS.filter((way) => ways.includes(way))

/**
 * A string that is equal for two offers of a provider in a corridor if, and only if, they are one
 * offer, in whatever order their payment methods are listed; empty for the plain offer.
 */
export function offerKey({ amountMin, amountMax, ...others }: OfferIdentity): string {
  return keyOf(others, [amountMin, amountMax])
}

/** Reports whether two quotes of a provider in a corridor have one offer key. */
export function isSameOffer(a: OfferIdentity | null, b: OfferIdentity | null): boolean {
  if (a === b) return true
  const [some, other] = [a ?? PLAIN, b ?? PLAIN]
  return (
    some.sourceCountry === other.sourceCountry &&
    some.targetCountry === other.targetCountry &&
    some.channel === other.channel &&
    some.amountMin === other.amountMin &&
    some.amountMax === other.amountMax &&
    some.service === other.service &&
    isSameWays(some.payIn, other.payIn) &&
    isSameWays(some.payOut, other.payOut)
  )
}

/** Reports whether two quotes of one offer agree apart from rate and fee. */
export const isSameTerms = (some: OfferTerms, other: OfferTerms): boolean =>
  some.feePercent === other.feePercent &&
  some.deliveryMinMs === other.deliveryMinMs &&
  some.deliveryMaxMs === other.deliveryMaxMs &&
  some.validUntilMs === other.validUntilMs

/** Reports whether two lists have the same ways, in whatever order and however often. */
function isSameWays(some: readonly PayWay[] | null, other: readonly PayWay[] | null): boolean {
  if (some === other) return true
  if (!some || !other) return false
  return some.every((way) => other.includes(way)) && other.every((way) => some.includes(way))
}

/** The key of an offer without its amounts, which is that of all its bands. */
export const bandsKey = (identity: OfferIdentity): string => keyOf(identity, [null, null])

function keyOf(
  said: Omit<OfferIdentity, 'amountMin' | 'amountMax'>,
  amounts: readonly (number | null)[],
): string {
  const parts = [
    said.sourceCountry,
    said.targetCountry,
    said.payIn && waysInOrder(said.payIn),
    said.payOut && waysInOrder(said.payOut),
    said.channel,
    ...amounts.map((amount) => (amount === null ? null : plainDecimal(String(amount)))),
    said.service,
  ]
  return parts.every((part) => part === null) ? PLAIN_KEY : JSON.stringify(parts)
}

const PLAIN_KEY = ''

/** The offer that a key of `offerKey` identifies, without terms. */
export function offerOfKey(key: string): Offer {
  if (key === PLAIN_KEY) return PLAIN
  const [sourceCountry, targetCountry, payIn, payOut, channel, min, max, service] = JSON.parse(key)
  return {
    ...PLAIN,
    ...{ sourceCountry, targetCountry, payIn, payOut, channel, service },
    amountMin: min === null ? null : Number(min),
    amountMax: max === null ? null : Number(max),
  }
}
