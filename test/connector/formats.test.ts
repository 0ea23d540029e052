import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { readConnector } from '~/connector/definition.ts'
import { documentOf } from '~/connector/document.ts'
import { expressionOf } from '~/connector/expression.ts'
import type { Connector } from '~/connector/schema.ts'

const RECORDINGS = join(import.meta.dir, 'recordings')
const SHEET = 'xl/worksheets/sheet2.xml'
const recorded = (name: string) => readFile(join(RECORDINGS, name))
const workbook = await recorded('libreoffice-prices.xlsx')
const parts = unzipSync(workbook)

/** An archive whose directory says that its sheet, of 64 MiB of zeros, has 1000 bytes. */
const lying = zipSync({ [SHEET]: new Uint8Array(64 * 2 ** 20) })
new DataView(lying.buffer, lying.byteOffset).setUint32(
  lying.length - 22 - 46 - SHEET.length + 24,
  1000,
  true,
)

const connector = (format: string, more: Partial<Connector> = {}): Connector =>
  ({
    ...{ name: 'acme', from: { url: 'file:x' }, format, terms: 'ours' },
    row: { to: 'To', rate: 'Rate' },
    ...more,
  }) as Connector
const read = async (text: string | Uint8Array, format: string, more: Partial<Connector> = {}) =>
  (await documentOf(Buffer.from(text), connector(format, more))).value

describe('a workbook that LibreOffice saved', () => {
  test('gives the rows below its header, wherever that is, with numbers and dates', async () => {
    expect(await read(workbook, 'xlsx', { sheet: 'Prices' })).toEqual([
      { From: 'GBP', To: 'KES', Rate: 171.5, Fee: 1.1, Date: '2026-11-20' },
      { From: 'GBP', To: 'NGN', Rate: 1984.25, Date: '2026-11-20 09:30:00' },
    ])
    expect(await read(workbook, 'xlsx')).toHaveLength(2)
  })

  const faults: [what: string, bytes: () => Uint8Array, more: Partial<Connector>, said: string][] =
    [
      [
        'a sheet that is not there',
        () => workbook,
        { sheet: 'Rates' },
        'has no sheet Rates; its sheets are Notes, Prices',
      ],
      ['a moved column', () => workbook, { row: { to: 'To', rate: 'Price' } }, 'Price is missing'],
      ['a workbook cut off', () => workbook.subarray(0, 3000), {}, 'a whole Excel workbook'],
      ['an old workbook', () => Buffer.from('d0cf11e0a1b11ae1', 'hex'), {}, 'save it as .xlsx'],
      ['a web page', () => strToU8('<html>Sorry</html>'), {}, 'a whole Excel workbook'],
      [
        'a column given twice',
        () => edited((xml) => xml.replace(/(<c r="E3"[^>]*><v>)\d+/, `$1${stringAt('D3')}`)),
        { row: { to: 'To', rate: 'Rate' } },
        'names "Rate" twice',
      ],
      [
        'a bomb',
        () => zipSync({ ...parts, [SHEET]: new Uint8Array(17 * 2 ** 20) }),
        {},
        'unpacks to more than 16 MiB',
      ],
      [
        'a sheet wider than any table',
        () => edited((xml) => xml.replace('r="B4"', 'r="XFD4"')),
        {},
        'more than 256 columns',
      ],
      [
        'a cell whose place is not valid',
        () => edited((xml) => xml.replace('r="B4"', `r="${'1'.repeat(200_000)}A"`)),
        {},
        'more than 256 columns',
      ],
      [
        'a sheet with more rows than any table',
        () => edited(() => `<sheetData>${'<row><c><v>1</v></c></row>'.repeat(50_001)}</sheetData>`),
        {},
        'more than 50000 rows',
      ],
    ]
  for (const [what, bytes, more, said] of faults)
    test(`is refused: ${what}`, async () => {
      await expect(read(bytes(), 'xlsx', more)).rejects.toThrow(said)
    })

  const sheetText = new TextDecoder().decode(parts[SHEET])
  const edited = (edit: (xml: string) => string) =>
    zipSync({ ...parts, [SHEET]: strToU8(edit(sheetText)) })
  const stringAt = (cell: string) => new RegExp(`r="${cell}"[^>]*><v>(\\d+)`).exec(sheetText)![1]
})

