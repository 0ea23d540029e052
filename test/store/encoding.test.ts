import { describe, expect, test } from 'bun:test'
import { arrayLiteral, copyLine, instantText } from '~/store/encoding.ts'

describe('arrayLiteral', () => {
  test('returns an empty array for no values', () => {
    expect(arrayLiteral([])).toBe('{}')
  })

  test('quotes strings and escapes what would end them', () => {
    expect(arrayLiteral(['a,b', 'say "no"', 'c:\\d', '', 'NULL'])).toBe(
      '{"a,b","say \\"no\\"","c:\\\\d","","NULL"}',
    )
  })

  test('leaves numbers bare and writes null as NULL', () => {
    expect(arrayLiteral([1, null, -2])).toBe('{1,NULL,-2}')
  })
})

describe('copyLine', () => {
  test('escapes what would end a field, a row or the data', () => {
    expect(copyLine(['a\tb', 'c\nd\re', '\\.', '\\N'])).toBe('a\\tb\tc\\nd\\re\t\\\\.\t\\\\N\n')
  })

  test('distinguishes null from the empty string and keeps numbers', () => {
    expect(copyLine([null, '', 7])).toBe('\\N\t\t7\n')
  })
})

describe('instantText', () => {
  test('keeps the millisecond', () => {
    expect(instantText(Date.parse('2026-03-05T14:25:30.007Z'))).toBe('2026-03-05T14:25:30.007Z')
  })
})
