import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { FileFault } from '~/file/csv.ts'
import { GRID_ROWS_MAX, gridOf } from '~/file/table/grid.ts'
import { workbookOf } from '~/file/workbook.ts'

const bytesOf = (name: string) => Bun.file(join(import.meta.dir, 'workbooks', name)).bytes()

const textGrid = (text: string) => gridOf(new TextEncoder().encode(text))

const cellsOf = async (text: string) => (await textGrid(text)).rows.map(({ cells }) => cells)

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(FileFault)
  return error.message
}

const HEADER = 'provider,from,to,rate'
const ROW = ['retail-a', 'USD', 'KES', '129.5']

describe('gridOf of a text file', () => {
  test.each([[','], [';'], ['\t'], ['|']])('is divided by %p', async (separator) => {
    const text = [HEADER, ROW.join(',')].join('\n').replaceAll(',', separator)
    const { header, rows, notes } = await textGrid(text)
    expect(header).toEqual(['provider', 'from', 'to', 'rate'])
    expect(rows).toEqual([{ number: 2, cells: ROW, fault: null }])
    expect(notes).toEqual([])
  })

  test.each([['a,'], ['"'], ['\t'], ['rate,']])(
    'of one line of 8 MiB of %p is read in a moment',
    async (part) => {
      const text = `${HEADER}\n${part.repeat(2 ** 23 / part.length)}\n${ROW.join(',')}`
      const startMs = performance.now()
      const { rows } = await textGrid(text)
      expect(performance.now() - startMs).toBeLessThan(2000)
      expect(rows.at(-1)).toEqual({ number: 3, cells: ROW, fault: null })
    },
  )

  test('has the separator that its first line gives Excel', async () => {
    const { rows } = await textGrid(`sep=^\r\na^b\r\n1,5^2\r\n`)
    expect(rows).toEqual([{ number: 3, cells: ['1,5', '2'], fault: null }])
  })

  test('may begin with a byte order mark, in UTF-8 and in both orders of UTF-16', async () => {
    const text = `\uFEFF${HEADER}\n${ROW.join(',')}\n`
    const little = Buffer.from(text, 'utf16le')
    const big = Buffer.from(little).swap16()
    for (const bytes of [Buffer.from(text), little, big]) {
      const { header, rows } = await gridOf(bytes)
      expect([header[0], rows[0]!.cells]).toEqual(['provider', ROW])
    }
  })

  test('that is not UTF-8 is read as Windows-1252, with a note', async () => {
    const { rows, notes } = await gridOf(
      Buffer.from(`${HEADER},notes\nretail-a,USD,KES,129.5,Gebühr\n`, 'latin1'),
    )
    expect(rows[0]!.cells.at(-1)).toBe('Gebühr')
    expect(notes.join()).toContain('Windows-1252')
  })

  test('copied from a sheet may lack its last cells, and has line ends of any kind', async () => {
    const text =
      'provider\tfrom\tto\trate\tfee\r\nretail-a\tUSD\tKES\t129.5\r\nretail-b\tUSD\tKES\t1\t2'
    expect(await cellsOf(text)).toEqual([
      [...ROW, ''],
      ['retail-b', 'USD', 'KES', '1', '2'],
    ])
    expect(await cellsOf(text.replaceAll('\r\n', '\r'))).toHaveLength(2)
  })

  test('may have empty cells beyond its header, and rows without any cell', async () => {
    const { rows } = await textGrid(`${HEADER}\n${ROW.join(',')},,,\n,,,\n`)
    expect(rows).toEqual([{ number: 2, cells: ROW, fault: null }])
  })

  test('has an error in a row with more or fewer cells, or with a quote that does not end', async () => {
    const { rows } = await textGrid(
      [HEADER, 'retail-a,USD,KES,1,284.50', 'retail-a,USD', 'retail-a,USD,KES,"1'].join('\n'),
    )
    expect(rows.map(({ fault }) => fault)).toEqual([
      expect.stringContaining('1284.50 has a comma between its thousands'),
      expect.stringContaining('has 2 fields where the header has 4'),
      expect.stringContaining('quote that is not closed'),
    ])
  })

  test('may have captions above its header', async () => {
    const { header, notes } = await textGrid(
      `Prices of the week\n\nas of today,\n${HEADER}\n${ROW}`,
    )
    expect(header[0]).toBe('provider')
    expect(notes).toEqual(['The header is row 4; nothing above it is read.'])
  })

  test(`has at most ${GRID_ROWS_MAX} rows`, async () => {
    const text = `${HEADER}\n${`${ROW}\n`.repeat(GRID_ROWS_MAX)}`
    expect((await textGrid(text)).rows).toHaveLength(GRID_ROWS_MAX)
    expect(await faultOf(textGrid(`${text}${ROW}\n`))).toContain('10,001 rows are too many')
  })

  test.each([
    ['', 'nothing in it'],
    [' \n\t\n', 'nothing in it'],
    [HEADER, 'no row below'],
    ['hello', 'no table'],
    ['<!doctype html><table>', 'web page'],
    ['[{"rate": 1}]', 'JSON'],
    ['retail-a,USD,KES,129.5\nretail-b,USD,KES,130', 'Row 1 has numbers where the names'],
    ['\u0001\0\u0002binary', 'neither an Excel workbook'],
    [`${'a,'.repeat(101)}b\n${'1,'.repeat(101)}2`, '102 columns'],
  ])('is refused with what to do: %p', async (text, fault) => {
    expect(await faultOf(textGrid(text))).toContain(fault)
  })
})

