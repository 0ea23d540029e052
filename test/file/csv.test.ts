import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvRecords } from '~/file/csv.ts'
import { LINE_LENGTH_MAX, linesOf } from '~/file/lines.ts'
import { csvLine } from '~/wire/csv-line.ts'
import { byteChunks, gathered } from '../support/byte-chunks.ts'

const recordsIn = (text: string, size?: number) =>
  gathered(csvRecords(linesOf(byteChunks(text, size))))

const fieldsIn = async (text: string, size?: number) =>
  (await recordsIn(text, size)).map(({ fields }) => fields)

describe('csvRecords', () => {
  test('reads plain and quoted fields, doubled quotes, commas and line ends inside quotes', async () => {
    const text = 'a,b\n"x, y","say ""hi"""\n"two\r\nlines",""\n,\n'
    expect(await fieldsIn(text)).toEqual([
      ['a', 'b'],
      ['x, y', 'say "hi"'],
      ['two\r\nlines', ''],
      ['', ''],
    ])
  })

  test('accepts CRLF, skips blank lines and gives the line on which a record starts', async () => {
    const records = await recordsIn('a,b\r\n\r\n"1\r\n2",3\r\n\n4,5')
    expect(records.map(({ number, fields }) => [number, fields])).toEqual([
      [1, ['a', 'b']],
      [3, ['1\r\n2', '3']],
      [6, ['4', '5']],
    ])
  })

  test('trims nothing', async () => {
    expect(await fieldsIn(' a , "b')).toEqual([null])
    expect(await fieldsIn(' a ,b ')).toEqual([[' a ', 'b ']])
  })

  test('reads back whatever csvLine wrote, however the bytes are cut', async () => {
    const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', '😀') })
    const row = fc.array(field, { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 50 }), async (rows, size) => {
        const text = rows.map((fields) => `${csvLine(fields)}\n`).join('')
        expect(await fieldsIn(text, size)).toEqual(rows)
      }),
    )
  })

  test('reports quotes in the wrong places and continues after them', async () => {
    const records = await recordsIn('a,"b"\n5" pipe,6" pipe\n"c" d,1\n"e",2\n')
    expect(records.map(({ fields }) => fields)).toEqual([['a', 'b'], null, null, ['e', '2']])
    expect(records[1]!.fault).toStartWith('has quotes in the wrong places')
    expect(records[2]!.number).toBe(3)
  })

  test('a quote that is never closed is an error of its own line only', async () => {
    const records = await recordsIn('a,"b\n"c","d"\ne,f\n')
    expect(records.map(({ number, fields, fault }) => [number, fields, fault])).toEqual([
      [1, null, 'has a quote that is not closed'],
      [2, ['c', 'd'], null],
      [3, ['e', 'f'], null],
    ])
  })

  test('a quote that is not closed within the longest line is given up, with bounded memory', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `row,${i}`)
    const records = await recordsIn(['x,"open', ...rows, 'y,"last"'].join('\n'), 5000)
    expect(records.length).toBe(rows.length + 2)
    expect(records.filter(({ fault }) => fault !== null).map(({ number }) => number)).toEqual([1])
  })

  test('a line that is too long ends a record that is open', async () => {
    const records = await recordsIn(`a,"b\n${'x'.repeat(LINE_LENGTH_MAX + 1)}\nc,d\n`)
    expect(records.map(({ number, fault }) => [number, fault])).toEqual([
      [1, 'has a quote that is not closed'],
      [2, 'is longer than 65536 characters'],
      [3, null],
    ])
  })
})
