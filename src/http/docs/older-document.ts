type Json = { readonly [name: string]: unknown }

/** Fields whose values are data, not schemas. */
const DATA = ['default', 'enum', 'example', 'value']

/**
 * An OpenAPI 3.1 document in the terms of 3.0, which Swagger UI opens in less than half the time.
 * A schema that may be null is `nullable`, and one of several types, or a constant, is a choice.
 */
export const olderDocument = (document: Json): Json => ({ ...older(document), openapi: '3.0.3' })

function older(node: Json): Json {
  const inner: Json = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, inside(name, value)]),
  )
  const { type, anyOf, const: only, exclusiveMinimum: above, examples, ...rest } = inner
  return {
    ...rest,
    ...(Array.isArray(type) ? choice(type.map((one) => ({ type: one }))) : defined({ type })),
    ...(Array.isArray(anyOf) && choice(anyOf)),
    ...(only !== undefined && { enum: [only] }),
    ...(typeof above === 'number' && { minimum: above, exclusiveMinimum: true }),
    ...(Array.isArray(examples) ? { example: examples[0] } : defined({ examples })),
  }
}

const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** An example of a parameter's schema would be filled in, although the parameter is optional. */
function withoutExample({ schema, ...parameter }: Json): Json {
  const { example: _, ...rest } = schema as Json
  return { ...parameter, schema: rest }
}

function inside(name: string, value: unknown): unknown {
  if (DATA.includes(name) || (name === 'examples' && !Array.isArray(value))) return value
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside('', one)]))
  if (Array.isArray(value)) return name === 'examples' ? value : value.map((one) => inside('', one))
  if (!isObject(value)) return value
  return 'in' in value && 'schema' in value ? withoutExample(older(value)) : older(value)
}

/** One of several schemas, of which one may be null. */
function choice(schemas: readonly Json[]): Json {
  const some = schemas.filter(({ type }) => type !== 'null')
  const [first] = some
  const one = first && '$ref' in first ? { allOf: some } : first
  return {
    ...(some.length === 1 ? one : { anyOf: some }),
    ...(some.length < schemas.length && { nullable: true }),
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
