import { describe, expect, test } from 'bun:test'
import { pageOf } from '~/connector/rows.ts'
import type { Connector } from '~/connector/schema.ts'

const page = (text: string, more: Partial<Connector>) =>
  pageOf(
    Buffer.from(text),
    {
      ...{ name: 'acme', from: { url: 'https://acme.example' }, format: 'json', terms: 'ours' },
      row: { rate: 'rate' },
      ...more,
    } as Connector,
    { to: 'KES' },
  )
const firstOf = async (rate: string, text = '[{"rate": 171.5}]') =>
  (await page(text, { row: { rate } })).rows[0]!

describe('an expression of a row', () => {
  test('does not see what lies behind a value', async () => {
    for (const path of ['rate.constructor', '__proto__.constructor', 'ask.constructor'])
      expect((await firstOf(path)).values).toEqual({ rate: null })
  })

  test('sees the row and the request', async () => {
    expect(await firstOf('ask.to & rate')).toEqual({ values: { rate: 'KES171.5' }, faults: [] })
    expect((await firstOf('nothing')).values).toEqual({ rate: null })
  })

  test('gives a quotient in as many digits as a price may have', async () => {
    expect((await firstOf('1 / rate')).values).toEqual({ rate: 0.00583090379009 })
  })

  const faults: [what: string, expression: string, said: RegExp][] = [
    ['a function that is not called', '$sum', /rate gives an object, and not a string/],
    ['an object', '{ "a": 1 }', /rate gives an object, and not a string or a number/],
    ['a long text', '$pad("x", 5000)', /rate gives more than 4096 characters/],
    ['text as an expression', '$eval("1 + 1")', /rate failed: .*non-function/],
    [
      'a calculation with a string',
      '1 / $string(rate)',
      /must evaluate to a number, not a string: \$number\(\.\.\.\) makes one/,
    ],
    ['a recursion without end', '($f := function($n) { 1 + $f($n) }; $f(1))', /rate failed: Stack/],
  ]
  for (const [what, expression, said] of faults)
    test(`gives an error for ${what}`, async () => {
      expect((await firstOf(expression)).faults.join()).toMatch(said)
    })
})

describe('a table whose rows an expression selects', () => {
  const TABLE = 'To,Rate,Fee\nKES,171.5,\nNGN,1984,\n'
  const table = (rows: string, fee: string, text = TABLE) =>
    page(text, { format: 'csv', rows, row: { rate: 'Rate', fee } })

  test('may leave a column empty', async () => {
    expect((await table('$[To = "KES"]', 'Fee')).rows).toEqual([
      { values: { rate: '171.5', fee: null }, faults: [] },
    ])
  })

  test('is refused if a column has disappeared, by its name', async () => {
    const without = TABLE.replace('Fee', 'Charge')
    await expect(table('$[To = "KES"]', 'Fee', without)).rejects.toThrow('has no column Fee')
  })

  test('may give fields of its own', async () => {
    const found = await table('$.{ "Rate": Rate, "cost": 1 }', 'cost')
    expect(found.rows.map(({ values }) => values.fee)).toEqual([1, 1])
  })
})

test('rows of empty cells, which spreadsheets write below a table, are no rows', async () => {
  const text = 'To,Rate\r\nKES,171.5\r\n,\r\n" ",\r\n'
  expect((await page(text, { format: 'csv', row: { rate: 'Rate' } })).rows).toHaveLength(1)
})

test('a next page is a string, and anything else is the end', async () => {
  const next = (text: string) =>
    page(text, { from: { url: 'https://acme.example', pages: { next: 'next', max: 2 } } })
  expect((await next('{"rate": 1, "next": "?page=2"}')).next).toBe('?page=2')
  for (const end of ['""', 'null', '2', '["?page=2"]'])
    expect((await next(`{"rate": 1, "next": ${end}}`)).next).toBeNull()
})
