import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { dateMsOf } from '~/domain/instant.ts'

/** A UTC day or month with a file. */
export type Period = {
  /** YYYY-MM-DD or YYYY-MM. */
  readonly name: string
  readonly startMs: number
  /** The time when the next one starts. */
  readonly endMs: number
}

/** The time after its end when a period counts as complete: its last records have arrived. */
const SETTLED_MS = HOUR_MS

export const settledMs = ({ endMs }: Period): number => endMs + SETTLED_MS

/** A day or month by its name; null for anything else. */
export function periodOf(name: string): Period | null {
  if (isDay(name)) {
    const startMs = dateMsOf(name)
    return startMs === null ? null : { name, startMs, endMs: startMs + DAY_MS }
  }
  const startMs = dateMsOf(`${name}-01`)
  if (startMs === null) return null
  const [year, number] = name.split('-').map(Number) as [number, number]
  return { name, startMs, endMs: Date.UTC(year, number, 1) }
}

const QUARTER_MONTHS = 3

/** The quarter of a year in UTC. */
export type Quarter = {
  readonly year: number
  /** 1 to 4. */
  readonly number: number
  readonly startMs: number
  /** The time when the next one starts. */
  readonly endMs: number
}

export function quarterAt(ms: number): Quarter {
  const at = new Date(ms)
  const index = Math.floor(at.getUTCMonth() / QUARTER_MONTHS)
  return quarterOf(at.getUTCFullYear(), index + 1)
}

/** A quarter by its name, such as 2026-Q1; null for anything else. */
export function quarterNamed(name: string): Quarter | null {
  const [, year, number] = /^(\d{4})-Q([1-4])$/.exec(name) ?? []
  return number === undefined ? null : quarterOf(Number(year), Number(number))
}

export const quarterName = ({ year, number }: Quarter): string => `${year}-Q${number}`

const quarterOf = (year: number, number: number): Quarter => ({
  ...{ year, number },
  startMs: Date.UTC(year, (number - 1) * QUARTER_MONTHS),
  endMs: Date.UTC(year, number * QUARTER_MONTHS),
})

export const isDay = (name: string): boolean => name.length === 'YYYY-MM-DD'.length

export const dayText = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)

/** The number of latest days whose files are created without a request. */
export const RECENT_DAYS = 31

/** The newest day whose file can be made, by its midnight. */
export const lastSettledDayMs = (nowMs: number): number =>
  Math.floor((nowMs - SETTLED_MS) / DAY_MS) * DAY_MS - DAY_MS

/** The newest month whose file can be made: YYYY-MM. */
export function lastSettledMonth(nowMs: number): string {
  const now = new Date(nowMs - SETTLED_MS)
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)
  return dayText(startMs).slice(0, 'YYYY-MM'.length)
}
