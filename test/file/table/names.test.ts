import { describe, expect, test } from 'bun:test'
import { type ColumnMember, columnsOf, namedTwice } from '~/file/table/names.ts'

const NONE: ReadonlyMap<string, ColumnMember | null> = new Map()

describe('columnsOf', () => {
  test.each([
    [
      ['provider_id', 'from', 'to', 'rate'],
      ['provider_id', 'from', 'to', 'rate'],
    ],
    [
      ['Company', 'Currency pair', 'Our Rate', 'Fees'],
      ['provider_id', 'corridor', 'rate', 'fee'],
    ],
    [
      ['Anbieter', 'Von', 'Nach', 'Kurs', 'Gebühr'],
      ['provider_id', 'from', 'to', 'rate', 'fee'],
    ],
    [
      ['source_currency', 'TARGET CURRENCY', 'Exchange-rate'],
      ['from', 'to', 'rate'],
    ],
    [
      ['Fee %', 'Fee'],
      ['fee_percent', 'fee'],
    ],
  ] as const)('recognises %p by their names', (header, columns) => {
    expect(columnsOf([...header], NONE)).toEqual([...columns])
  })

  test('reads a name as the one that it resembles, and an unknown one as none', () => {
    const header = ['Providr', 'Exchnage rate', 'Efective from', 'Spread', 'x', '']
    const columns = ['provider_id', 'rate', 'effective_from', null, null, null]
    expect(columnsOf(header, NONE)).toEqual(columns as never)
  })

  test('gives a field that two columns name to neither, and says so', () => {
    const header = ['provider', 'from', 'to', 'Rate', 'rate']
    const columns = columnsOf(header, NONE)
    expect(columns).toEqual(['provider_id', 'from', 'to', null, null])
    expect(namedTwice(header, columns)).toEqual(['rate'])
    expect(namedTwice(header, ['provider_id', 'from', 'to', 'rate', null])).toEqual([])
  })

  test('prefers what was chosen before for a column of that name, even that it is not read', () => {
    const remembered = new Map<string, ColumnMember | null>([
      ['angebot', 'rate'],
      ['fee', null],
    ])
    expect(columnsOf(['Angebot', 'Rate', 'Fee'], remembered)).toEqual(['rate', null, null])
  })
})
