import { Parser } from 'htmlparser2'
import { DAY_MS, SECOND_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Cell } from './titled-rows.ts'

/** The numbers of a workbook's own formats that show a date or a time. */
const isDateNumber = (id: number): boolean =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58)

/** Reports whether each style of cells shows a date, from the styles of a workbook. */
export function dateStyles(xml: string): boolean[] {
  const formats = new Map<string, string>()
  const styles: boolean[] = []
  let isCell = false
  const parser = new Parser(
    {
      onopentag(name, { numFmtId = '0', formatCode = '' }) {
        if (name === 'numFmt') formats.set(numFmtId, formatCode)
        else if (name === 'cellXfs') isCell = true
        else if (name === 'xf' && isCell)
          styles.push(isDateFormat(formats.get(numFmtId) ?? '') || isDateNumber(Number(numFmtId)))
      },
      onclosetag(name) {
        if (name === 'cellXfs') isCell = false
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return styles
}

/** Reports whether a format has a day, month, year or time outside of what it quotes. */
const isDateFormat = (code: string): boolean =>
  /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, '').replace(/General/gi, ''))

/** The days from the start of 1970 back to the first of a workbook. */
const EPOCH_DAYS = { 1900: 25_569, 1904: 24_107 }
/** From 1927 to 2173; other numbers are not dates of prices. */
const [SERIAL_MIN, SERIAL_MAX] = [10_000, 100_000]

/** A number of days as the date that a workbook shows: `2026-05-19`, or with a time behind it. */
export function serialText(serial: number, is1904: boolean): Cell {
  if (serial < SERIAL_MIN || serial > SERIAL_MAX) return serial
  const ms = (serial - EPOCH_DAYS[is1904 ? 1904 : 1900]) * DAY_MS
  const iso = new Date(Math.round(ms / SECOND_MS) * SECOND_MS).toISOString()
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}

/** The day of a cell that holds a date, as `YYYY-MM-DD`. */
export function dateOfCell(cell: Cell | undefined): string {
  const text = typeof cell === 'number' ? serialText(cell, false) : cell
  if (typeof text === 'string' && /^\d{4}-\d{2}-\d{2}( |$)/.test(text)) return text.slice(0, 10)
  throw new FeedError('malformed', 'has a cell without a date where one was expected')
}
