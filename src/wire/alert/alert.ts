import { type Static, Type } from '@sinclair/typebox'
import {
  ALERT_OPS,
  ALERT_STATUSES,
  type Alert,
  type Condition,
  LISTED_MAX,
} from '~/domain/alert/alert.ts'
import { ALERT_FIELDS, FIELDS, fieldsThat } from '~/domain/alert/field.ts'
import { corridorKey } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { Instant, namedRecord, nullable, record, words } from '~/wire/fields.ts'
import { iso } from '~/wire/present.ts'

export const ALERT_NAME_LENGTH_MAX = 60
export const WEBHOOK_URL_LENGTH_MAX = 500

export const CorridorName = Type.String({
  description: 'Source and target currency, as in `GBP/KES`.',
  examples: ['GBP/KES'],
})

/** Fields that need an amount, that compare nothing, and so on, as the descriptions name them. */
export const FOR_AMOUNT = fieldsThat(({ isForAmount }) => isForAmount).join(', ')
export const UNCOMPARED = fieldsThat(({ unit }) => unit === null).join(' and ')
const WITH_PAST = fieldsThat(({ hasPast }) => hasPast).join(' and ')
const OF_NO_OFFERS = fieldsThat(({ isOfOffers }) => !isOfOffers).join(' or ')

export const Amount = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1e15,
  description: `In the source currency; needed for ${FOR_AMOUNT}, and only for these.`,
})

export const AlertName = Type.String({ minLength: 1, maxLength: ALERT_NAME_LENGTH_MAX })

const COUNTRY = 'The country that prices must be for, by ISO 3166-1 alpha-2; null for any.'

export const AskedCountry = Type.String({
  description:
    'An ISO 3166-1 alpha-2 code. Offers for other countries do not count, and offers that name ' +
    `no country count only if there are no others. Not for ${OF_NO_OFFERS}, nor for a move over ` +
    'a period.',
  examples: ['KE'],
})

const Field = words(ALERT_FIELDS, {
  description: `What is watched: ${Object.values(FIELDS)
    .map(({ meaning }) => meaning)
    .join('; ')}.`,
})
const Op = words(ALERT_OPS, {
  description: `moves_pct is a move either way; ${UNCOMPARED} take none.`,
})
const Threshold = Type.Number({
  description: `The threshold, or the smallest move in percent; ${UNCOMPARED} take none.`,
})
const PeriodText = Type.String({
  description:
    `For moves_pct of ${WITH_PAST} 24h, 7d, 30d or 90d: the period of the move; without it, ` +
    'since the alert was created or last fired. For stale the age from which prices are stale; ' +
    "without it the service's own limit.",
  examples: ['24h'],
})

export const AskedCondition = Type.Object(
  {
    field: Field,
    op: Type.Optional(Op),
    value: Type.Optional(Threshold),
    period: Type.Optional(PeriodText),
  },
  { additionalProperties: false },
)

export const Webhook = Type.Object(
  {
    webhook: Type.String({
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description: 'An https URL that takes POST requests, by Standard Webhooks.',
      examples: ['https://example.com/corridor'],
    }),
  },
  { additionalProperties: false },
)
export const Email = Type.Object(
  { email: Type.Boolean({ const: true, description: 'An email to the owner of the account.' }) },
  { additionalProperties: false },
)

export const Destination = Type.Union([Webhook, Email])

const shown = {
  id: Type.String({ format: 'uuid' }),
  name: nullable.string(),
  corridor: Type.String(),
  source_country: nullable.string({ description: COUNTRY }),
  target_country: nullable.string({ description: COUNTRY }),
  amount: nullable.number(),
  when: record({
    field: words(ALERT_FIELDS),
    op: nullable(words(ALERT_OPS)),
    value: nullable.number(),
    period: nullable.string({ description: 'As in `24h` or `7d`.' }),
  }),
  to: Destination,
  once: Type.Boolean({ description: 'Whether it ends after its first firing.' }),
  status: words(ALERT_STATUSES, {
    description:
      'Only active alerts are evaluated. A failing alert was switched off because nothing could ' +
      'be delivered; set its status to active to switch it on again.',
  }),
  reason: nullable.string({ description: 'Why it is not active, or cannot fire for now.' }),
  is_true: Type.Boolean({
    description: 'Whether the condition holds; the alert then fires only after it has been false.',
  }),
  last_fired_at: nullable(Instant),
  created_at: Instant,
}

export const AlertResponse = namedRecord('Alert', shown)

export const SecretAlertResponse = namedRecord('NewAlert', {
  ...shown,
  secret: nullable.string({
    description: 'The signing key, shown only here; null for email, and if the webhook stays.',
    pattern: '^whsec_',
  }),
})

export const AlertsResponse = namedRecord('AlertsResponse', {
  alerts: Type.Array(AlertResponse, { maxItems: LISTED_MAX }),
  count: Type.Integer(),
  timestamp: Instant,
})

export const SecretResponse = namedRecord('AlertSecret', {
  id: Type.String({ format: 'uuid' }),
  secret: Type.String({ description: 'The new key, shown only here.', pattern: '^whsec_' }),
  old_secret_ends_at: Type.String({
    ...Instant,
    description: 'Until then every delivery is signed with the replaced key too.',
  }),
})

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
] as const

/** An age as people write it: `7d`, `24h` or `90m`. */
function periodText(ms: number): string {
  const isWhole = ([, unitMs]: Unit) => ms % unitMs === 0 && (unitMs < DAY_MS || ms > DAY_MS)
  const [unit, unitMs] = UNITS.find(isWhole) ?? UNITS[2]
  return `${ms / unitMs}${unit}`
}

type Unit = (typeof UNITS)[number]

export const presentCondition = ({ field, op, value, periodMs }: Condition) => ({
  field,
  op,
  value,
  period: periodMs === null ? null : periodText(periodMs),
})

export function presentAlert(alert: Alert): Static<typeof AlertResponse> {
  const { id, name, corridor, sourceCountry, targetCountry, amount, when, to } = alert
  return {
    id,
    name,
    corridor: corridorKey(corridor),
    source_country: sourceCountry,
    target_country: targetCountry,
    amount,
    when: presentCondition(when),
    to: to.kind === 'webhook' ? { webhook: to.url } : { email: true },
    once: alert.isOnce,
    status: alert.status,
    reason: alert.reason,
    is_true: alert.standing.isTrue,
    last_fired_at: alert.firedMs === null ? null : iso(alert.firedMs),
    created_at: iso(alert.createdMs),
  }
}
