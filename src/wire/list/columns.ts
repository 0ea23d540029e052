import type { TObject, TSchema } from '@sinclair/typebox'

export type Column = {
  readonly name: string
  /** The fields that lead to its value, from the outside in. */
  readonly path: readonly string[]
  /** The schema of the value; if the value is a list, of each item. */
  readonly schema: TSchema
  readonly isList: boolean
}

type Single = string | number | boolean

/** The value of a column in a row; null if there is none. */
export type Cell = Single | readonly Single[] | null

type Options = {
  /** Paths that are no columns, with their names joined by dots. */
  readonly without?: readonly string[]
  readonly path?: readonly string[]
}

/**
 * The columns of a record in the order of its fields. A nested record is replaced by its own
 * columns, prefixed with its name. Throws for a list of records, which no cell could hold.
 */
export function columnsOf(record: TObject, { without = [], path = [] }: Options = {}): Column[] {
  return Object.entries(record.properties).flatMap(([member, schema]) => {
    const inner = [...path, member]
    if (without.includes(inner.join('.'))) return []
    const shown = presentOf(schema)
    if (shown.type === 'object') return columnsOf(shown as TObject, { without, path: inner })
    if (shown.type !== 'array') return [{ ...named(inner), schema: shown, isList: false }]
    const item = presentOf(shown.items)
    if (item.type === 'object') throw new Error(`${inner.join('.')} is a list of records`)
    return [{ ...named(inner), schema: item, isList: true }]
  })
}

/** The schema of a value that is not null. */
export function presentOf(schema: TSchema): TSchema {
  const { anyOf, description } = schema
  if (!anyOf) return schema
  const present = (anyOf as TSchema[]).find(({ type }) => type !== 'null')!
  return description === undefined ? present : { ...present, description }
}

/** A name is not put before one that begins with it: `provider_type`, of the record `provider`. */
function named(path: readonly string[]): Pick<Column, 'name' | 'path'> {
  const name = path.reduceRight((inner, outer) =>
    inner.startsWith(`${outer}_`) ? inner : `${outer}_${inner}`,
  )
  return { name, path }
}

export function cellOf({ path }: Pick<Column, 'path'>, row: object): Cell {
  let value: unknown = row
  for (const member of path) value = (value as Record<string, unknown> | null | undefined)?.[member]
  return (value as Cell | undefined) ?? null
}
