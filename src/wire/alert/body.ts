import { OptionalKind, type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { AlertChange, AlertWish, Condition, Destination } from '~/domain/alert/alert.ts'
import type { Corridor } from '~/domain/corridor.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { meantBy } from '~/domain/naming/misspelling.ts'
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
  Email,
  WEBHOOK_URL_LENGTH_MAX,
  Webhook,
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

/** The value of each field in words; one of a fixed list names its values. */
const TAKES: Readonly<Record<string, string>> = {
  corridor: 'two codes, as in GBP/KES',
  source_country: 'a code such as GB',
  target_country: 'a code such as KE',
  amount: 'a number greater than 0 and at most 1e15',
  when: 'an object with field, op and value',
  'when.value': 'a number',
  'when.period': 'a time such as 90m, 24h or 7d',
  to: 'an object with either webhook or email',
  'to.webhook': `a URL of at most ${WEBHOOK_URL_LENGTH_MAX} characters`,
  'to.email': 'true; emails go to the owner of the account',
  name: `1 to ${ALERT_NAME_LENGTH_MAX} characters ${ONE_LINE_RULE}`,
  once: 'true or false',
  status: 'active or paused; DELETE takes an alert away',
}

/** Reads a new alert from a body. Throws `malformed_body`, or names the invalid field. */
export function readAlertBody(text: string): AlertWish {
  const { corridor, amount, when, to, name, once, ...countries } = membersOf(
    AlertBody,
    parsed(text),
  )
  return {
    corridor: corridorOf(corridor),
    sourceCountry: countryOf('source_country', countries),
    targetCountry: countryOf('target_country', countries),
    amount: amount ?? null,
    when: conditionOf(when),
    to: destinationOf(to),
    name: nameOf(name),
    isOnce: once ?? false,
  }
}

/** Changes of an alert by a body. Throws as `readAlertBody` does, and for a body without any. */
export function readAlertChange(text: string): AlertChange {
  const given = parsed(text)
  const kept = SETTLED.find((name) => typeof given === 'object' && given && name in given)
  if (kept)
    throw invalidParameter({
      name: kept,
      fault:
        "an alert's corridor and countries cannot change; create a new alert and delete this one",
    })
  const { when, to, name, once, ...rest } = membersOf(AlertChangeBody, given)
  const changes = {
    ...rest,
    ...(when !== undefined && { when: conditionOf(when) }),
    ...(to !== undefined && { to: destinationOf(to) }),
    ...(name !== undefined && { name: nameOf(name) }),
    ...(once !== undefined && { isOnce: once }),
  }
  if (Object.keys(changes).length === 0)
    throw new ServiceError('malformed_body', 'the body has no fields to change; send at least one')
  return changes
}

const wrong = (name: string, takes: string) =>
  invalidParameter({ name, fault: `it must be ${takes}` })

const parsed = (text: string): unknown =>
  jsonBody(text, { tooDeep: 'the body is nested too deeply for an alert' })

/**
 * Checks each field that a schema declares by its own schema; null counts as absent if the schema
 * does not mention it. `at` is the path of a nested object.
 */
function membersOf<S extends TObject>(schema: S, value: unknown, at = ''): Static<S> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    if (at === '') throw new ServiceError('malformed_body', 'the body must be one JSON object')
    throw wrong(at, 'an object')
  }
  const within = at === '' ? '' : `${at}.`
  refuseUnknown(Object.keys(value), Object.keys(schema.properties), within)
  const members: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const member = (value as Record<string, unknown>)[name]
    const where = `${within}${name}`
    const takes = field.enum ? `one of ${field.enum.join(', ')}` : TAKES[where]!
    if (member === undefined || (member === null && !fits(field, null))) {
      if (OptionalKind in field) continue
      throw new ServiceError('missing_parameter', `${where} is required: ${takes}`, {
        parameter: where,
      })
    }
    if (!READ_FURTHER.has(where) && !fits(field, member)) throw wrong(where, takes)
    members[name] = member
  }
  return members as Static<S>
}

const fits = (field: TSchema, value: unknown): boolean =>
  field.enum ? field.enum.includes(value) : Value.Check(field, value)

/** Fields with nested fields, or whose string is trimmed first. */
const READ_FURTHER: ReadonlySet<string> = new Set(['when', 'to', 'name'])

function refuseUnknown(given: readonly string[], known: readonly string[], within: string): void {
  const unknown = given.find((member) => !known.includes(member))
  if (unknown === undefined) return
  const meant = meantBy(unknown, known)
  const shown = JSON.stringify(unknown.slice(0, 40)).slice(1, -1)
  throw invalidParameter({
    name: `${within}${shown}`,
    fault: meant ? `did you mean ${meant}?` : `it is not known; use ${known.join(', ')}`,
  })
}

const CORRIDOR = /^\s*([A-Za-z]{3,4})\s*\/\s*([A-Za-z]{3,4})\s*$/

/** Both codes of a string such as `GBP/KES`. Throws `invalid_parameter` for any other string. */
function corridorOf(text: string): Corridor {
  const [, from, to] = CORRIDOR.exec(text) ?? []
  if (!from || !to) throw wrong('corridor', TAKES.corridor!)
  return { from, to }
}

type Countries = { readonly source_country?: string; readonly target_country?: string }

function countryOf(name: keyof Countries, { [name]: text }: Countries): string | null {
  if (text === undefined) return null
  const code = countryCode(text)
  if (code === null) throw invalidParameter({ name, fault: `it ${countryFault(text)}` })
  return code
}

function conditionOf(value: unknown): Condition {
  const { field, op, value: threshold, period } = membersOf(AskedCondition, value, 'when')
  const periodMs = period === undefined ? null : ageMsOf(period)
  if (period !== undefined && periodMs === null) throw wrong('when.period', TAKES['when.period']!)
  return { field, op: op ?? null, value: threshold ?? null, periodMs }
}

const EITHER = Type.Partial(Type.Composite([Webhook, Email]), { additionalProperties: false })

function destinationOf(value: unknown): Destination {
  const { webhook, email } = membersOf(EITHER, value, 'to')
  if ((webhook === undefined) === (email === undefined)) throw wrong('to', TAKES.to!)
  return webhook === undefined ? { kind: 'email' } : { kind: 'webhook', url: webhook }
}

function nameOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = typeof value === 'string' ? value.trim() : ''
  if (text.length <= ALERT_NAME_LENGTH_MAX && isOneLine(text)) return text
  throw wrong('name', TAKES.name!)
}