describe('gridOf, a workbook of LibreOffice', () => {
  test('is read with decimal commas unchanged, below its captions', async () => {
    const { header, rows, notes } = await gridOf(await bytesOf('commas.xlsx'))
    expect(header).toEqual(['Provider', 'From', 'To', 'Kurs', 'Gebühr', 'Datum'])
    expect(rows.map(({ cells }) => cells[3])).toEqual(['129,50', '1.284,50', '1.745,25'])
    expect(notes).toEqual(['The header is row 3; nothing above it is read.'])
  })

  test('has the values of formulas, dates and merged cells, of the sheet with prices', async () => {
    const { rows, notes } = await gridOf(await bytesOf('partner.xlsx'))
    const date = '2026-11-25 09:00:00'
    expect(rows).toEqual([
      { number: 4, cells: ['Provider retail-a', 'USD/KES', 129.5, 1.295, date], fault: null },
      { number: 5, cells: ['Provider retail-a', 'GBP to KES', 170.94, 2, date], fault: null },
    ])
    expect(notes[0]).toBe('Only the sheet “Prices” is read, not “Cover”.')
  })

  test.each([
    ['partner.xls', 'before 2007'],
    ['partner.ods', 'OpenDocument'],
    ['partner.pdf', 'PDF'],
  ])('%s is refused with what to do', async (name, fault) => {
    expect(await faultOf(gridOf(await bytesOf(name)))).toContain(fault)
  })

  test('with a password is refused with what to do', async () => {
    const { length } = await bytesOf('partner.xls')
    const encrypted = Buffer.alloc(length)
    encrypted.write('d0cf11e0a1b11ae1', 'hex')
    encrypted.write('EncryptedPackage', 1024, 'utf16le')
    expect(await faultOf(gridOf(encrypted))).toContain('protected by a password')
  })

  test('that was cut short is refused', async () => {
    const bytes = await bytesOf('partner.xlsx')
    const fault = await faultOf(gridOf(bytes.subarray(0, bytes.length / 2)))
    expect(fault).toContain('not a whole Excel workbook')
  })
})

describe('gridOf, any workbook', () => {
  const rows = [HEADER.split(','), ['retail-a', 'USD', 'KES', 129.5]]

  test('that workbookOf wrote is read as it was written', async () => {
    const { header, rows: read } = await gridOf(workbookOf('Prices & "more"', rows))
    expect([header, read[0]!.cells]).toEqual([rows[0], rows[1]] as never)
  })

  test('has no more than 10,000 rows', async () => {
    const many = workbookOf('Prices', [rows[0]!, ...Array(GRID_ROWS_MAX + 1).fill(rows[1])])
    expect(await faultOf(gridOf(many))).toContain('10,001 rows are too many')
  })

  test('that unpacks to far more than its size is refused', async () => {
    const bomb = zipSync({ 'xl/workbook.xml': strToU8(' '.repeat(64 * 1_048_576)) })
    expect(bomb.length).toBeLessThan(1_048_576)
    expect(await faultOf(gridOf(bomb))).toContain('unpacks to more than 16 MiB')
  })

  test('that merges cells without end is refused', async () => {
    const sheet = `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>
      <mergeCells>${'<mergeCell ref="A1:A9999999"/>'.repeat(2)}</mergeCells></worksheet>`
    expect(await faultOf(gridOf(bookOf(sheet)))).toContain('merges more than 50000 cells')
  })

  test.each(['IV', 'A'])(
    'whose rows in column %p take up far more than it is large is refused',
    async (column) => {
      const row = `<row><c r="${column}1"><v>1</v></c></row>`
      const merged = '<mergeCells><mergeCell ref="IV1:IV40000"/></mergeCells>'
      const first = '<row r="1"><c r="IV1"><v>1</v></c></row>'
      const sheet = `<worksheet><sheetData>${first}${row.repeat(39_999)}</sheetData>${merged}</worksheet>`
      const book = bookOf(sheet)
      expect(book.length).toBeLessThan(100_000)
      expect(await faultOf(gridOf(book))).toContain('has sheets of more than 4000000 cells')
    },
  )

  test('whose tags have prefixes, as some programs write them, is read', async () => {
    const cells = (...texts: string[]) =>
      texts.map((text) => `<x:c t="inlineStr"><x:is><x:t>${text}</x:t></x:is></x:c>`).join('')
    const sheet = `<x:worksheet><x:sheetData><x:row r="1">${cells('Provider', 'Rate')}</x:row>
      <x:row r="2">${cells('retail-a')}<x:c><x:v>129.5</x:v></x:c></x:row></x:sheetData></x:worksheet>`
    const { header, rows } = await gridOf(bookOf(sheet, 'x:'))
    expect(header).toEqual(['Provider', 'Rate'])
    expect(rows).toEqual([{ number: 2, cells: ['retail-a', 129.5], fault: null }])
  })
})

/** A workbook of one sheet. */
function bookOf(sheet: string, prefix = ''): Uint8Array {
  const relation = '<Relationship Id="r1" Target="worksheets/sheet1.xml"/>'
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<${prefix}workbook><${prefix}sheet name="a" r:id="r1"/></${prefix}workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(relation),
    'xl/worksheets/sheet1.xml': strToU8(sheet),
  })
}
