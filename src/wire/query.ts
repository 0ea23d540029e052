import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { OptionalKind } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'

const PLAIN_DECIMAL = /^-?\d{1,40}(\.\d{1,40})?$/
const INTEGER = /^-?\d{1,15}$/

/**
 * The parameters that `schema` declares, read from the query string of a URL and checked by it.
 *
 * Others are ignored. A parameter that is missing, given twice, empty, badly encoded or outside its
 * bounds throws a 400 that names it and says what it takes. Lists are comma-separated; their items
 * are trimmed, upper-cased, and count once however often they stand there.
 */
export function readQuery<S extends TObject>(schema: S, url: string): Static<S> {
  const given = parametersOf(url)
  return readFields(schema, (name) => {
    const raw = given.get(name)
    return raw && textOf(name, raw)
  })
}

/**
 * The same for parameters that came another way: `textOf` gives the trimmed text of each, and
 * undefined for one that is not there.
 */
export function readFields<S extends TObject>(
  schema: S,
  textOf: (name: string, field: TSchema) => string | undefined,
): Static<S> {
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const text = textOf(name, field)
    if (text !== undefined) fields[name] = checkedValue({ name, field, text })
    else if (field.default !== undefined) fields[name] = field.default
    else if (!(OptionalKind in field))
      throw new ServiceError('missing_parameter', `${name} is required: ${takes(field)}`, {
        parameter: name,
      })
  }
  return fields as Static<S>
}

/** Every parameter of the query string by its decoded name, the values still encoded. */
function parametersOf(url: string): Map<string, string[]> {
  const given = new Map<string, string[]>()
  const start = url.indexOf('?')
  if (start < 0) return given
  for (const part of url.slice(start + 1).split('&')) {
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    if (!name) continue
    const value = equals < 0 ? '' : part.slice(equals + 1)
    const values = given.get(name)
    if (values) values.push(value)
    else given.set(name, [value])
  }
  return given
}

const ENCODED = /[%+]/

function decoded(text: string): string | null {
  if (!ENCODED.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

function textOf(name: string, raw: readonly string[]): string {
  if (raw.length > 1)
    throw new ServiceError(
      'repeated_parameter',
      `${name} is given ${raw.length} times; once is enough`,
      {
        parameter: name,
      },
    )
  const text = decoded(raw[0]!)
  if (text === null) throw invalidParameter(name, 'its percent-encoding is broken')
  if (text.trim() === '') throw invalidParameter(name, 'it is empty')
  return text.trim()
}

function checkedValue({
  name,
  field,
  text,
}: {
  name: string
  field: TSchema
  text: string
}): unknown {
  switch (field.type) {
    case 'number':
    case 'integer': {
      const isWritten = (field.type === 'integer' ? INTEGER : PLAIN_DECIMAL).test(text)
      const value = Number(text)
      if (!isWritten || !isWithin(value, field))
        throw invalidParameter(name, `it must be ${takes(field)}`)
      return value
    }
    case 'array': {
      const items = [...new Set(text.split(',').map((item) => item.trim().toUpperCase()))]
      if (items.includes('')) throw invalidParameter(name, 'it has an empty item in its list')
      if (items.length > field.maxItems) throw invalidParameter(name, `it must be ${takes(field)}`)
      return items
    }
    default:
      if (field.enum ? !field.enum.includes(text) : text.length > (field.maxLength ?? TEXT_MAX))
        throw invalidParameter(name, `it must be ${takes(field)}`)
      return text
  }
}

/** Longer texts are no currency code, date or id of ours. */
const TEXT_MAX = 200

function isWithin(value: number, field: TSchema): boolean {
  return (
    value >= (field.minimum ?? Number.NEGATIVE_INFINITY) &&
    value > (field.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (field.maximum ?? Number.POSITIVE_INFINITY)
  )
}

export const invalidParameter = (name: string, fault: string): ServiceError =>
  new ServiceError('invalid_parameter', `${name} cannot be used: ${fault}`, { parameter: name })

/** What a parameter takes, in words made of its own schema. */
function takes(field: TSchema): string {
  if (field.enum) return `one of ${field.enum.join(', ')}`
  switch (field.type) {
    case 'number':
      return (
        `a plain decimal number greater than ${field.exclusiveMinimum} ` +
        `and at most ${field.maximum}`
      )
    case 'integer':
      return `a whole number from ${field.minimum} to ${field.maximum ?? Number.MAX_SAFE_INTEGER}`
    case 'array':
      return `1 to ${field.maxItems} comma-separated codes`
    default:
      return lowerFirst(String(field.description ?? 'a text')).replace(/\.$/, '')
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
