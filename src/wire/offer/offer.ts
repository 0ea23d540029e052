import { type Static, Type } from '@sinclair/typebox'
import { AMOUNT_MATCHES, type AmountMatch, RANGE_FACTOR } from '~/domain/offer/band.ts'
import { deliveryText } from '~/domain/offer/duration.ts'
import type { FilterName } from '~/domain/offer/filter.ts'
import { offerId } from '~/domain/offer/id.ts'
import { CHANNELS, type Offer, PAY_WAYS } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import { Instant, namedRecord, optional, words } from '~/wire/fields.ts'
import { iso } from '~/wire/present.ts'

export const CountryCode = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'ISO 3166-1 alpha-2.',
  examples: ['GB'],
})

const PayWay = words(PAY_WAYS, {
  title: 'PayWay',
  description: 'How money is paid in, or paid out.',
})

const Channel = words(CHANNELS, {
  title: 'Channel',
  description: 'Where a transfer is ordered.',
})

const Delivery = Type.String({
  pattern: '^P(?:\\d+D)?(?:T(?:\\d+H)?(?:\\d+M)?(?:\\d+S)?)?$',
  description: 'ISO 8601 duration of days, hours, minutes and seconds.',
  examples: ['PT1H'],
})

export const OfferId = Type.String({
  pattern: '^[0-9a-f]{12}$',
  description:
    'Id of the offer, the plain one too: the same in every response and event that shows or ends ' +
    'its price, and on every installation.',
  examples: ['5f0c2a9d41b7'],
})

const OfferTerms = namedRecord('Offer', {
  id: { ...OfferId, description: 'As `offer_id`.' },
  source_country: Type.Optional({ ...CountryCode, examples: ['GB'] }),
  target_country: Type.Optional({ ...CountryCode, examples: ['GH'] }),
  pay_in: Type.Optional(Type.Array(PayWay, { examples: [['debit_card']] })),
  pay_out: Type.Optional(Type.Array(PayWay, { examples: [['mobile_money']] })),
  channel: Type.Optional(Channel),
  amount_min: optional.number({
    description: 'The smallest amount it is for, in the source currency.',
  }),
  amount_max: optional.number({
    description:
      'The largest amount it is for; equal to amount_min for a price surveyed at one amount.',
  }),
  service: optional.string({
    description: "The provider's own name for it.",
    examples: ['Express'],
  }),
  fee_percent: optional.number({
    description: 'Charged on top of the fee, in percent of the amount sent.',
  }),
  delivery_min: Type.Optional(Delivery),
  delivery_max: Type.Optional(Delivery),
  valid_until: Type.Optional({ ...Instant, description: 'The price is not shown after it.' }),
})

/** The offer of a price and its conditions, as the last fields of each entry that has an offer. */
export const offerFields = {
  offer_id: OfferId,
  offer: Type.Optional({
    ...OfferTerms,
    description:
      'The conditions of the price, as far as stated. A condition that is not stated is left ' +
      'out, and so is the object if it would be empty.',
  }),
}

export const AmountMatchWord = words(AMOUNT_MATCHES, {
  title: 'AmountMatch',
  description:
    '`exact`: the offer is for the requested amount. `nearest`: the provider has no such offer, ' +
    'and this is the one with the nearest amounts; its cost is at `at_amount`. `out_of_range`: ' +
    `the nearest amounts are more than ${RANGE_FACTOR} times the requested amount or less than ` +
    'half of it, so the price says nothing about it; it has no net amount and no cost, and is ' +
    'never the best.',
})

/** Relation of the requested amount to the amounts that an offer is for; only with an offer. */
export const matchFields = {
  amount_match: Type.Optional(AmountMatchWord),
  at_amount: optional.number({
    description: 'The amount that the cost is for, if it is not the amount sent.',
  }),
}

export const FILTERS: Readonly<Record<FilterName, string>> = {
  sourceCountry: 'source_country',
  targetCountry: 'target_country',
  payIn: 'pay_in',
  payOut: 'pay_out',
  channel: 'channel',
  deliveryMaxMs: 'delivery_max',
}

export const unspecifiedFields = {
  unspecified: optional.list(words(Object.values(FILTERS)), {
    description: 'Requested conditions that the offer does not state, so they may not hold.',
    examples: [['target_country']],
  }),
}

/** The fields of `offerFields`; only the id for a quote that states nothing about its offer. */
export function presentOffer(quote: Quote): {
  offer_id: string
  offer?: Static<typeof OfferTerms>
} {
  const { offer } = quote
  const id = offerId(quote)
  return { offer_id: id, ...(offer !== null && { offer: { id, ...termsOf(offer) } }) }
}

function termsOf(offer: Offer): Omit<Static<typeof OfferTerms>, 'id'> {
  const { amountMin, amountMax, feePercent, deliveryMinMs, deliveryMaxMs, validUntilMs } = offer
  const all = {
    source_country: offer.sourceCountry,
    target_country: offer.targetCountry,
    pay_in: offer.payIn && [...offer.payIn],
    pay_out: offer.payOut && [...offer.payOut],
    channel: offer.channel,
    amount_min: amountMin && roundAmount(amountMin),
    amount_max: amountMax && roundAmount(amountMax),
    service: offer.service,
    fee_percent: feePercent && roundPercent(feePercent),
    delivery_min: deliveryMinMs === null ? null : deliveryText(deliveryMinMs),
    delivery_max: deliveryMaxMs === null ? null : deliveryText(deliveryMaxMs),
    valid_until: validUntilMs === null ? null : iso(validUntilMs),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** The fields of `matchFields`; none for a quote without stated offer, or without an amount. */
export function presentMatch({ offer }: Quote, matched: AmountMatch | null) {
  if (offer === null || matched === null) return {}
  const { match, atAmount } = matched
  return {
    amount_match: match,
    ...(match !== 'exact' && { at_amount: roundAmount(atAmount) }),
  }
}

/** The field of `unspecifiedFields`; none if every requested condition is stated. */
export const presentUnspecified = (unspecified: readonly FilterName[]) =>
  unspecified.length === 0 ? {} : { unspecified: unspecified.map((name) => FILTERS[name]) }
