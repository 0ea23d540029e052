import type { Cell } from '~/file/titled-rows.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { ROW_FLAGS, ROW_LISTS, ROW_NUMBERS, ROW_TIMES } from '~/wire/row/members.ts'
import { Misread, type Notation, numberIn, timeIn } from '~/wire/row/notation.ts'
import { shown, WrittenNumber } from '~/wire/row/values.ts'
import type { GridRow } from './grid.ts'
import { unspaced } from './habits.ts'
import { type ColumnMember, type Columns, folded } from './names.ts'

/** Fields that all rows of a table may share, if no column has them. */
export const FIXED_MEMBERS = ['provider_id', 'from', 'to'] as const

export type Reading = {
  readonly columns: Columns
  /** Values for all rows. */
  readonly fixed: Readonly<Partial<Record<(typeof FIXED_MEMBERS)[number], string>>>
  readonly decimal: Notation['decimal'] | null
  readonly dates: Notation['dates']
  readonly timeZone: string | null
  /** Says whether rates that are implausible are recorded too. */
  readonly isAccepted: boolean
}

/** Error of a cell, by its field; null for the row as a whole. */
export type CellFault = { readonly member: ColumnMember | null; readonly fault: string }

/** A row by its fields, as `readObservationRow` takes it, and the cells that could not be read. */
type ReadCells = {
  readonly members: Readonly<Record<string, unknown>>
  readonly faults: readonly CellFault[]
}

/** Reads rows by the names of fields and providers in people's words. */
export class CellReader {
  readonly #notation: Notation
  readonly #providerIds: ReadonlyMap<string, string>

  constructor(
    private readonly reading: Reading,
    catalogue: CatalogueIndex,
  ) {
    const { decimal, dates, timeZone } = reading
    this.#notation = { decimal: decimal ?? '.', dates, timeZone, settingOf }
    this.#providerIds = new Map([
      ...catalogue.providers.map(({ id, name }) => [folded(name), id] as const),
      ...catalogue.providers.map(({ id }) => [folded(id), id] as const),
    ])
  }

  read({ cells, fault }: GridRow): ReadCells {
    const members: Record<string, unknown> = { ...this.reading.fixed }
    if (fault !== null) return { members, faults: [{ member: null, fault }] }
    const faults: CellFault[] = []
    for (const [at, member] of this.reading.columns.entries()) {
      const cell = cells[at]!
      if (member === null || cell === '') continue
      const value = this.#valueOf(member, cell)
      if (value instanceof Misread) faults.push({ member, fault: value.fault })
      else Object.assign(members, member === 'corridor' ? value : { [member]: value })
    }
    if (this.reading.isAccepted) members.accept_implausible = true
    return { members, faults }
  }

  #valueOf(member: ColumnMember, cell: Cell): unknown {
    if (ROW_NUMBERS.includes(member)) return this.#number(cell, member)
    const text = String(cell)
    if (ROW_TIMES.includes(member)) return timeIn(text, this.#notation)
    if (ROW_FLAGS.includes(member)) return FLAGS.get(folded(text)) ?? text
    if (ROW_LISTS.includes(member)) return text.split(/[|,;/+]/).map(word)
    if (member === 'channel' || member === 'evidence') return word(text)
    if (member === 'provider_id') return this.#providerIds.get(folded(text)) ?? text
    return member === 'corridor' ? corridorIn(text) : text
  }

  #number(cell: Cell, member: ColumnMember): unknown {
    if (typeof cell === 'number') return cell
    const text = unspaced(member === 'fee_percent' ? cell.replace(/ ?%$/, '') : cell)
    const { decimal } = this.reading
    if (decimal === null && EITHER_WAY.test(text))
      return new Misread(`${shown(cell)} could be two numbers: choose the decimal sign above`)
    if (this.#notation.decimal === '.' && GROUPED.test(text))
      return new WrittenNumber(text.replaceAll(',', ''))
    return numberIn(text, this.#notation)
  }
}

/** Digits with separators of which the decimal one is unknown. */
const EITHER_WAY = /^-?\d[\d.,]*[.,]\d+$/
/** Commas between thousands that cannot be decimal commas. */
const GROUPED = /^-?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/

const FLAGS = new Map([
  ...['true', 'yes', 'y', '1', 'x'].map((text) => [text, true] as const),
  ...['false', 'no', 'n', '0'].map((text) => [text, false] as const),
])

/** A word of a list as the API writes it: `Debit card` is `debit_card`. */
const word = (text: string): string => folded(text).replaceAll(' ', '_')

const CORRIDOR = /^([a-z]{3,5})\s*(?:\/|-|–|>|->|→|to|\s|_)\s*([a-z]{3,5})$/i
const SIX_LETTERS = /^([a-z]{3})([a-z]{3})$/i

function corridorIn(text: string): { from: string; to: string } | Misread {
  const [, from, to] = SIX_LETTERS.exec(text) ?? CORRIDOR.exec(text) ?? []
  if (from && to) return { from, to }
  return new Misread(`must be two currencies such as GBP/KES, not ${shown(text)}`)
}

/** Name of a choice on the page, for an error. */
function settingOf(name: 'decimal' | 'dates' | 'time-zone', value: string): string {
  if (name === 'decimal') return 'a comma as the decimal sign above'
  return name === 'dates' ? `the order ${value} above` : 'the time zone above'
}
