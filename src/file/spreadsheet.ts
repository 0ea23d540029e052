import { type UnzipFileInfo, unzipSync } from 'fflate'
import { Parser } from 'htmlparser2'
import { plainDecimal } from '~/domain/decimal.ts'
import { FeedError } from '~/domain/feed/feed.ts'

const SHEET = 'xl/worksheets/sheet1.xml'
const STRINGS = 'xl/sharedStrings.xml'
/** More than ten years of one bank's rates; an archive that promises more is not unpacked. */
const PART_BYTES_MAX = 16 * 1024 * 1024
/** The digits that a spreadsheet shows of the double that it keeps. */
const DIGITS = 15

/**
 * The rows of the first sheet of an Excel workbook, each cell as text by the letters of its column.
 *
 * Numbers are in plain notation, dates the numbers that the workbook keeps. Throws a FeedError for
 * bytes that are not a whole workbook, and for one that unpacks to too much.
 */
export function sheetRows(bytes: Uint8Array): ReadonlyMap<string, string>[] {
  const parts = unpacked(bytes)
  const sheet = parts[SHEET]
  if (!sheet) throw notWorkbook()
  return cellsOf(textOf(sheet), parts[STRINGS] ? stringsOf(textOf(parts[STRINGS])) : [])
}

/** The day of a cell that holds a date, as `YYYY-MM-DD`. */
export function dateOfCell(text: string): string {
  if (!/^\d{5}(\.\d+)?$/.test(text))
    throw new FeedError('malformed', 'has a cell without a date where one was expected')
  return new Date(Date.UTC(1899, 11, 30 + Math.floor(Number(text)))).toISOString().slice(0, 10)
}

function unpacked(bytes: Uint8Array): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter: isWanted })
  } catch (error) {
    throw error instanceof FeedError ? error : notWorkbook()
  }
}

function isWanted({ name, originalSize }: UnzipFileInfo): boolean {
  if (name !== SHEET && name !== STRINGS) return false
  if (originalSize > PART_BYTES_MAX)
    throw new FeedError('too_large', `unpacks to more than ${PART_BYTES_MAX / 1024 / 1024} MiB`)
  return true
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The shared strings of a workbook in their order, the runs of each joined. */
function stringsOf(xml: string): string[] {
  const strings: string[] = []
  let isText = false
  const parser = new Parser(
    {
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
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return strings
}

function cellsOf(xml: string, strings: readonly string[]): Map<string, string>[] {
  const rows: Map<string, string>[] = []
  let cell: { column: string; type: string } | null = null
  let raw = ''
  const parser = new Parser(
    {
      onopentag(name, { r = '', t = 'n' }) {
        if (name === 'row') rows.push(new Map())
        else if (name === 'c') cell = { column: r.replace(/\d+$/, ''), type: t }
        raw = ''
      },
      ontext(text) {
        raw += text
      },
      onclosetag(name, isImplied) {
        if (name === 'sheetData' && isImplied) throw notWorkbook()
        if (!cell || (name !== 'v' && name !== 't')) return
        rows.at(-1)?.set(cell.column, cellText(cell.type, { raw, strings }))
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return rows
}

function cellText(type: string, { raw, strings }: { raw: string; strings: readonly string[] }) {
  if (type === 's') return strings[Number(raw)] ?? ''
  if (type !== 'n') return raw
  return plainDecimal(String(Number(Number(raw).toPrecision(DIGITS))))
}

const notWorkbook = () => new FeedError('malformed', 'did not answer a whole Excel workbook')
