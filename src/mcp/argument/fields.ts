import { Type } from '@sinclair/typebox'
import { AMOUNT_MAX } from '~/domain/convert.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { dateMsOf } from '~/domain/instant.ts'
import { words } from '~/wire/fields.ts'
import { DETAILS } from '~/wire/list/detail.ts'
import { ageParameter, readInstant, readMaxAge } from '~/wire/moment.ts'
import { filterParameters, readDelivery, selectionParameters } from '~/wire/offer/selection.ts'
import { PROVIDER_ID_LENGTH_MAX } from '~/wire/parameters.ts'
import { iso } from '~/wire/present.ts'
import { countryText, currencyText, providerText, type Reading, readBy } from './names.ts'

/** A schema with the words that a model reads; REST has longer ones. */
const described = <T extends object>(schema: T, description: string): T => ({
  ...schema,
  description,
})

export const currency = (description: string) => readBy(currencyText, Type.String({ description }))

export const currencies = (description: string, maxItems: number) =>
  readBy(currencyText, Type.Array(Type.String(), { description, minItems: 1, maxItems }))

export const country = (description: string) => readBy(countryText, Type.String({ description }))

/** The maximum number of countries that are requested at once: no group has more. */
const COUNTRIES_MAX = 60

/** Countries by their codes, their names, or the names of their groups. */
export const countries = (description: string) =>
  readBy(
    countryText,
    Type.Array(Type.String(), { description, minItems: 1, maxItems: COUNTRIES_MAX }),
  )

export const provider = (description: string) =>
  readBy(providerText, Type.String({ description, maxLength: PROVIDER_ID_LENGTH_MAX }))

const PROVIDERS_MAX = 20

export const providersField = {
  providers: Type.Optional(
    readBy(
      providerText,
      Type.Array(Type.String({ maxLength: PROVIDER_ID_LENGTH_MAX }), {
        description: 'List only these: ids or names.',
        minItems: 1,
        maxItems: PROVIDERS_MAX,
      }),
    ),
  ),
}

export const corridorFields = {
  from: currency('Source currency: code or name.'),
  to: currency('Target currency.'),
}

/** Checks a string by its later reader, which throws; the string stays as it is. */
export const checkedBy =
  (read: (text: string) => unknown): Reading =>
  (text) => {
    read(text)
    return text
  }

export const ageField = {
  max_age: readBy(
    checkedBy((text) => readMaxAge({ max_age: text })),
    described(ageParameter.max_age, 'Leaves out older prices: 24h, 7d.'),
  ),
}

export const filterFields = {
  source_country: Type.Optional(country('Country of the sender: code or name.')),
  target_country: Type.Optional(country('Country of the recipient.')),
  pay_in: described(filterParameters.pay_in, 'How the sender pays, any of these.'),
  pay_out: described(filterParameters.pay_out, 'How the recipient is paid.'),
  channel: described(filterParameters.channel, 'Where it is ordered.'),
  delivery_max: readBy(
    checkedBy(readDelivery),
    described(filterParameters.delivery_max, 'Leaves out slower offers: 2h, 1d.'),
  ),
}

export const selectionFields = {
  ...filterFields,
  ...ageField,
  offers: described(selectionParameters.offers, 'all: every offer, not the best of each provider.'),
}

export const amount = (description: string) =>
  Type.Number({ description, exclusiveMinimum: 0, maximum: AMOUNT_MAX })

export const detailField = {
  detail: words(DETAILS, {
    default: 'short',
    description: 'full: all fields of REST, with notes.',
  }),
}

/** A time that has come, or a date, which counts whole, as far as it is over. */
const pastMoment =
  (what: string): Reading =>
  (text, { name, nowMs }) => {
    const dayMs = dateMsOf(text)
    if (dayMs !== null && dayMs <= nowMs) return iso(Math.min(dayMs + DAY_MS - 1, nowMs))
    if (dayMs !== null)
      throw invalidParameter({ name, fault: `it is in the future; leave it out ${what}` })
    readInstant(name, text)
    return text
  }

/** A time at which a window ends. */
export const untilField = {
  until: Type.Optional(
    readBy(
      pastMoment('to end with now'),
      Type.String({ description: 'End of the window: a date or time.' }),
    ),
  ),
}

/** The time of the requested state of knowledge. */
export const knownField = {
  known_at: Type.Optional(
    readBy(pastMoment('to ask about now'), Type.String({ description: 'As known then.' })),
  ),
}
