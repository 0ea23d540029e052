import type { ServiceError } from '~/domain/errors.ts'
import type { Words } from '~/portal/words/words.ts'
import type { FieldName } from './fields.ts'

/** The field of the form that holds what a parameter of the API is about. */
const FIELDS: Readonly<Record<string, FieldName>> = {
  from: 'from',
  to: 'to',
  amount: 'amount',
  'when.field': 'field',
  'when.op': 'op',
  'when.value': 'value',
  'when.period': 'since',
  'to.webhook': 'url',
  'to.email': 'tell',
  name: 'name',
}

/** The field that a refused wish is wrong in; null if it is not a single one. */
export const refusedField = ({ details: { parameter } }: ServiceError): FieldName | null =>
  FIELDS[String(parameter)] ?? null

const NAMED = ' cannot be used: '

/** Error as a sentence for people: without the name of a parameter. */
export function alertSentence(words: Words, error: ServiceError): string {
  if (words.language !== 'en') return spokenRefusal(words, error)
  const { message } = error
  const at = message.indexOf(NAMED)
  const fault = at < 0 ? message : message.slice(at + NAMED.length)
  return `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
}

/** Refusals that have a sentence of their own in every language. */
const SPOKEN = [
  ...(['alert_limit', 'too_many_changes', 'too_many_tests', 'quota_exceeded'] as const),
  ...(['unsupported_currency', 'same_currency'] as const),
] as const

/** Error in another language than that of the API. */
function spokenRefusal({ say }: Words, error: ServiceError): string {
  const code = SPOKEN.find((one) => one === error.code)
  if (code) return say(`alert-refusal.${code}`)
  return say(refusedField(error) === 'url' ? 'alert-refusal.url' : 'alert-refusal.other')
}
