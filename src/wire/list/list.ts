import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { type Cell, type Column, cellOf, columnsOf } from './columns.ts'

type Body = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

/** A column that is not a field of a response's entries. */
export type Mark = {
  readonly description: string
  isSet(row: Row, body: Body): boolean
}

type ListOptions = {
  readonly response: TObject
  readonly entries: string
  /** Response fields that are not columns, nested ones with dots. */
  readonly without?: readonly string[]
  /** Columns behind those of the entries, by name. */
  readonly marks?: Readonly<Record<string, Mark>>
  /** Returns the subject of a file, as parts of its name. */
  about(body: Body): readonly unknown[]
}

/** Response fields that are not columns of any file; a header states `known_at`. */
const NO_COLUMNS = ['count', 'known_at']

/** A field that repeats the `offer_id` before it. */
const SAID_TWICE = 'offer.id'

/** The entries as flat, self-contained rows: own fields in order, marks, then the fields of all. */
export class List {
  readonly entries: string
  readonly columns: readonly Pick<Column, 'name' | 'schema' | 'isList'>[]
  readonly #own: readonly Column[]
  readonly #marks: readonly Mark[]
  readonly #whole: readonly Column[]
  readonly #about: ListOptions['about']

  constructor({ response, entries, without = [], marks = {}, about }: ListOptions) {
    this.entries = entries
    const { items } = response.properties[entries] as TSchema
    this.#own = columnsOf(items, { without: [SAID_TWICE] })
    this.#marks = Object.values(marks)
    this.#whole = columnsOf(response, { without: [...NO_COLUMNS, entries, ...without] })
    this.#about = about
    const marked = Object.entries(marks).map(([name, { description }]) => ({
      name,
      schema: Type.Boolean({ description }),
      isList: false,
    }))
    this.columns = [...this.#own, ...marked, ...this.#whole]
    const twice = this.names.find((name, i) => this.names.indexOf(name) !== i)
    if (twice) throw new Error(`two columns are called ${twice}`)
  }

  get names(): string[] {
    return this.columns.map(({ name }) => name)
  }

  *rows(body: Body): Generator<Cell[]> {
    const whole = this.#whole.map((column) => cellOf(column, body))
    for (const row of body[this.entries] as readonly Row[])
      yield [
        ...this.#own.map((column) => cellOf(column, row)),
        ...this.#marks.map((mark) => mark.isSet(row, body)),
        ...whole,
      ]
  }

  /** Returns the values of all rows, by column, also if there is no row. */
  whole(body: Body): Readonly<Record<string, Cell>> {
    return Object.fromEntries(this.#whole.map((column) => [column.name, cellOf(column, body)]))
  }

  /** The name of a response's file, without its extension. */
  fileName(body: Body): string {
    const parts = this.#about(body).filter((part) => part !== undefined && part !== null)
    return parts.map((part) => String(part).replace(/[^\w.-]+/g, '-')).join('-')
  }
}
