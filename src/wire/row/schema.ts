import { type TSchema, Type } from '@sinclair/typebox'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import {
  BACKFILL_YEARS_MAX,
  FEE_MAX,
  NOTES_LENGTH_MAX,
  RATE_MAX,
  RATE_MIN,
  SIGNIFICANT_DIGITS_MAX,
} from '~/domain/observation.ts'
import { DELIVERY_DAYS_MAX } from '~/domain/offer/duration.ts'
import { SERVICE_LENGTH_MAX } from '~/domain/offer/fault.ts'
import { CHANNELS, PAY_WAYS } from '~/domain/offer/terms.ts'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { named, nullable, words } from '~/wire/fields.ts'

const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))
const currency = (description: string) => optional(Type.String({ description, examples: ['KES'] }))

const country = (description: string) => optional(Type.String({ description, examples: ['GB'] }))
const ways = (description: string) =>
  optional(
    Type.Array(words(PAY_WAYS), {
      minItems: 1,
      maxItems: PAY_WAYS.length,
      uniqueItems: true,
      description,
    }),
  )
const amount = (description: string) =>
  optional(Type.Number({ minimum: 0, maximum: AMOUNT_MAX, description }))
const delivery = (description: string) =>
  optional(Type.String({ format: 'duration', description, examples: ['PT1H', 'P2D'] }))

/** Fields of a row about its offer. An absent one is not stated; it never means any. */
const offerMembers = {
  source_country: country(
    'Where the sender is, by ISO 3166-1 alpha-2. With another target_country, both currencies ' +
      'may be the same.',
  ),
  target_country: country('Where the money arrives, by ISO 3166-1 alpha-2.'),
  pay_in: ways('How the sender may pay, each way once.'),
  pay_out: ways('How the money may be paid out, each way once.'),
  channel: optional(words(CHANNELS, { description: 'Where the transfer is ordered.' })),
  amount_min: amount('The smallest amount that the price is for, in the source currency.'),
  amount_max: amount(
    'The largest amount that the price is for; equal to amount_min for a price surveyed at ' +
      'one amount.',
  ),
  service: optional(
    Type.String({
      minLength: 1,
      maxLength: SERVICE_LENGTH_MAX,
      description: "The provider's own name for it: distinguishes offers that agree in all else.",
      examples: ['Express'],
    }),
  ),
  fee_percent: optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'Charged on top of fee, in percent of the amount; without a fee, in the source currency.',
    }),
  ),
  delivery_min: delivery('How soon the money arrives at the earliest, such as PT0S.'),
  delivery_max: delivery(
    'How soon it arrives at the latest: days, hours, minutes and seconds, at most ' +
      `${DELIVERY_DAYS_MAX} days.`,
  ),
  valid_until: optional(
    Type.String({
      format: 'date-time',
      description: 'Past it the price is no longer live; after effective_from.',
    }),
  ),
}

/**
 * One row, in which optional fields may also be null. A misspelt field is refused; one with another
 * name is ignored and named in the response's warnings.
 */
export const RateRow = named(
  'RateRow',
  Type.Object({
    provider_id: Type.String({ description: 'An active provider id, as listed by /providers.' }),
    rate: Type.Number({
      minimum: RATE_MIN,
      maximum: RATE_MAX,
      description:
        'Units of target per unit of source; ' +
        `at most ${SIGNIFICANT_DIGITS_MAX} significant digits.`,
    }),
    from: currency('Source currency; this or source_currency is required.'),
    to: currency('Target currency; this or target_currency is required.'),
    source_currency: currency('Another name of from; if both are given they must agree.'),
    target_currency: currency('Another name of to; if both are given they must agree.'),
    fee: optional(Type.Number({ minimum: 0, maximum: FEE_MAX, description: 'In fee_currency.' })),
    fee_currency: currency('Defaults to the source currency when a fee is given.'),
    notes: optional(Type.String({ maxLength: NOTES_LENGTH_MAX })),
    evidence: optional(
      words(EVIDENCE, {
        default: 'observed',
        description:
          'How the price is known: observed, derived from a margin or another source, or ' +
          'indicative, which means advertised and perhaps not available.',
      }),
    ),
    effective_from: optional(
      Type.String({
        format: 'date-time',
        description: `Defaults to now; at most ${BACKFILL_YEARS_MAX} years back, never future.`,
      }),
    ),
    ...offerMembers,
    accept_implausible: optional(
      Type.Boolean({
        description:
          'Records a rate that is too far from the mid of its day, which would otherwise be ' +
          'refused as implausible_rate. It is then suspect.',
      }),
    ),
  }),
)
