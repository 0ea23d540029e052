import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { meantBy } from '~/domain/naming/misspelling.ts'
import { READING, type Reading } from '~/mcp/argument/names.ts'
import type { View } from '~/memory/view.ts'
import { supportedCodes } from '~/service/supported.ts'
import { readField, refuseTimes } from '~/wire/query.ts'

/** A condition on several arguments, checked unless one of them is invalid by itself. */
type Rule<S extends TObject> = {
  readonly of: readonly string[]
  /** Throws the error of REST. */
  check(args: Static<S>): void
}

export type Reader<S extends TObject> = {
  readonly input: S
  readonly rules?: readonly Rule<S>[]
  /** Collects what the caller has to know of how names were read. */
  readonly said?: string[]
}

/**
 * The arguments of a call, read and checked by the tool's schema as REST reads its query, with
 * names instead of codes and ids.
 *
 * Null counts as absent, and a list may be one comma-separated string. Throws the 400s of REST, all
 * at once, each naming its argument, including one for each unknown argument: a model that believes
 * it requested something must not mistake the result for that.
 */
export function readArguments<S extends TObject>(
  { input, rules = [], said: readings = [] }: Reader<S>,
  given: unknown,
  view: View,
): Static<S> {
  if (given !== undefined && !isRecord(given))
    throw invalidParameter({
      name: 'arguments',
      fault: 'it must be an object of named arguments',
    })
  const faults = new Faults()
  const said = Object.entries(given ?? {}).filter(([, value]) => value !== null)
  for (const [name] of said)
    if (!Object.hasOwn(input.properties, name)) faults.attempt(() => refuse(input, name))
  const texts = new Map(said)
  const args: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(input.properties)) {
    const value = faults.attempt(() =>
      valueIn(field, texts.get(name), { name, view, said: readings }),
    )
    if (value !== null && value !== undefined) args[name] = value
  }
  const read = args as Static<S>
  for (const { of, check } of rules) if (!faults.has(of)) faults.attempt(() => check(read))
  if (!faults.isEmpty) faults.attempt(() => supportedCodes(view.catalogue, codesIn(args)))
  faults.throw()
  return read
}

/** An unknown name is repeated up to this length. */
const NAME_LENGTH_MAX = 60

function refuse(input: TObject, unknown: string): never {
  const whereOf = (name: string) =>
    name === 'known_at'
      ? 'get_costs takes known_at, for one pair of countries a call'
      : 'get_history shows the past'
  refuseTimes(input, { names: [unknown], whereOf })
  const known = Object.keys(input.properties)
  const meant = meantBy(unknown, known) ?? wordAmong(unknown, known)
  throw invalidParameter({
    name: unknown.slice(0, NAME_LENGTH_MAX),
    fault:
      'this tool has no such argument; ' +
      (meant === null ? `it takes ${known.join(', ')}` : `did you mean ${meant}?`),
  })
}

/** The known name that is a word of an unknown one: `from` of `from_currency`. */
const wordAmong = (unknown: string, known: readonly string[]): string | null =>
  unknown.split('_').find((word) => known.includes(word)) ?? null

type At = { readonly name: string; readonly view: View; readonly said: string[] }

function valueIn(field: TSchema, given: unknown, at: At): unknown {
  const { name } = at
  if (given === undefined) return readField(name, field, undefined)
  const text = textIn(field, given)
  if (text === undefined) throw invalidParameter({ name, fault: `it must be ${KINDS[field.type]}` })
  if (text.trim() === '') throw invalidParameter({ name, fault: 'it is empty' })
  return readField(name, field, readingOf(field, text.trim(), at))
}

/** The string that REST takes instead of another, item by item if it is a list. */
function readingOf(field: TSchema, text: string, { name, view, said }: At): string {
  const words: readonly string[] | undefined = field.enum ?? field.items?.enum
  const reading: Reading | undefined = words ? wordIn(words) : (field as Readable)[READING]
  if (!reading) return text
  const isList = field.type === 'array'
  const { catalogue, freshness } = view
  const asked = { name, catalogue, nowMs: freshness.nowMs, isList, said }
  const items = isList ? text.split(',').map((item) => item.trim()) : [text]
  return items.map((item) => (item === '' ? item : reading(item, asked))).join(',')
}

type Readable = { readonly [READING]?: Reading }

/** A word as the list has it, which may be given in another case and with other signs between. */
const wordIn =
  (words: readonly string[]): Reading =>
  (text) =>
    words.find((word) => plainWord(word) === plainWord(text)) ?? text

const plainWord = (word: string): string => word.toLowerCase().replace(/[\s_-]+/g, ' ')

/** The currencies among arguments, of which unsupported ones have still to be named. */
function codesIn({ from, to }: Record<string, unknown>) {
  const list = (codes: unknown) => (codes === undefined ? [] : [codes].flat()) as string[]
  return { from: list(from), to: list(to) }
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list of texts such as ["KES", "NGN"]',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
}

function textIn({ type }: TSchema, value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (type === 'array') return isTexts(value) ? value.join(',') : undefined
  if (type === 'string' || typeof value !== 'number') return undefined
  return PLAIN.format(value)
}

/** Writes small and large numbers without an exponent and with all their digits. */
const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 17 })

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const FAULTS_MAX = 20

/** Collects what is wrong with arguments, so that all of it is said at once. */
class Faults {
  readonly #errors: ServiceError[] = []

  get isEmpty(): boolean {
    return this.#errors.length === 0
  }

  /** Runs the work; a ServiceError that it throws is collected, and then this is null. */
  attempt<T>(work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      this.#errors.push(error)
      return null
    }
  }

  /** Reports whether one of these arguments is invalid. */
  has(names: readonly string[]): boolean {
    return this.#errors.some(({ details }) => names.includes(details.parameter as string))
  }

  /** Throws a single error as it is, and several as one error that names each; none is fine. */
  throw(): void {
    const [first] = this.#errors
    if (first === undefined) return
    if (this.#errors.length === 1) throw first
    const listed = this.#errors.slice(0, FAULTS_MAX)
    const names = [...new Set(listed.map(({ details }) => details.parameter as string))]
    const rest = this.#errors.length - listed.length
    const more = rest > 0 ? `, and ${rest} more` : ''
    throw new ServiceError(
      first.code,
      `${names.join(', ')}${more} cannot be used; \`faults\` says what is wrong with each`,
      {
        ...supportedOf(listed),
        parameter: names[0],
        faults: listed.map(({ code, message, details: { parameter } }) => ({
          parameter,
          code,
          error: message,
        })),
      },
    )
  }
}

function supportedOf(errors: readonly ServiceError[]): object {
  const lists = errors.map(({ details }) => details.supported_currencies)
  const list = lists.find((one) => one !== undefined)
  return list === undefined ? {} : { supported_currencies: list }
}
