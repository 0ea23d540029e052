import type { Cell } from '~/file/titled-rows.ts'
import { ROW_NUMBERS, ROW_TIMES } from '~/wire/row/members.ts'
import type { Notation } from '~/wire/row/notation.ts'
import type { Grid } from './grid.ts'
import type { Columns } from './names.ts'

type Decimal = Notation['decimal']
type Dates = NonNullable<Notation['dates']>

/** Notation of a table where there are two ways; null if it is ambiguous. */
export type Habits = {
  readonly decimal: Decimal | null
  readonly dates: Dates | null
  /** Says whether it has numbers, or dates, whose format is ambiguous. */
  readonly asksDecimal: boolean
  readonly asksDates: boolean
  /** Says whether it has times without an offset. */
  readonly asksZone: boolean
}

const NUMBER = /^-?[\d.,]+$/
/** One sign before three digits, which divides either thousands or the fraction. */
const EITHER = /^-?[1-9]\d{0,2}[.,]\d{3}$/
const DATE = /^(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}(?!\d)/
const LOCAL = /^(?:\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|\d{1,2}[ -]\p{L}{3,}[ -]\d{4})(?!\d)/u
const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i

/** Finds the notation of a table by its numbers and dates. */
export function habitsOf(grid: Grid, columns: Columns): Habits {
  const numbers = textsOf(grid, columns, ROW_NUMBERS).map(unspaced).filter(isNumber)
  const times = textsOf(grid, columns, ROW_TIMES)
  const dates = times.flatMap((text) => {
    const [, first, second] = DATE.exec(text) ?? []
    return first ? [{ first: Number(first), second: Number(second) }] : []
  })
  const orders = new Set<Dates>([
    ...(dates.some(({ first }) => first > MONTHS) ? (['dd/MM/yyyy'] as const) : []),
    ...(dates.some(({ second }) => second > MONTHS) ? (['MM/dd/yyyy'] as const) : []),
  ])
  const decimals = new Set(numbers.map(decimalIn).filter((sign) => sign !== null))
  const isEither = decimals.size === 0 && numbers.some((text) => EITHER.test(text))
  return {
    decimal: onlyOne(decimals),
    dates: onlyOne(orders),
    asksDecimal: isEither || decimals.size > 1,
    asksDates: dates.length > 0 && orders.size !== 1,
    asksZone: times.some((text) => LOCAL.test(text) && !OFFSET.test(text)),
  }
}

const MONTHS = 12

const isNumber = (text: string): boolean => NUMBER.test(text)

/** A number without the white space and apostrophes between its digits. */
export const unspaced = (text: string): string => text.replace(/(?<=\d)[\s'’](?=\d)/g, '')

function textsOf({ rows }: Grid, columns: Columns, members: readonly string[]): string[] {
  const places = columns.flatMap((member, at) =>
    member !== null && members.includes(member) ? [at] : [],
  )
  const isText = (cell: Cell | undefined): cell is string => typeof cell === 'string' && cell !== ''
  return rows.flatMap(({ cells }) => places.map((at) => cells[at]).filter(isText))
}

/** The decimal sign of a number; null if it is ambiguous. */
function decimalIn(text: string): Decimal | null {
  const [points, commas] = ['.', ','].map((sign) => text.split(sign).length - 1)
  if (EITHER.test(text) || points! + commas! === 0 || (points! > 1 && commas! > 1)) return null
  if (points! > 1) return ','
  if (commas! > 1) return '.'
  return text.lastIndexOf(',') > text.lastIndexOf('.') ? ',' : '.'
}

const onlyOne = <T>(values: ReadonlySet<T>): T | null =>
  values.size === 1 ? [...values][0]! : null
