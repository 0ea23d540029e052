import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ServiceError } from '~/domain/errors.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { invalidRows } from '~/service/recording/ingest.ts'
import {
  assertCount,
  BATCH_ROWS_MAX,
  jsonRows,
  parsedExactly,
  readRows,
} from '~/wire/recording/ingest.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const RULES = {
  catalogue: new CatalogueIndex({ currencies: CURRENCIES, providers: PROVIDERS }),
  nowMs: NOW_MS,
  defaultEffectiveMs: NOW_MS,
}
const ROW = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 129.5 }

function readingOf(body: unknown) {
  const rows = jsonRows(typeof body === 'string' ? body : JSON.stringify(body))
  assertCount(rows, BATCH_ROWS_MAX)
  return readRows(rows, RULES)
}

function read(body: unknown) {
  const { rows, faults } = readingOf(body)
  if (faults.length > 0) throw invalidRows(faults)
  return rows.map(({ observation }) => observation)
}

function failureOf(body: unknown): ServiceError {
  try {
    read(body)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('the body was taken')
}

describe('readRows', () => {
  test('accepts one row alone or in a list', () => {
    expect(read(ROW)).toHaveLength(1)
    expect(read([ROW])).toEqual(read(ROW))
  })

  test('keeps the order of rows', () => {
    const rates = [3, 1, 2].map((rate) => ({ ...ROW, rate }))
    expect(read(rates).map(({ rate }) => rate)).toEqual(['3', '1', '2'])
  })

  test('accepts 100 rows and refuses 101 as a whole', () => {
    expect(read(Array(BATCH_ROWS_MAX).fill(ROW))).toHaveLength(100)
    const { code, message } = failureOf(Array(BATCH_ROWS_MAX + 1).fill(ROW))
    expect(code).toBe('malformed_body')
    expect(message).toContain('101 rows')
  })

  test('refuses a body that is neither an object nor a list of rows as malformed', () => {
    for (const body of [
      '',
      ' ',
      'rate=1',
      '{',
      '[',
      '[1,]',
      "{'a':1}",
      '\u0000',
      'null',
      '5',
      'true',
    ])
      expect(failureOf(body).code).toBe('malformed_body')
    for (const body of ['"text"', '[]', '12345678901234567890', 'NaN', '{}{}', '{"a":1e}'])
      expect(failureOf(body).code).toBe('malformed_body')
  })

  test('refuses a deeply nested body like any other', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect(['malformed_body', 'invalid_rows']).toContain(failureOf(deep).code)
    const inRow = `{"notes":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)},"rate":12345678901234567}`
    expect(['malformed_body', 'invalid_rows']).toContain(failureOf(inRow).code)
  })

  test('reports a misspelt field as an error of its row, before the missing field', () => {
    const { code, message, details } = failureOf([
      ROW,
      { ...ROW, efective_from: '2026-03-05T14:00:00Z', Fee: 2 },
      { ...ROW, rate: undefined, rtae: 129.5 },
    ])
    expect(code).toBe('invalid_rows')
    expect(message).toContain('(row 1: "efective_from" is not read: did you mean effective_from?)')
    expect(details.errors).toEqual([
      { index: 1, error: '"efective_from" is not read: did you mean effective_from?' },
      { index: 1, error: '"Fee" is not read: did you mean fee?' },
      { index: 2, error: '"rtae" is not read: did you mean rate?' },
      { index: 2, error: 'rate is required: a number above 0' },
    ])
  })

  test('leaves out an unknown field with a warning for its row', () => {
    const { rows, warnings, faults } = readingOf([
      { ...ROW, id: 7, rate_type: 'official' },
      ROW,
      { ...ROW, ['x'.repeat(50)]: 1, error: 'old', a: 1, b: 1, c: 1, d: 1, e: 1 },
    ])
    expect([rows.length, faults]).toEqual([3, []])
    expect(rows[0]!.observation).toEqual(rows[1]!.observation)
    const long = `"${'x'.repeat(40)}…"`
    expect(warnings).toEqual([
      { index: 0, warning: 'ignored, as unknown: "id", "rate_type"' },
      {
        index: 2,
        warning: `ignored, as unknown: ${long}, "error", "a", "b", "c" and 2 more`,
      },
    ])
  })

  test('reads 100 fields of a row, and reports one more as an error', () => {
    const withMembers = (count: number) =>
      Object.fromEntries(Array.from({ length: count - 4 }, (_, i) => [`member ${i}`, i]))
    expect(readingOf({ ...ROW, ...withMembers(100) }).warnings).toHaveLength(1)
    const { details } = failureOf({ ...ROW, ...withMembers(101) })
    expect(details.errors).toEqual([
      { index: 0, error: 'has more than 100 members; send those that a rate has' },
    ])
  })

  test('reports a row that is not an object as an error of that row', () => {
    const { code, details } = failureOf([ROW, null, [], 'x', 12345678901234567890n.toString()])
    expect(code).toBe('invalid_rows')
    expect(details.errors).toEqual(
      [1, 2, 3, 4].map((index) => ({ index, error: 'a row must be a JSON object' })),
    )
  })

  test('lists every error of every row by its index, and returns no row', () => {
    const { code, message, details } = failureOf([
      ROW,
      { ...ROW, rate: 0, to: 'XXX' },
      ROW,
      { ...ROW, provider_id: 'nobody' },
    ])
    const errors = details.errors as { index: number; error: string }[]
    expect(code).toBe('invalid_rows')
    expect(errors.map(({ index }) => index)).toEqual([1, 1, 3])
    expect(message).toContain('row 1')
    expect(message).toContain(errors[0]!.error)
  })

  test('keeps digits that a double cannot hold as they were written', () => {
    const body = '{"provider_id":"retail-a","from":"USD","to":"KES","rate":123.456789012345678}'
    expect(read(body)[0]?.rate).toBe('123.456789012345678')
    const long = body.replace('123.456789012345678', '0.1000000000000000055511151231257827')
    expect(failureOf(long).code).toBe('invalid_rows')
  })

  test('is unharmed by a key named __proto__', () => {
    const body = '{"__proto__":{"provider_id":"retail-a"},"from":"USD","to":"KES","rate":1}'
    expect(failureOf(body).code).toBe('invalid_rows')
    expect(({} as Record<string, unknown>).provider_id).toBeUndefined()
  })
})