describe('a web page', () => {
  const page = `<!doctype html><html><table><tr><td>Menu</td></tr></table>
    <table><tr><th>To</th><th>Rate</th></tr><tr><td> KES </td><td>171,5</td></tr></table></html>`

  test('gives the rows of its first table with the columns', async () => {
    expect(await read(page, 'html')).toEqual([{ To: 'KES', Rate: '171,5' }])
    const merged = page
      .replace('<td> KES', '<td rowspan="2"> KES')
      .replace('</tr></table></html>', '</tr><tr><td>172,5</td></tr></table></html>')
    expect(await read(merged, 'html')).toEqual([
      { To: 'KES', Rate: '171,5' },
      { To: 'KES', Rate: '172,5' },
    ])
    const bomb = `${'<td rowspan=9999>'.repeat(2000)}${'<tr><td>'.repeat(9000)}`
    const bombed = page.replace('<table>', `<table><tr>${bomb}</table><table>`)
    await expect(read(bombed, 'html')).rejects.toThrow('over more rows than any table')
  })

  test('is refused without them, and if it ends in the table', async () => {
    await expect(read(page.replace('Rate', 'Price'), 'html')).rejects.toThrow('Rate is missing')
    await expect(read('<html>Sign in</html>', 'html')).rejects.toThrow(
      'has no table with the columns',
    )
    await expect(read(page.slice(0, -20), 'html')).rejects.toThrow('ends in its table')
  })
})

describe('XML', () => {
  const rates =
    '<rates day="2026-11-20"><rate to="KES">171.5</rate><rate to="NGN">1984</rate></rates>'

  test('gives its elements and attributes by their names', async () => {
    const value = await read(`\uFEFF<?xml version="1.0"?>${rates}`, 'xml')
    expect(await expressionOf('rate[to="NGN"].text').valueIn(value)).toBe('1984')
    expect(await expressionOf('day').valueIn(value)).toBe('2026-11-20')
  })

  const entities = '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><r>&b;</r>'
  for (const text of [rates.slice(0, 60), entities, '', 'Sorry'])
    test(`is refused: ${text}`, async () => {
      await expect(read(text, 'xml')).rejects.toThrow('did not return complete XML')
    })
})

test("the World Bank's survey gives a row for each transparent price", async () => {
  const file = join(import.meta.dir, '../../ops/connectors/world-bank-survey.yaml')
  const survey = readConnector(await readFile(file, 'utf8')).connector!
  const { value } = await documentOf(await recorded('world-bank-survey.xlsx'), survey)
  const [first] = (await expressionOf(survey.rows!).valueIn(value)) as unknown[]
  const values = Object.entries(survey.row).map(async ([name, text]) => [
    name,
    await expressionOf(text).valueIn(first),
  ])
  expect(Object.fromEntries(await Promise.all(values))).toEqual({
    ...{ provider_id: 'moneygram', from: 'TZS', to: 'KES', rate: 0.000651, fee: 20_650 },
    ...{ amount_min: 295_000, amount_max: 295_000, effective_from: '2011-01-24' },
  })
})

test('a text of Excel in UTF-16 gives the rows of its table, and one without its mark an error', async () => {
  const text = 'To\tRate\r\nKES\t171.5\r\n'
  const little = Buffer.from(`\ufeff${text}`, 'utf16le')
  const big = Buffer.from(little).swap16()
  for (const bytes of [little, big])
    expect(await read(bytes, 'tsv')).toEqual([{ To: 'KES', Rate: '171.5' }])
  await expect(read(little.subarray(2), 'tsv')).rejects.toThrow(
    'has zero bytes: save it as UTF-8, or as UTF-16 with a byte order mark',
  )
})

test('a CSV whose lines end with carriage returns alone gives the rows of its table', async () => {
  expect(await read('To,Rate\rKES,171.5\r', 'csv')).toEqual([{ To: 'KES', Rate: '171.5' }])
})

test("a bank's table gives its rows of numbers, and leaves out lines of other lengths", async () => {
  const table = await recorded('nbp-table-a.csv')
  const form: Partial<Connector> = {
    ...{ charset: 'windows-1250', rows: '$[data != ""]' },
    row: { rate: '`1USD`' },
  }
  await expect(read(table, 'csv', form)).rejects.toThrow(
    'has a line 2 that has 35 fields where the header has 37',
  )
  const rows = (await read(table, 'csv', { ...form, skip_uneven_lines: true })) as object[]
  expect(rows.map((row) => Object.entries(row).slice(0, 3))).toEqual([
    [
      ['data', '20250107'],
      ['1THB', '0,1182'],
      ['1USD', '4,0770'],
    ],
    [
      ['data', '20250224'],
      ['1THB', '0,1186'],
      ['1USD', '3,9734'],
    ],
    [
      ['data', '20250225'],
      ['1THB', '0,1171'],
      ['1USD', '3,9470'],
    ],
  ])
})
