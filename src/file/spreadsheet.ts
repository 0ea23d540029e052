import { Unzip, UnzipInflate } from 'fflate'
import { type Handler, Parser } from 'htmlparser2'
import { FeedError } from '~/domain/feed/feed.ts'
import { dateStyles, serialText } from './serial-date.ts'
import type { Cell } from './titled-rows.ts'

const WORKBOOK = 'xl/workbook.xml'
const RELATIONS = 'xl/_rels/workbook.xml.rels'
const STRINGS = 'xl/sharedStrings.xml'
const STYLES = 'xl/styles.xml'
const PARTS = [WORKBOOK, RELATIONS, STRINGS, STYLES]
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/
/** More than ten years of one bank's rates; nothing is unpacked beyond it. */
const BYTES_MAX = 16 * 1024 * 1024
/** Bytes of an archive that are unpacked at once: at most a thousandfold of it comes out. */
const STEP_BYTES = 16 * 1024
const ROWS_MAX = 50_000
const COLUMNS_MAX = 256
/** Places of cells in all sheets, those without a cell between two others included. */
const PLACES_MAX = 4_000_000
/** The prefix of a tag's name: some programs write `<x:row>`. */
const PREFIX = /(<\/?)[\w.-]+:/g
/** The digits that a spreadsheet shows of the double that it keeps. */
const DIGITS = 15

/** A sheet of a workbook: its rows from the top, those without a cell left out. */
type Sheet = {
  readonly name: string
  readonly rows: readonly (Cell | undefined)[][]
  /** The number of each row in the sheet, from 1. */
  readonly numbers: readonly number[]
}

/**
 * The sheets of an Excel workbook in their order.
 *
 * A cell is a string, a number, or, if it is shown as a date, `2026-05-19` or `2026-05-19
 * 09:30:00`. Of a formula it is the value stored in the workbook; cells merged downwards have one
 * value. Throws a FeedError for bytes that are not a whole workbook, and for one that unpacks to
 * too much.
 */
export function sheetsOf(bytes: Uint8Array): Sheet[] {
  const parts = unpacked(bytes)
  const part = (name: string) => new TextDecoder().decode(parts[name]).replace(PREFIX, '$1')
  const { sheets, is1904 } = contentsOf(part(WORKBOOK))
  const targets = targetsOf(part(RELATIONS))
  const strings = stringsOf(part(STRINGS))
  const styles = dateStyles(part(STYLES))
  const room = { places: PLACES_MAX }
  return sheets.flatMap(({ name, relation }) => {
    const target = targets.get(relation)?.replace(/^\/?(xl\/)?/, 'xl/')
    if (target === undefined || !SHEET.test(target)) return []
    if (!parts[target]) throw notWorkbook()
    return [{ name, ...rowsOf(part(target), { strings, styles, is1904, room }) }]
  })
}

/** The parts that are read. Sizes stated by the archive are not trusted. */
function unpacked(bytes: Uint8Array): Record<string, Uint8Array> {
  const parts: Record<string, Uint8Array[]> = {}
  let [total, begun] = [0, 0]
  const unzip = new Unzip((file) => {
    if (!PARTS.includes(file.name) && !SHEET.test(file.name)) return
    begun++
    parts[file.name] = []
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error
      total += chunk.length
      if (total > BYTES_MAX)
        throw new FeedError('too_large', `unpacks to more than ${BYTES_MAX / 1024 / 1024} MiB`)
      parts[file.name]!.push(chunk)
      if (isLast) begun--
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length; at += STEP_BYTES)
      unzip.push(bytes.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= bytes.length)
  } catch (error) {
    throw error instanceof FeedError ? error : notWorkbook()
  }
  if (begun > 0) throw notWorkbook()
  return Object.fromEntries(Object.entries(parts).map(([name, all]) => [name, Buffer.concat(all)]))
}

function parse(xml: string, handler: Partial<Handler>): void {
  new Parser(handler, { xmlMode: true }).end(xml)
}

