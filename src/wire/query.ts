import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { OptionalKind } from '@sinclair/typebox'
import { isBetween } from '~/domain/decimal.ts'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'

/** The maximum number of digits that are read on each side of a decimal point. */
const DECIMAL_DIGITS_MAX = 40
const DECIMAL_DIGITS = `\\d{1,${DECIMAL_DIGITS_MAX}}`
const PLAIN_DECIMAL = new RegExp(`^-?${DECIMAL_DIGITS}(\\.${DECIMAL_DIGITS})?$`)
const INTEGER_DIGITS_MAX = 15
const INTEGER = new RegExp(`^-?\\d{1,${INTEGER_DIGITS_MAX}}$`)
const INTEGER_MAX = 10 ** INTEGER_DIGITS_MAX - 1

/**
 * Reads the parameters that `schema` declares from the query string of a URL, and checks them.
 *
 * Other parameters are ignored, except a time where only the present is served. Such a parameter,
 * and one that is missing, repeated, empty, badly encoded or out of bounds, throws a 400 that names
 * it and says what to do. Lists are comma-separated or repeat the parameter; their items are
 * trimmed, read in any case and deduplicated.
 */
export function readQuery<S extends TObject>(schema: S, url: string): Static<S> {
  const given = parametersOf(url)
  let taken = 0
  const query = readFields(schema, (name, field) => {
    const text = textOf(name, field, given)
    if (text !== undefined) taken += 1
    return text
  })
  if (given.length > taken) {
    const names = given.map(({ name }) => name)
    refuseTimes(schema, { names, whereOf: (name) => PAST[name]! })
  }
  return query
}

/** Parameters for a time, each with the endpoint that takes it. */
const PAST: Readonly<Record<string, string>> = {
  date: '/historical takes a date',
  as_of: '/historical takes a date',
  period: '/rates/history, /time-series and /change take a period',
  start: '/time-series takes start and end',
  end: '/time-series takes start and end',
  known_at: '/costs, /rates and /convert take known_at',
}

type Times = { readonly names: readonly string[]; whereOf(name: string): string }

/** Throws a 400 for a time that the schema lacks if it has none, and for `known_at` if it has. */
export function refuseTimes({ properties }: TObject, { names, whereOf }: Times): void {
  const isTime = (name: string) => Object.hasOwn(PAST, name)
  const times = names.filter((name) => isTime(name) && !Object.hasOwn(properties, name))
  const hasTime = Object.keys(properties).some((name) => isTime(name) && name !== 'known_at')
  const asked = hasTime ? times.find((name) => name === 'known_at') : times[0]
  if (asked === undefined) return
  const shown = hasTime ? 'this shows what is known now' : 'this serves only the present'
  throw invalidParameter({ name: asked, fault: `${shown}; ${whereOf(asked)}` })
}

/** Reads parameters by `textOf`, which returns the trimmed string of each; undefined if absent. */
function readFields<S extends TObject>(
  schema: S,
  textOf: (name: string, field: TSchema) => string | undefined,
): Static<S> {
  const fields: Record<string, unknown> = {}
  for (const [name, field] of fieldsOf(schema)) {
    const text = textOf(name, field)
    if (text !== undefined) fields[name] = checkedValue({ name, field, text })
    else if (field.default !== undefined || !(OptionalKind in field))
      fields[name] = absentValue(name, field)
  }
  return fields as Static<S>
}

/**
 * The value of a parameter from any source, trimmed; undefined if an optional one is absent. Throws
 * the 400 that names it.
 */
export const readField = (name: string, field: TSchema, text: string | undefined): unknown =>
  text === undefined ? absentValue(name, field) : checkedValue({ name, field, text })

function absentValue(name: string, field: TSchema): unknown {
  if (field.default !== undefined || OptionalKind in field) return field.default
  throw new ServiceError('missing_parameter', `${name} is required: ${takes(field)}`, {
    parameter: name,
  })
}

const knownFields = new WeakMap<TObject, readonly [string, TSchema][]>()

/** The fields of a schema, listed once. */
const fieldsOf = (schema: TObject): readonly [string, TSchema][] =>
  knownFields.getOrInsertComputed(schema, ({ properties }) => Object.entries(properties))

/** A parameter as written in the URL, its value still encoded if anything of the query is. */
type Parameter = { readonly name: string; readonly value: string; readonly isEncoded: boolean }

