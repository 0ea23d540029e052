import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { invalidParameter } from '~/domain/errors.ts'
import { readFields, refuseTimes } from '~/wire/query.ts'

/**
 * The arguments of a call, read and checked by the tool's schema as REST reads its query.
 *
 * Other arguments are ignored, except one that asks for a time where only the present is served.
 * Null counts as absent, and a list may be written as one comma-separated text. Throws the 400s of
 * REST, each naming its argument.
 */
export function readArguments<S extends TObject>(schema: S, given: unknown): Static<S> {
  if (given !== undefined && !isRecord(given))
    throw invalidParameter({
      name: 'arguments',
      fault: 'it must be an object of named arguments',
    })
  const fields = readFields(schema, (name, field) => {
    const value = given?.[name]
    return value === undefined || value === null ? undefined : textOf(name, field, value)
  })
  if (given) {
    const names = Object.keys(given).filter((name) => given[name] !== null)
    refuseTimes(schema, { names, whereOf: () => 'get_history tells of the past' })
  }
  return fields
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