/** The names of the sheets, each with its relation to a part; and from when dates count. */
function contentsOf(xml: string) {
  const sheets: { name: string; relation: string }[] = []
  let is1904 = false
  parse(xml, {
    onopentag(tag, { name = '', 'r:id': relation = '', date1904 = '' }) {
      if (tag === 'sheet') sheets.push({ name, relation })
      if (tag === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true'
    },
    onclosetag(tag, isImplied) {
      if (tag === 'workbook' && isImplied) throw notWorkbook()
    },
  })
  if (sheets.length === 0) throw notWorkbook()
  return { sheets, is1904 }
}

function targetsOf(xml: string): ReadonlyMap<string, string> {
  const targets = new Map<string, string>()
  parse(xml, {
    onopentag(tag, { Id: id = '', Target: target = '' }) {
      if (tag === 'Relationship') targets.set(id, target)
    },
  })
  return targets
}

/** The shared strings of a workbook in their order, the runs of each joined. */
function stringsOf(xml: string): string[] {
  const strings: string[] = []
  let isText = false
  parse(xml, {
    onopentagname(name) {
      if (name === 'si') strings.push('')
      isText = name === 't'
    },
    ontext(text) {
      if (isText && strings.length > 0) strings[strings.length - 1] += text
    },
    onclosetag() {
      isText = false
    },
  })
  return strings
}

type Shared = {
  readonly strings: readonly string[]
  /** Says whether each style of cells shows a date. */
  readonly styles: readonly boolean[]
  readonly is1904: boolean
  /** The number of places that are left; mutable. */
  readonly room: { places: number }
}

function rowsOf(xml: string, shared: Shared): Omit<Sheet, 'name'> {
  const sheet = { rows: [] as (Cell | undefined)[][], numbers: [] as number[] }
  const merged: string[] = []
  let row: (Cell | undefined)[] = []
  let number = 0
  let cell: { column: number; type: string; style: number } | null = null
  let raw = ''
  let isText = false
  parse(xml, {
    onopentag(name, { r = '', t = 'n', s = '', ref = '' }) {
      if (name === 'row') {
        row = []
        number = r === '' ? number + 1 : Number(r)
      } else if (name === 'mergeCell') merged.push(ref)
      else if (name === 'c') {
        cell = { column: r === '' ? row.length : columnOf(r), type: t, style: Number(s) }
        raw = ''
      }
      isText = name === 'v' || name === 't'
    },
    ontext(text) {
      if (isText) raw += text
    },
    onclosetag(name, isImplied) {
      if (name === 'sheetData' && isImplied) throw notWorkbook()
      isText = false
      if (name === 'c' && cell && raw !== '') row[cell.column] = cellOf(cell, { raw, shared })
      if (name !== 'row' || row.length === 0) return
      take(row.length, shared)
      sheet.numbers.push(number)
      if (sheet.rows.push(row) > ROWS_MAX)
        throw new FeedError('too_large', `has a sheet of more than ${ROWS_MAX} rows`)
    },
  })
  fillMerged(sheet, merged, shared)
  return sheet
}

function take(places: number, { room }: Shared): void {
  room.places -= places
  if (room.places < 0)
    throw new FeedError('too_large', `has sheets of more than ${PLACES_MAX} cells`)
}

type Filled = { readonly rows: (Cell | undefined)[][]; readonly numbers: readonly number[] }

/** Gives the cells that are merged below another one, as in `A2:A5`, the value of that one. */
function fillMerged({ rows, numbers }: Filled, ranges: readonly string[], shared: Shared): void {
  const rowOf = new Map(numbers.map((number, i) => [number, rows[i]!]))
  let room = ROWS_MAX
  for (const range of ranges) {
    const [first = '', last = first] = range.split(':')
    const [top = 0, bottom = 0] = [first, last].map((of) => Number(/\d{1,7}$/.exec(of)?.[0] ?? 0))
    const value = rowOf.get(top)?.[columnOf(first)]
    if (value === undefined || bottom <= top) continue
    room -= bottom - top
    if (room < 0) throw new FeedError('too_large', `merges more than ${ROWS_MAX} cells`)
    for (let number = top + 1; number <= bottom; number++) {
      const row = rowOf.get(number)
      if (!row) continue
      take(columnOf(first) + 1, shared)
      row[columnOf(first)] ??= value
    }
  }
}

/** The place of a column in a row, from a reference such as `AB12`. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of reference.replace(/(?<!\d)\d+$/, ''))
    column = column * 26 + letter.charCodeAt(0) - 64
  if (column >= 1 && column <= COLUMNS_MAX) return column - 1
  throw new FeedError('too_large', `has a sheet of more than ${COLUMNS_MAX} columns`)
}

type Written = { readonly raw: string; readonly shared: Shared }

function cellOf({ type, style }: { type: string; style: number }, { raw, shared }: Written): Cell {
  if (type === 's') return shared.strings[Number(raw)] ?? ''
  const value = Number(Number(raw).toPrecision(DIGITS))
  if (type !== 'n' || Number.isNaN(value)) return raw
  return shared.styles[style] ? serialText(value, shared.is1904) : value
}

const notWorkbook = () => new FeedError('malformed', 'did not return a whole Excel workbook')
