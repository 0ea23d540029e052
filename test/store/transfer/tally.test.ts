import { describe, expect, test } from 'bun:test'
import { differencesOf, Tally } from '~/store/transfer/tally.ts'

const HEAD = '{"corridor":1,"schema":1}'

function tallyOf(tables: Record<string, { columns: string[]; rows: string[] }>, like?: Tally) {
  const tally = new Tally(like)
  tally.take(HEAD)
  for (const [name, { columns, rows }] of Object.entries(tables)) {
    tally.take(JSON.stringify({ name, columns }))
    for (const row of rows) tally.take(row)
    tally.take('\\.')
  }
  return tally
}

const ROWS = ['1\tone', '2\ttwo', '3\t\\N']
const COLUMNS = ['id', 'name']

describe('differencesOf', () => {
  test('finds none between equal rows in another order', () => {
    const held = tallyOf({ a: { columns: COLUMNS, rows: ROWS } })
    const made = tallyOf({ a: { columns: COLUMNS, rows: ROWS.toReversed() } }, held)
    expect(differencesOf(held, made)).toEqual([])
    expect(held.rows).toBe(3)
  })

  test('finds a lost row, a changed one, a duplicate, and a missing table', () => {
    const held = tallyOf({ a: { columns: COLUMNS, rows: ROWS } })
    const against = (rows: string[]) =>
      differencesOf(held, tallyOf({ a: { columns: COLUMNS, rows } }, held))
    expect(against(ROWS.slice(1))).toEqual(['a: 3 rows in the file, 2 in the database'])
    expect(against([ROWS[0]!, ROWS[1]!, '3\tthree'])).toEqual(['a: the sums of its 3 rows differ'])
    expect(against([ROWS[0]!, ROWS[0]!, ROWS[2]!])).toEqual(['a: the sums of its 3 rows differ'])
    expect(differencesOf(held, tallyOf({}))).toEqual(['a: 3 rows in the file, 0 in the database'])
  })

  test('compares the columns of the file, in any position', () => {
    const held = tallyOf({ a: { columns: COLUMNS, rows: ROWS } })
    const wider = ROWS.map((row) => `new\t${row.split('\t').toReversed().join('\t')}`)
    const columns = ['added', 'name', 'id']
    const made = tallyOf({ a: { columns, rows: wider } }, held)
    expect(differencesOf(held, made)).toEqual([])
  })
})
