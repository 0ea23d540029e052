import { instantOf } from '~/domain/instant.ts'
import { deliveryMsOf } from '~/domain/offer/duration.ts'

export type Json = { readonly [name: string]: unknown }

type Place = { readonly value: unknown; readonly at: string }
type Check = (limit: unknown, place: Place, schema: Json) => readonly string[]
type Part = { readonly check: Check; readonly limit: unknown }

const NONE: readonly string[] = []
/** Keywords that ask nothing of a value. */
const SAYS_NOTHING = ['description', 'examples', 'default', 'discriminator']

/**
 * Checks a value by a schema of an OpenAPI 3.1 document.
 *
 * Throws at a keyword that it does not know, so that no promise of the document goes unchecked.
 */
export class SchemaCheck {
  /** Requirements of each schema that was met, by its object. */
  readonly #parts = new WeakMap<Json, readonly Part[]>()
  readonly #targets = new Map<string, Json>()

  constructor(private readonly document: Json) {}

  faults(schema: Json, value: unknown, at = '$'): readonly string[] {
    const place = { value, at }
    let faults = NONE
    for (const { check, limit } of this.#partsOf(schema)) {
      const own = check(limit, place, schema)
      if (own.length > 0) faults = [...faults, ...own]
    }
    return faults
  }

  #partsOf(schema: Json): readonly Part[] {
    const known = this.#parts.get(schema)
    if (known) return known
    const parts = Object.entries(schema).flatMap(([keyword, limit]) => {
      if (SAYS_NOTHING.includes(keyword)) return []
      const check = this.#checks[keyword]
      if (!check) throw new Error(`no check knows the keyword ${keyword}`)
      return { check, limit: keyword === 'pattern' ? new RegExp(limit as string, 'u') : limit }
    })
    this.#parts.set(schema, parts)
    return parts
  }

  /** Returns the target of a reference of the document; anything else as it is. */
  resolved(node: Json): Json {
    if (typeof node.$ref !== 'string') return node
    const known = this.#targets.get(node.$ref)
    if (known) return known
    const steps = node.$ref.replace('#/', '').split('/')
    const found = steps.reduce<unknown>((held, step) => (held as Json)?.[step], this.document)
    if (!found) throw new Error(`the document has no ${node.$ref}`)
    const target = this.resolved(found as Json)
    this.#targets.set(node.$ref, target)
    return target
  }

  readonly #checks: Readonly<Record<string, Check>> = {
    $ref: (_ref, { value, at }, schema) => this.faults(this.resolved(schema), value, at),
    type: (type, { value, at }) =>
      (Array.isArray(type) ? type.some((name) => isOfType(name, value)) : isOfType(type, value))
        ? NONE
        : [`${at} is ${shown(value)}, not ${[type].flat().join(' or ')}`],
    enum: (values, { value, at }) =>
      (values as unknown[]).includes(value) ? [] : [`${at} is ${shown(value)}, none of ${values}`],
    const: (only, { value, at }) =>
      value === only ? [] : [`${at} is ${shown(value)}, not ${shown(only)}`],
    anyOf: (schemas, { value, at }) => this.#alternatives(schemas as Json[], { value, at }, false),
    oneOf: (schemas, { value, at }) => this.#alternatives(schemas as Json[], { value, at }, true),
    properties: (properties, { value, at }) => {
      if (!isObject(value)) return NONE
      const faults: string[] = []
      for (const name in properties as Record<string, Json>)
        if (name in value)
          faults.push(
            ...this.faults(
              (properties as Record<string, Json>)[name]!,
              value[name],
              `${at}.${name}`,
            ),
          )
      return faults
    },
    required: (names, { value, at }) =>
      isObject(value)
        ? (names as string[])
            .filter((name) => !(name in value))
            .map((name) => `${at} lacks ${name}`)
        : NONE,
    additionalProperties: (rest, { value, at }, { properties = {} }) => {
      if (!isObject(value)) return NONE
      const names = Object.keys(value).filter((name) => !(name in (properties as Json)))
      if (rest === false) return names.map((name) => `${at}.${name} is not documented`)
      return names.flatMap((name) => this.faults(rest as Json, value[name], `${at}.${name}`))
    },
    items: (items, { value, at }) =>
      Array.isArray(value)
        ? value.flatMap((item, i) => this.faults(items as Json, item, `${at}[${i}]`))
        : [],
    minItems: bound((value) => (Array.isArray(value) ? value.length : null), isAtLeast),
    maxItems: bound((value) => (Array.isArray(value) ? value.length : null), isAtMost),
    uniqueItems: (isAsked, { value, at }) =>
      isAsked && Array.isArray(value) && new Set(value.map(shown)).size < value.length
        ? [`${at} is ${shown(value)}, with an item twice`]
        : NONE,
    minLength: bound((value) => (typeof value === 'string' ? [...value].length : null), isAtLeast),
    maxLength: bound((value) => (typeof value === 'string' ? [...value].length : null), isAtMost),
    minimum: bound(numberOf, isAtLeast),
    maximum: bound(numberOf, isAtMost),
    exclusiveMinimum: bound(numberOf, (value, limit) => value > limit),
    pattern: (pattern, { value, at }) =>
      typeof value !== 'string' || (pattern as RegExp).test(value)
        ? NONE
        : [`${at} is ${shown(value)}, which is not like ${(pattern as RegExp).source}`],
    format: (format, { value, at }) =>
      typeof value !== 'string' || FORMATS[format as string]!(value)
        ? NONE
        : [`${at} is ${shown(value)}, which is no ${format}`],
  }

  #alternatives(schemas: readonly Json[], { value, at }: Place, isExclusive: boolean): string[] {
    const faults = schemas.map((schema) => this.faults(schema, value, at))
    const fitting = faults.filter((own) => own.length === 0).length
    if (fitting === 1 || (fitting > 1 && !isExclusive)) return []
    if (fitting > 1) return [`${at} fits ${fitting} alternatives at once`]
    return [`${at} fits no alternative: ${faults.map((own) => own[0]).join(' | ')}`]
  }
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  'date-time': (text) => instantOf(text) !== null,
  duration: (text) => deliveryMsOf(text) !== null,
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function isAtLeast(value: number, limit: number): boolean {
  return value >= limit
}

function isAtMost(value: number, limit: number): boolean {
  return value <= limit
}

function bound(
  measure: (value: unknown) => number | null,
  holds: (value: number, limit: number) => boolean,
): Check {
  return (limit, { value, at }, schema) => {
    const measured = measure(value)
    if (measured === null || holds(measured, limit as number)) return NONE
    const keyword = Object.keys(schema).find((name) => schema[name] === limit)
    return [`${at} is ${shown(value)}, beyond ${keyword} ${limit}`]
  }
}

const SHOWN_LENGTH_MAX = 80
const shown = (value: unknown): string => `${JSON.stringify(value)}`.slice(0, SHOWN_LENGTH_MAX)
