import type { ServiceError } from '~/domain/errors.ts'
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

/** The field that a refused wish is wrong in; null where it is no single one. */
export const refusedField = ({ details: { parameter } }: ServiceError): FieldName | null =>
  FIELDS[String(parameter)] ?? null

const NAMED = ' cannot be used: '

/** What is wrong, as a sentence for people: without the name of a parameter. */
export function alertSentence({ message }: ServiceError): string {
  const at = message.indexOf(NAMED)
  const fault = at < 0 ? message : message.slice(at + NAMED.length)
  return `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
}
