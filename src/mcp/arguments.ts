import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { invalidParameter } from '~/domain/errors.ts'
import { meantBy } from '~/domain/misspelling.ts'
import { readFields, refuseTimes } from '~/wire/query.ts'

/**
 * The arguments of a call, read and checked by the tool's schema as REST reads its query.
 *
 * Null counts as absent, and a list may be written as one comma-separated text. Throws the 400s of
 * REST, each naming its argument, and one for an argument that the tool does not know: a model
 * that believes it asked for something must not take the answer for that.
 */
export function readArguments<S extends TObject>(schema: S, given: unknown): Static<S> {
  if (given !== undefined && !isRecord(given))
    throw invalidParameter({
      name: 'arguments',
      fault: 'it must be an object of named arguments',
    })
  if (given) refuseUnknown(schema, given)
  return readFields(schema, (name, field) => {
    const value = given?.[name]
    return value === undefined || value === null ? undefined : textOf(name, field, value)
  })
}

/** An unknown name is repeated up to this length. */
const NAME_LENGTH_MAX = 60

function refuseUnknown(schema: TObject, given: Record<string, unknown>): void {
  const names = Object.keys(given).filter((name) => given[name] !== null)
  refuseTimes(schema, { names, whereOf: () => 'get_history tells of the past' })
  const known = Object.keys(schema.properties)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const meant = meantBy(unknown, known)
  throw invalidParameter({
    name: unknown.slice(0, NAME_LENGTH_MAX),
    fault:
      'this tool has no such argument; ' +
      (meant === null ? `it takes ${known.join(', ')}` : `did you mean ${meant}?`),
  })
}

function textOf(name: string, field: TSchema, value: unknown): string {
  const text = textIn(field, value)
  if (text === undefined) throw invalidParameter({ name, fault: `it must be ${KINDS[field.type]}` })
  if (text.trim() === '') throw invalidParameter({ name, fault: 'it is empty' })
  return text.trim()
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list of texts such as ["KES", "NGN"]',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
}

function textIn({ type }: TSchema, value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (type === 'array') return isList(value) ? value.join(',') : undefined
  if (type === 'string' || typeof value !== 'number') return undefined
  return PLAIN.format(value)
}

/** Writes small and large numbers without an exponent and with all their digits. */
const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 17 })

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
