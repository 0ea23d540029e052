import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'

const ECHO_LENGTH_MAX = 40
const MEMBER_NAME = /^\w+$/

/** A schema with a sentence that states what it accepts. With `isSecret`, no value is repeated. */
export const ruled = <T extends TSchema>(schema: T, rule: string): T => ({ ...schema, rule })

/** Error of one place of a file, as a sentence that begins with the place. */
type RuleFault = { readonly parts: readonly string[]; readonly sentence: string }

/** One sentence for each place: a missing field is not also one of the wrong type. */
export function* ruleFaults(schema: TSchema, file: unknown): Generator<RuleFault> {
  const seen = new Set<string>()
  for (const error of Value.Errors(schema, file)) {
    if (seen.has(error.path)) continue
    seen.add(error.path)
    const parts = partsOf(error.path)
    yield { parts, sentence: `${placeOf(parts)} ${ruleBroken(error)}` }
  }
}

function ruleBroken({ type, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'is not a known field'
  if (type === ValueErrorType.ObjectRequiredProperty) return `is missing: it ${schema.rule}`
  return `${schema.rule}${schema.isSecret ? '' : shown(value)}`
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return ''
  const part = typeof value === 'string' ? value.slice(0, ECHO_LENGTH_MAX) : value
  return `, not ${JSON.stringify(part)}`
}

/** The names in a JSON pointer. */
const partsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A place in the words of a person: `currencies[3].name` for `/currencies/3/name`. */
function placeOf(parts: readonly string[]): string {
  const place = parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${printable(part)}`))
    .join('')
  return place === '' ? 'the file' : place.replace(/^\./, '')
}

const printable = (name: string): string =>
  MEMBER_NAME.test(name) ? name : JSON.stringify(name.slice(0, ECHO_LENGTH_MAX))