/** Every parameter of the query string whose name can be read. */
function parametersOf(url: string): Parameter[] {
  const start = url.indexOf('?')
  if (start < 0) return []
  const query = url.slice(start + 1)
  const isEncoded = query.includes('%') || query.includes('+')
  const given: Parameter[] = []
  for (const part of query.split('&')) {
    const equals = part.indexOf('=')
    const written = equals < 0 ? part : part.slice(0, equals)
    const name = isEncoded ? decoded(written) : written
    if (name) given.push({ name, value: equals < 0 ? '' : part.slice(equals + 1), isEncoded })
  }
  return given
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** The trimmed string of a parameter; undefined if it is absent. Repeated lists are joined. */
function textOf(name: string, field: TSchema, given: readonly Parameter[]): string | undefined {
  let [found, times]: [Parameter | undefined, number] = [undefined, 0]
  for (const parameter of given) {
    if (parameter.name !== name) continue
    found = parameter
    times++
  }
  if (!found) return undefined
  if (times === 1) return writtenIn(found)
  if (field.type === 'array')
    return given
      .filter((parameter) => parameter.name === name)
      .map(writtenIn)
      .join()
  throw new ServiceError('repeated_parameter', `${name} appears ${times} times; send it once`, {
    parameter: name,
  })
}

function writtenIn({ name, value, isEncoded }: Parameter): string {
  const text = isEncoded ? decoded(value) : value
  if (text === null) throw invalidParameter({ name, fault: 'its percent-encoding is broken' })
  const trimmed = text.trim()
  if (trimmed === '') throw invalidParameter({ name, fault: 'it is empty' })
  return trimmed
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
  const wrong = () => invalidParameter({ name, fault: `it must be ${takes(field)}` })
  switch (field.type) {
    case 'number':
    case 'integer': {
      const value = plainNumber(field, text)
      if (value === null) throw wrong()
      return value
    }
    case 'array': {
      const items = itemsOf(field, text)
      if (items.includes(''))
        throw invalidParameter({ name, fault: 'it has an empty item in its list' })
      if (items.length > field.maxItems) throw wrong()
      const { enum: known } = field.items
      if (known && !items.every((item) => known.includes(item))) throw wrong()
      return items
    }
    default:
      if (field.enum ? !field.enum.includes(text) : text.length > (field.maxLength ?? TEXT_MAX))
        throw wrong()
      return text
  }
}

/** The items of a list, each once: words in lower case, codes in upper case, ids as they are. */
function itemsOf({ items: { enum: isOfWords, maxLength } }: TSchema, text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (maxLength !== undefined) return [...new Set(items)]
  return [...new Set(items.map((item) => (isOfWords ? item.toLowerCase() : item.toUpperCase())))]
}

/** The number that a string spells plainly and a field accepts; null for any other string. */
export function plainNumber(field: TSchema, text: string): number | null {
  const isWritten = (field.type === 'integer' ? INTEGER : PLAIN_DECIMAL).test(text)
  const value = Number(text)
  if (!isWritten || !isWithin(value, field)) return null
  return value !== field.maximum || isBetween(text, { min: 0, max: value }) ? value : null
}

/** Longer strings cannot be a currency code, a date or an id of ours. */
const TEXT_MAX = 200

function isWithin(value: number, field: TSchema): boolean {
  return (
    value >= (field.minimum ?? Number.NEGATIVE_INFINITY) &&
    value > (field.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (field.maximum ?? Number.POSITIVE_INFINITY)
  )
}

/** Accepted values of a parameter, in words made from its own schema. */
function takes(field: TSchema): string {
  if (field.enum) return `one of ${field.enum.join(', ')}`
  switch (field.type) {
    case 'number':
      return (
        `a plain decimal number greater than ${field.exclusiveMinimum} ` +
        `and at most ${field.maximum}, with ${DECIMAL_DIGITS_MAX} digits or fewer ` +
        'on each side of the point'
      )
    case 'integer':
      return `a whole number from ${field.minimum} to ${field.maximum ?? INTEGER_MAX}`
    case 'array':
      return field.items.enum
        ? `one or more of ${field.items.enum.join(', ')}, comma-separated`
        : `1 to ${field.maxItems} comma-separated ${field.items.pattern ? 'corridors' : 'codes'}`
    default:
      return lowerFirst(String(field.description ?? 'a text')).replace(/\.$/, '')
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
