import { strToU8, zipSync } from 'fflate'

const SHEET_NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const RELATIONS_CONTENT = 'application/vnd.openxmlformats-package.relationships+xml'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
/** The code of the letter before A. */
const BEFORE_A = 64
/** About as wide as the longest provider id. */
const COLUMN_WIDTH = 18

/**
 * An Excel workbook of one sheet, whose first row stays in sight; at most 26 columns. Empty strings
 * leave their cells out.
 */
export function workbookOf(name: string, rows: readonly (readonly (string | number)[])[]) {
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types">
      <Default Extension="rels" ContentType="${RELATIONS_CONTENT}"/>
      <Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>
      <Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/>
      </Types>`,
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
    'xl/workbook.xml': `<workbook xmlns="${SHEET_NAMESPACE}" xmlns:r="${OFFICE}">
      <sheets><sheet name="${escaped(name)}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/worksheets/sheet1.xml': sheetOf(rows),
  }
  const files = Object.entries(parts).map(([path, xml]) => [path, strToU8(HEAD + xml)] as const)
  return zipSync(Object.fromEntries(files))
}

const relation = (type: string, target: string): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">
    <Relationship Id="r1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`

function sheetOf(rows: readonly (readonly (string | number)[])[]): string {
  const width = Math.max(1, ...rows.map(({ length }) => length))
  const xml = rows.map((cells, i) => {
    const own = cells.map((cell, at) =>
      cellOf(cell, String.fromCharCode(BEFORE_A + 1 + at) + (i + 1)),
    )
    return `<row r="${i + 1}">${own.join('')}</row>`
  })
  return `<worksheet xmlns="${SHEET_NAMESPACE}">
    <sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2"
      activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
    <cols><col min="1" max="${width}" width="${COLUMN_WIDTH}" customWidth="1"/></cols>
    <sheetData>${xml.join('')}</sheetData></worksheet>`
}

function cellOf(cell: string | number, place: string): string {
  if (cell === '') return ''
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<"]/g, (sign) => ESCAPES[sign]!)
