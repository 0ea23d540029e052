import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  ALERT_OPS,
  type AlertChange,
  type AlertWish,
  type Condition,
  type Destination,
} from '~/domain/alert/alert.ts'
import { ALERT_FIELDS } from '~/domain/alert/field.ts'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { meantBy } from '~/domain/misspelling.ts'
import { isOneLine, ONE_LINE_RULE } from '~/domain/naming/one-line.ts'
import { countryCode, countryFault } from '~/domain/offer/country.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import { jsonBody } from '~/wire/json-body.ts'
import {
  ALERT_NAME_LENGTH_MAX,
  AlertName,
  Amount,
  AskedCondition,
  AskedCountry,
  CorridorName,
  Destination as DestinationSchema,
  WEBHOOK_URL_LENGTH_MAX,
} from './alert.ts'

export const ALERT_BODY_BYTES_MAX = 8192

const name = Type.Optional(Type.Union([AlertName, Type.Null()]))
const once = Type.Optional(Type.Boolean({ description: 'Whether to end after one firing.' }))

export const AlertBody = Type.Object(
  {
    corridor: CorridorName,
    source_country: Type.Optional(AskedCountry),
    target_country: Type.Optional(AskedCountry),
    amount: Type.Optional(Amount),
    when: AskedCondition,
    to: DestinationSchema,
    name,
    once,
  },
  { additionalProperties: false, title: 'AlertBody' },
)

export const AlertChangeBody = Type.Object(
  {
    amount: Type.Optional(Type.Union([Amount, Type.Null()])),
    when: Type.Optional(AskedCondition),
    to: Type.Optional(DestinationSchema),
    name,
    once,
    status: Type.Optional(
      Type.Unsafe<'active' | 'paused'>({ type: 'string', enum: ['active', 'paused'] }),
    ),
  },
  { additionalProperties: false, title: 'AlertChangeBody' },
)

const WEBHOOK = { webhook: 'https://example.com/corridor' }

export const ALERT_EXAMPLES = {
  best: {
    corridor: 'GBP/KES',
    when: { field: 'best', op: 'above', value: 180 },
    to: WEBHOOK,
    name: 'A good day to send',
  },
  net: {
    corridor: 'GBP/KES',
    source_country: 'GB',
    target_country: 'KE',
    amount: 200,
    when: { field: 'best_current_net', op: 'above', value: 35_000 },
    to: WEBHOOK,
    once: true,
  },
  move: {
    corridor: 'GBP/KES',
    when: { field: 'mid', op: 'moves_pct', value: 2, period: '24h' },
    to: WEBHOOK,
  },
}

export const ALERT_CHANGE_EXAMPLES = {
  pause: { status: 'paused' },
  condition: { when: { field: 'best', op: 'below', value: 165 } },
}

/** Fields that an alert keeps from its creation. */
const SETTLED = ['corridor', 'source_country', 'target_country'] as const

type Members = Readonly<Record<string, unknown>>

/** A new alert as a body asks for it. Throws `malformed_body`, or names the member at fault. */
export function readAlertBody(text: string): AlertWish {
  const body = membersOf(parsed(text), AlertBody, '')
  for (const needed of ['corridor', 'when', 'to'] as const)
    if (body[needed] === undefined) throw missing(needed, NEEDED[needed])
  return {
    corridor: corridorOf(body.corridor),
    sourceCountry: countryOf(body, 'source_country'),
    targetCountry: countryOf(body, 'target_country'),
    amount: amountOf(body.amount),
    when: conditionOf(body.when),
    to: destinationOf(body.to),
    name: nameOf(body.name),
    isOnce: flagOf(body.once),
  }
}

/** Changes of an alert by a body. Throws as `readAlertBody` does, and for a body without any. */
export function readAlertChange(text: string): AlertChange {
  const given = parsed(text)
  const kept = SETTLED.find((name) => typeof given === 'object' && given && name in given)
  if (kept)
    throw wrong(
      kept,
      "an alert's corridor and countries cannot change; create a new alert and delete this one",
    )
  const body = membersOf(given, AlertChangeBody, '')
  const { amount, when, to, once, status } = body
  if (Object.keys(body).length === 0)
    throw new ServiceError('malformed_body', 'the body has no fields to change; send at least one')
  return {
    ...(amount !== undefined && { amount: amountOf(amount) }),
    ...(when !== undefined && { when: conditionOf(when) }),
    ...(to !== undefined && { to: destinationOf(to) }),
    ...(body.name !== undefined && { name: nameOf(body.name) }),
    ...(once !== undefined && { isOnce: flagOf(once) }),
    ...(status !== undefined && { status: statusOf(status) }),
  }
}

