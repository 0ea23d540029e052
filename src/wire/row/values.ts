import { instantOf } from '~/domain/instant.ts'
import { isNumeral, significantDigits } from '~/domain/observation.ts'

export const WITHOUT_COMMAS =
  'a number with a decimal point and without commas between its thousands, such as 1284.50'

/** Reports whether a value is a number as written: with commas for thousands or decimals. */
export const isWithCommas = (value: unknown): boolean =>
  typeof value === 'string' && /^\s*-?\d[\d.]*(,\d[\d.]*)+\s*$/.test(value)

/** A number as the sender wrote it, if a double could not hold all of its digits. */
export class WrittenNumber {
  constructor(readonly text: string) {}
}

const ECHO_LENGTH_MAX = 40

/** The fields of one row, and all its errors: sentences that each name a field. */
export class RowValues {
  readonly faults: string[] = []

  constructor(private readonly row: Record<string, unknown>) {}

  /** Null if a field is absent or inherited. */
  of(field: string): unknown {
    return (Object.hasOwn(this.row, field) ? this.row[field] : null) ?? null
  }

  isAbsent(field: string): boolean {
    return this.of(field) === null
  }

  /** Reports whether one of these fields is present. */
  hasSome(fields: ReadonlySet<string>): boolean {
    for (const name in this.row) if (fields.has(name) && !this.isAbsent(name)) return true
    return false
  }

  /** A finite number as a string with every digit; null if it is absent or invalid. */
  numeral(field: string): string | null {
    const value = this.of(field)
    if (value === null) return null
    if (Number.isFinite(value)) return String(value)
    if (value instanceof WrittenNumber && isFiniteText(value.text)) return value.text
    const text = value instanceof WrittenNumber ? value.text : value
    const needed = isWithCommas(text) ? WITHOUT_COMMAS : 'a finite JSON number'
    return this.fault(`${field} must be ${needed}, not ${shown(value)}`)
  }

  /**
   * Reports whether a string has at most `digitsMax` significant digits; records an error if not.
   */
  isShort(field: string, text: string, digitsMax: number): boolean {
    if (text.length <= digitsMax || (significantDigits(text) ?? 0) <= digitsMax) return true
    this.fault(`${field} has more than ${digitsMax} significant digits`)
    return false
  }

  /** A string that a database can hold. */
  text(field: string): string | null {
    const text = this.of(field)
    if (text === null) return null
    if (typeof text !== 'string') return this.fault(`${field} must be a text`)
    if (text.includes('\0') || !text.isWellFormed())
      return this.fault(`${field} must be valid Unicode text without NUL characters`)
    return text
  }

  /** Epoch milliseconds of a time. */
  instant(field: string): number | null {
    const text = this.of(field)
    if (text === null) return null
    const ms = typeof text === 'string' ? instantOf(text) : null
    return (
      ms ?? this.fault(`${field} must be an ISO-8601 date-time with offset: 2026-03-05T14:00:00Z`)
    )
  }

  /** Reports whether a field is true; it may be left out. */
  flag(field: string): boolean {
    const value = this.of(field)
    if (value !== null && typeof value !== 'boolean')
      this.fault(`${field} must be true or false, not ${shown(value)}`)
    return value === true
  }

  word<T extends string>(field: string, known: readonly T[]): T | null {
    const text = this.of(field)
    const word = known.find((one) => one === text) ?? null
    if (text !== null && word === null)
      this.fault(`${field} must be one of ${known.join(', ')}, not ${shown(text)}`)
    return word
  }

  fault(sentence: string): null {
    this.faults.push(sentence)
    return null
  }
}

const isFiniteText = (text: string): boolean => isNumeral(text) && Number.isFinite(Number(text))

/** A sender's value in the form in which an error repeats it. */
export function shown(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text.slice(0, ECHO_LENGTH_MAX)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return JSON.stringify(value.slice(0, ECHO_LENGTH_MAX))
  if (typeof value === 'boolean' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
