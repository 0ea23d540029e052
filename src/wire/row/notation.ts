import { DAY_MS } from '~/domain/duration.ts'
import { instantOf } from '~/domain/instant.ts'
import { isSkipped, wallMs } from '~/domain/source/zone.ts'
import { shown, WrittenNumber } from './values.ts'

/** The orders of day and month in dates that do not begin with the year. */
export const DATE_ORDERS = ['dd/MM/yyyy', 'MM/dd/yyyy'] as const

/** The signs that divide the whole of a number from its fraction. */
export const DECIMALS = ['.', ','] as const

/** The possible separators between thousands. */
export const GROUPS = ['.', ',', ' ', "'"] as const

/** Notation of numbers and times in a table; null parts are not known. */
export type Notation = {
  readonly decimal: (typeof DECIMALS)[number]
  /** Separator between thousands; absent if the number has to show it. */
  readonly group?: (typeof GROUPS)[number] | undefined
  readonly dates: (typeof DATE_ORDERS)[number] | null
  /** The IANA time zone of times that are written without an offset. */
  readonly timeZone: string | null
  /** Returns the name of a setting as the sender gives it, such as `--decimal ,`. */
  settingOf(name: 'decimal' | 'dates' | 'time-zone', value: string): string
}

/** A field that its notation cannot read, and why. */
export class Misread {
  constructor(readonly fault: string) {}
}

const LONE_COMMA = /^-?\d+,\d+$/
const WITH_DECIMAL_COMMA = /^-?(?:\d+(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,})$/
const DAY = /^(?:(\d{4})[-/](\d{2})[-/](\d{2})|(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}))$/
const NAMED_DAY = /^(\d{1,2})[ -]([a-z]{3,9})[ -](\d{4})$/i
const CLOCK = /[ T](\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?([ap])m)?$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A number as a table writes it; points group only if unmistakable: `1.284,50`, not `1.284`. */
export function numberIn(text: string, notation: Notation): WrittenNumber | Misread {
  if (notation.group !== undefined) return groupedNumber(text, notation)
  if (notation.decimal === ',') {
    if (WITH_DECIMAL_COMMA.test(text))
      return new WrittenNumber(text.replaceAll('.', '').replace(',', '.'))
    return new Misread(`must be a number with a decimal comma, such as 1284,50, not ${shown(text)}`)
  }
  if (!LONE_COMMA.test(text)) return new WrittenNumber(text)
  const given = notation.settingOf('decimal', ',')
  return new Misread(
    `must be a number with a decimal point, not ${shown(text)}: if the comma is a decimal comma, ` +
      `give ${given}`,
  )
}

/** Numbers with `_` between thousands, and a decimal comma. */
const GROUPED = /^-?(?:\d{1,3}(?:_\d{3})+|\d+)(?:,\d+)?$/

function groupedNumber(text: string, { decimal, group = ' ' }: Notation) {
  const spaced = text.replace(/[\u00A0\u202F]/g, ' ')
  const form = spaced.replace(/[.,' _]/g, (sign) => {
    if (sign === group) return '_'
    return sign === decimal ? ',' : '?'
  })
  if (GROUPED.test(form)) return new WrittenNumber(form.replaceAll('_', '').replace(',', '.'))
  const example = `1${group}284${decimal}50`
  return new Misread(`must be a number written as ${example}, not ${shown(text)}`)
}

/**
 * A table's time in ISO-8601: a local time, or midnight of a date, in the time zone, whose clocks
 * may skip only midnight. Any other string is returned unchanged.
 */
export function timeIn(text: string, notation: Notation): string | Misread {
  const [clock = '', hour = '0', minute = '00', seconds = '00', half] = CLOCK.exec(text) ?? []
  const day = text.slice(0, text.length - clock.length)
  const match = DAY.exec(day)
  if (match?.[4] !== undefined && notation.dates === null)
    return new Misread(ambiguous(text, notation))
  const date = match ? dateOf(match, notation) : namedDate(day)
  if (date === null) return text
  const utcMs = instantOf(`${date}T${two(hourOf(hour, half))}:${minute}:${seconds}Z`)
  if (utcMs === null) return new Misread(`${shown(text)} is not on the calendar`)
  const { timeZone } = notation
  if (timeZone === null) {
    const given = notation.settingOf('time-zone', 'Africa/Lagos')
    return new Misread(
      `${shown(text)} has no time zone: give the one it was written in, as ${given}`,
    )
  }
  if (utcMs % DAY_MS > 0 && isSkipped(utcMs, timeZone))
    return new Misread(
      `${shown(text)} does not exist in ${timeZone}: its clocks were put forward over it`,
    )
  return new Date(wallMs(utcMs, timeZone)).toISOString()
}

/** The day that matched as `YYYY-MM-DD`; one that is not on the calendar may come out otherwise. */
function dateOf(match: RegExpExecArray, { dates }: Notation): string {
  const [, year, month, day, first, second, lastYear] = match
  if (year) return `${year}-${month}-${day}`
  const [dayText, monthText] = dates === 'dd/MM/yyyy' ? [first, second] : [second, first]
  return `${lastYear}-${two(monthText!)}-${two(dayText!)}`
}

/** The day in a string such as `25 Nov 2026`; null for another string. */
function namedDate(text: string): string | null {
  const [, day, name, year] = NAMED_DAY.exec(text) ?? []
  if (!day) return null
  const month = MONTHS.indexOf(name!.slice(0, 3).toLowerCase()) + 1
  return `${year}-${two(String(month))}-${two(day)}`
}

/** The hour of a day of 24 hours; with `a` or `p` it was counted from noon and midnight. */
function hourOf(hour: string, half: string | undefined): string {
  if (!half || Number(hour) < 1 || Number(hour) > 12) return half ? '99' : hour
  return String((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0))
}

function ambiguous(text: string, { settingOf }: Notation): string {
  const [dayFirst, monthFirst] = DATE_ORDERS.map((order) => settingOf('dates', order))
  return `${shown(text)} could be two dates: give ${dayFirst} or ${monthFirst}`
}

const two = (digits: string): string => digits.padStart(2, '0')
