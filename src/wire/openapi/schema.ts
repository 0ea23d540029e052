import type { TSchema } from '@sinclair/typebox'
import { MEANINGS } from './meanings.ts'

export type Json = { [name: string]: unknown }

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null

/**
 * TypeBox schemas in the form of OpenAPI 3.1. A schema with a title becomes a component of that
 * name, wherever it occurs; two different ones with one name throw.
 */
export class Components {
  readonly schemas: Json = {}

  /** The schema, or a reference to the component that it became. */
  schema({ title, ...schema }: TSchema): Json {
    if (title === undefined) return this.#written(schema)
    const written = { description: MEANINGS[title], ...this.#written(schema) }
    const held = this.schemas[title] ?? written
    this.schemas[title] = held
    if (!Bun.deepEquals(held, written)) throw new Error(`two schemas are called ${title}`)
    return { $ref: `#/components/schemas/${title}` }
  }

  #written(schema: Json): Json {
    if (Array.isArray(schema.anyOf)) return this.#union(schema)
    const written: Json = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'patternProperties')
        written.additionalProperties = this.schema(Object.values(value as Json)[0] as TSchema)
      else if (keyword === 'properties') written.properties = this.#each(value as Json)
      else if (keyword === 'items') written.items = this.schema(value as TSchema)
      else written[keyword] = value
    }
    return written
  }

  /** A union; a plain type or null is written as a list of types. */
  #union({ anyOf, ...rest }: Json): Json {
    const [first, second, ...more] = (anyOf as TSchema[]).map((member) => this.schema(member))
    const isNullable = second?.type === 'null' && more.length === 0
    const isPlain = typeof first?.type === 'string' && !('enum' in first || 'const' in first)
    if (isNullable && isPlain) return { ...first, ...rest, type: [first.type, 'null'] }
    return { ...rest, anyOf: [first, second, ...more] }
  }

  #each(properties: Json): Json {
    const entries = Object.entries(properties).filter(([, value]) => isJson(value))
    return Object.fromEntries(entries.map(([name, value]) => [name, this.schema(value as TSchema)]))
  }
}
