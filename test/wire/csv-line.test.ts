import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvLine, plainText } from '~/wire/csv-line.ts'

/**
 * The cells of a line for the simplest programs, which split at a separator: each string between
 * two, without the quotes and white space around it.
 */
const cellsAt = (separator: RegExp, line: string) =>
  line.split(separator).map((cell) => cell.replaceAll(/^["\s]+/g, ''))

const SEPARATORS = [/;/, /\t/, /[\r\n\v\f\x85\u2028\u2029]/]
const FORMULA = /^[=+\-@＝＋－＠]/

describe('plainText', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['x;=cmd|a', "x;'=cmd|a"],
    ['x;;@a', "x;;'@a"],
    ['x\t-1', "x\t'-1"],
    ['x\n+1', "x\n'+1"],
    ['x\r\n =1', "x\r\n '=1"],
    ['x\u2028=1', "x\u2028'=1"],
    ['x;"=1"', `x;"'=1"`],
    ['＝1', "'＝1"],
    ['x;＋1;－1;＠a', "x;'＋1;'－1;'＠a"],
  ])('%j is %j', (text, plain) => {
    expect(plainText(text)).toBe(plain)
  })

  test.each(['a=b', 'a - b', 'me@example.org', 'x;y', '1;2', 'a\nb', ''])(
    '%j is unchanged',
    (text) => {
      expect(plainText(text)).toBe(text)
    },
  )

  test('leaves no formula in a line, wherever a program splits it', () => {
    const parts = ['a', ' ', '"', ',', ';', '\t', '\n', '\r', '\u2028', '=', '＝', '+', '-', '@']
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((all) => all.join(''))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (fields) => {
        const line = csvLine(['id', ...fields.map(plainText)])
        for (const separator of SEPARATORS)
          expect(cellsAt(separator, line).filter((cell) => FORMULA.test(cell))).toEqual([])
      }),
    )
  })
})
