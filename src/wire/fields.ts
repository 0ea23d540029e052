import {
  type ArrayOptions,
  type IntegerOptions,
  type NumberOptions,
  type SchemaOptions,
  type StringOptions,
  type TSchema,
  type TUnsafe,
  Type,
} from '@sinclair/typebox'
import { TIERS } from '~/domain/freshness.ts'
import { BASES } from '~/domain/mid.ts'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { PROVIDER_TYPES, RATE_TYPES } from '~/domain/provider.ts'

type Fields = Record<string, TSchema>

/** A closed record: an undeclared field in a response is a mistake of ours. */
export const record = <T extends Fields>(fields: T, description?: string) =>
  Type.Object(fields, { additionalProperties: false, ...(description && { description }) })

/** The schema under a name by which documents refer to it. */
export const named = <T extends TSchema>(title: string, schema: T): T => ({ ...schema, title })

/** A closed record with a name. */
export const namedRecord = <T extends Fields>(title: string, fields: T) =>
  named(title, record(fields))

type WordsOptions<T extends readonly string[]> = {
  default?: T[number]
  description?: string
  title?: string
}

/** One of a few words, in the form of OpenAPI. */
export const words = <const T extends readonly string[]>(
  values: T,
  options: WordsOptions<T> = {},
): TUnsafe<T[number]> => Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A value of a schema, or of a type with options, that may be null. */
export const nullable = Object.assign(orNull, {
  string: (options?: StringOptions) => orNull(Type.String(options)),
  number: (options?: NumberOptions) => orNull(Type.Number(options)),
  integer: (options?: IntegerOptions) => orNull(Type.Integer(options)),
  record: <T extends Fields>(...parts: [fields: T, description?: string]) =>
    orNull(record(...parts)),
})

/** A value of a type that may be absent. */
export const optional = {
  string: (options?: StringOptions) => Type.Optional(Type.String(options)),
  number: (options?: NumberOptions) => Type.Optional(Type.Number(options)),
  integer: (options?: IntegerOptions) => Type.Optional(Type.Integer(options)),
  boolean: (options?: SchemaOptions) => Type.Optional(Type.Boolean(options)),
  record: <T extends Fields>(...parts: [fields: T, description?: string]) =>
    Type.Optional(record(...parts)),
  list: <T extends TSchema>(of: T, options?: ArrayOptions) =>
    Type.Optional(Type.Array(of, options)),
  words: <const T extends readonly string[]>(values: T, options?: WordsOptions<T>) =>
    Type.Optional(words(values, options)),
}

export const Instant = Type.String({
  format: 'date-time',
  description: 'ISO-8601, UTC, with milliseconds',
  examples: ['2026-03-05T14:00:00.000Z'],
})

export const ObservationId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The permanent id of an observation.',
  examples: [48_211],
})

export const CurrencyCode = Type.String({ pattern: '^[A-Z]{3,4}$', examples: ['KES'] })

export const RateType = words(RATE_TYPES, {
  title: 'RateType',
  description: 'What kind of price it is. Kinds are never ranked against each other.',
})

export const ProviderType = words(PROVIDER_TYPES, {
  title: 'ProviderType',
  description: 'What kind of institution published the price.',
})

/** The time when an entry's price was seen, and whether that is too long ago. */
export const ageFields = {
  last_updated: Instant,
  is_stale: Type.Boolean({
    description:
      "Whether the price is older than the service's limit for current prices (7 days unless set " +
      'otherwise), so that it may no longer be available.',
  }),
}

/** The bank's own date of an official price. */
export const rateDateField = {
  rate_date: optional.string({
    format: 'date',
    description:
      "The bank's own date of an official price, in the bank's time zone; absent from other " +
      'kinds, and where the zone is not known.',
    examples: ['2026-03-05'],
  }),
}

export const priceFields = {
  rate: Type.Number({ description: 'Units of target currency per one unit of source.' }),
  fee: nullable.number({ description: 'In fee_currency.' }),
  fee_currency: nullable.string(),
}

/** Two fields of every entry that shows a quote with its fee. */
export const standingFields = {
  fee_stated: Type.Boolean({
    description: 'False if the fee is not stated: net amounts then have no fee deducted.',
  }),
  evidence: words(EVIDENCE, {
    title: 'Evidence',
    description:
      'How the price is known: observed, derived from a margin or another source, or indicative, ' +
      'which means advertised and perhaps not available.',
  }),
}

export const DataFreshness = words(TIERS, {
  title: 'DataFreshness',
  description: 'The tier of this response: `hourly` shows the data of the top of the UTC hour.',
})

/** Fields after the time in every response with prices, if they may be sample prices. */
export const sampleFields = {
  sample: optional.boolean({
    description: 'These are sample prices of 2025, at which no money can be sent.',
  }),
}

/** The fields that state the freshness of every response with a tier. */
export const freshnessFields = {
  timestamp: Instant,
  ...sampleFields,
  data_freshness: DataFreshness,
  as_of: Type.Optional(Instant),
}

const DISPERSION =
  'Half the range of the values of the feeds that agree, in basis points; for a pair the sum of ' +
  'both currencies. Absent if fewer than two were compared.'

const basis = words(BASES, {
  description:
    'How well the mid is supported: `consensus`: two or more independent feeds agree on every ' +
    'currency; `single`: only one feed counts for one of them; `disputed`: feeds disagree, and ' +
    'the preferred one counts; `peg`: a currency follows another at a fixed rate.',
})

/** The fields that state how every mid is backed. */
export const backingFields = {
  basis,
  dispersion_bps: optional.number({ description: DISPERSION }),
}

/** The fields that appear together wherever there is a recent mid. */
export const midFields = {
  mid_rate: optional.number(),
  mid_source: optional.string(),
  mid_fetched_at: Type.Optional(Instant),
  mid_basis: Type.Optional(basis),
  mid_dispersion_bps: backingFields.dispersion_bps,
}