const NEEDED = {
  corridor: 'two codes, as in GBP/KES',
  when: 'an object with field, op and value',
  to: 'an object with webhook or email',
}

const missing = (name: string, takes: string) =>
  new ServiceError('missing_parameter', `${name} is required: ${takes}`, { parameter: name })

const wrong = (name: string, fault: string) => invalidParameter({ name, fault })

const parsed = (text: string): unknown =>
  jsonBody(text, { tooDeep: 'the body is nested too deeply for an alert' })

/** The members of an object, all of them known to its schema. `at` names it where it is inside. */
function membersOf(value: unknown, schema: TSchema, at: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    if (at === '') throw new ServiceError('malformed_body', 'the body must be one JSON object')
    throw wrong(at, 'it must be an object')
  }
  const known = Object.keys(schema.properties)
  const unknown = Object.keys(value).find((member) => !known.includes(member))
  if (unknown === undefined) return value as Members
  const meant = meantBy(unknown, known)
  const shown = JSON.stringify(unknown.slice(0, 40)).slice(1, -1)
  const where = at === '' ? '' : `${at}.`
  throw wrong(
    `${where}${shown}`,
    meant ? `did you mean ${meant}?` : `it is not known; use ${known.join(', ')}`,
  )
}

const CORRIDOR = /^\s*([A-Za-z]{3,4})\s*\/\s*([A-Za-z]{3,4})\s*$/

/** Both codes of a text such as `GBP/KES`. Throws `invalid_parameter` for any other. */
function corridorOf(value: unknown): Corridor {
  const [, from, to] = (typeof value === 'string' && CORRIDOR.exec(value)) || []
  if (!from || !to) throw wrong('corridor', 'it must be two codes, as in GBP/KES')
  return { from, to }
}

function countryOf(body: Members, name: 'source_country' | 'target_country'): string | null {
  const { [name]: value } = body
  if (value === undefined || value === null) return null
  const code = typeof value === 'string' ? countryCode(value) : null
  if (code !== null) return code
  const fault = typeof value === 'string' ? countryFault(value) : 'must be a text such as KE'
  throw wrong(name, `it ${fault}`)
}

function amountOf(value: unknown): number | null {
  if (value === undefined || value === null) return null
  if (Value.Check(Amount, value)) return value
  throw wrong('amount', 'it must be a number greater than 0 and at most 1e15')
}

function conditionOf(value: unknown): Condition {
  const when = membersOf(value, AskedCondition, 'when')
  if (when.field === undefined) throw missing('when.field', ALERT_FIELDS.join(', '))
  return {
    field: wordOf(when.field, ALERT_FIELDS, 'when.field')!,
    op: wordOf(when.op, ALERT_OPS, 'when.op'),
    value: numberOf(when.value, 'when.value'),
    periodMs: periodOf(when.period),
  }
}

function wordOf<T extends string>(value: unknown, words: readonly T[], name: string): T | null {
  if (value === undefined || value === null) return null
  const word = words.find((one) => one === value)
  if (word === undefined) throw wrong(name, `it must be one of ${words.join(', ')}`)
  return word
}

function numberOf(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw wrong(name, 'it must be a number')
}

function periodOf(value: unknown): number | null {
  if (value === undefined || value === null) return null
  const ms = typeof value === 'string' ? ageMsOf(value) : null
  if (ms === null) throw wrong('when.period', 'it must be a time such as 90m, 24h or 7d')
  return ms
}

function destinationOf(value: unknown): Destination {
  const to = membersOf(value, Type.Object({ webhook: Type.Any(), email: Type.Any() }), 'to')
  if ((to.webhook === undefined) === (to.email === undefined))
    throw wrong('to', 'it must have either webhook or email')
  if (to.email !== undefined) {
    if (to.email === true) return { kind: 'email' }
    throw wrong('to.email', 'it can only be true; mails go to the owner of the account')
  }
  const { webhook: url } = to
  if (typeof url !== 'string' || url === '' || url.length > WEBHOOK_URL_LENGTH_MAX)
    throw wrong('to.webhook', `it must be a URL of at most ${WEBHOOK_URL_LENGTH_MAX} characters`)
  return { kind: 'webhook', url }
}

function nameOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = typeof value === 'string' ? value.trim() : ''
  if (text.length <= ALERT_NAME_LENGTH_MAX && isOneLine(text)) return text
  throw wrong('name', `it must have 1 to ${ALERT_NAME_LENGTH_MAX} characters ${ONE_LINE_RULE}`)
}

function flagOf(value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false
  throw wrong('once', 'it must be true or false')
}

function statusOf(value: unknown): 'active' | 'paused' {
  if (value === 'active' || value === 'paused') return value
  throw wrong('status', 'it must be active or paused; DELETE takes an alert away')
}