describe('parsedExactly', () => {
  test('agrees with JSON.parse if every number is short', () => {
    const scalars = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const values = fc.oneof(scalars, fc.array(scalars), fc.dictionary(fc.string(), scalars))
    fc.assert(
      fc.property(fc.array(values), (value) => {
        expect(parsedExactly(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('keeps 16 digits as a string, 15 as a number, and digits in a string unchanged', () => {
    expect(parsedExactly('[123456789012345]')).toEqual([123_456_789_012_345])
    expect(parsedExactly('[1234567890123456]')).toEqual([new WrittenNumber('1234567890123456')])
    expect(parsedExactly('{"a":"1234567890123456","b":-0.000000000000001}')).toEqual({
      a: '1234567890123456',
      b: new WrittenNumber('-0.000000000000001'),
    })
  })

  test('keeps each digit of every number up to 18 digits', () => {
    const numbers = fc.tuple(fc.stringMatching(/^[1-9]\d{0,16}[1-9]$/), fc.nat({ max: 17 }))
    fc.assert(
      fc.property(numbers, ([digits, places]) => {
        const cut = digits.length - Math.min(places, digits.length - 1)
        const text = [digits.slice(0, cut), digits.slice(cut)].filter(Boolean).join('.')
        const [value] = parsedExactly(`[${text}]`) as [number | WrittenNumber]
        expect(value instanceof WrittenNumber ? value.text : String(value)).toBe(text)
      }),
    )
  })
})
