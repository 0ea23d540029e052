import { describe, expect, test } from 'bun:test'
import { gridOf } from '~/file/table/grid.ts'
import { habitsOf } from '~/file/table/habits.ts'
import { columnsOf } from '~/file/table/names.ts'
import { CellReader, type Reading } from '~/file/table/rows.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'

const catalogue = new CatalogueIndex({ currencies: [...CURRENCIES], providers: [...PROVIDERS] })

async function tableOf(header: string, ...rows: string[]) {
  const grid = await gridOf(new TextEncoder().encode([header, ...rows].join('\n')))
  const columns = columnsOf(grid.header, new Map())
  return { grid, columns, habits: habitsOf(grid, columns) }
}

const habitsOfNumbers = async (...numbers: string[]) =>
  (await tableOf('rate\tfee', ...numbers.map((text) => `${text}\t`))).habits

const habitsOfDates = async (...dates: string[]) =>
  (await tableOf('rate\tdate', ...dates.map((text) => `1\t${text}`))).habits

describe('habitsOf', () => {
  test.each([
    [['129,50'], ',', false],
    [['1.284,50', '1.284'], ',', false],
    [['0,756'], ',', false],
    [['1.284.500'], ',', false],
    [['129.5', '1,284'], '.', false],
    [['1,284.50'], '.', false],
    [['129', '1284'], null, false],
    [['1,284'], null, true],
    [['1.284', '172.400'], null, true],
    [['129.5', '129,5'], null, true],
  ] as const)('finds the decimal sign of %p: %p, or asks: %p', async (numbers, decimal, asks) => {
    const habits = await habitsOfNumbers(...numbers)
    expect([habits.decimal, habits.asksDecimal]).toEqual([decimal, asks])
  })

  test.each([
    [['25/11/2026'], 'dd/MM/yyyy', false],
    [['11/25/2026', '03/04/2026'], 'MM/dd/yyyy', false],
    [['03/04/2026'], null, true],
    [['25/11/2026', '11/25/2026'], null, true],
    [['2026-11-25', '25 Nov 2026'], null, false],
  ] as const)('finds the order of %p: %p, or asks: %p', async (dates, order, asks) => {
    const habits = await habitsOfDates(...dates)
    expect([habits.dates, habits.asksDates]).toEqual([order, asks])
  })

  test('asks for the zone of local times alone', async () => {
    expect((await habitsOfDates('2026-11-25T09:00:00Z')).asksZone).toBe(false)
    expect((await habitsOfDates('2026-11-25T09:00:00+01:00')).asksZone).toBe(false)
    for (const text of ['2026-11-25', '25/11/2026 09:00', '25 Nov 2026', '2026-11-25 09:00:00'])
      expect((await habitsOfDates(text)).asksZone).toBe(true)
  })
})

const PLAIN = { fixed: {}, decimal: '.', dates: null, timeZone: null, isAccepted: false } as const

async function read(header: string, row: string, more: Partial<Reading> = {}) {
  const { grid, columns } = await tableOf(header, row)
  return new CellReader({ columns, ...PLAIN, ...more }, catalogue).read(grid.rows[0]!)
}

const rateIn = async (text: string, decimal: Reading['decimal']) => {
  const { members, faults } = await read('rate\tfee', `${text}\t`, { decimal })
  return faults[0]?.fault ?? (members.rate as WrittenNumber).text
}

describe('CellReader', () => {
  test.each([
    ['129,50', ',', '129.50'],
    ['1.284,50', ',', '1284.50'],
    ['1 284,50', ',', '1284.50'],
    ['1\u202f284,50', ',', '1284.50'],
    ['1’284.50', '.', '1284.50'],
    ['1,284.50', '.', '1284.50'],
    ['1284', null, '1284'],
  ] as const)('reads the number %p with the decimal sign %p as %p', async (text, sign, number) => {
    expect(await rateIn(text, sign)).toBe(number)
  })

  test.each([
    ['1,284', '.', 'if the comma is a decimal comma'],
    ['1.284', ',', 'must be a number with a decimal comma'],
    ['1,284', null, 'could be two numbers'],
    ['129.5', ',', 'must be a number with a decimal comma'],
  ] as const)('guesses nothing of %p with the decimal sign %p', async (text, sign, fault) => {
    expect(await rateIn(text, sign)).toContain(fault)
  })

  test.each([
    ['25/11/2026 09:00', 'dd/MM/yyyy', '2026-11-25T08:00:00.000Z'],
    ['11/25/2026 9:00 PM', 'MM/dd/yyyy', '2026-11-25T20:00:00.000Z'],
    ['11/25/2026 12:15 am', 'MM/dd/yyyy', '2026-11-24T23:15:00.000Z'],
    ['2026/11/25', null, '2026-11-24T23:00:00.000Z'],
    ['25 Nov 2026', null, '2026-11-24T23:00:00.000Z'],
    ['25-November-2026 10:30', null, '2026-11-25T09:30:00.000Z'],
  ] as const)('reads the time %p in the order %p, at Lagos, as %p', async (text, dates, iso) => {
    const { members } = await read('rate\tdate', `1\t${text}`, { dates, timeZone: 'Africa/Lagos' })
    expect(members.effective_from).toBe(iso)
  })

  test.each([
    ['03/04/2026', 'could be two dates'],
    ['2026-11-25', 'has no time zone'],
    ['25 Foo 2026', 'is not on the calendar'],
    ['25 Nov 2026 13:00 pm', 'is not on the calendar'],
  ])('guesses nothing of the time %p', async (text, fault) => {
    expect((await read('rate\tdate', `1\t${text}`)).faults[0]!.fault).toContain(fault)
  })

  test('recognises providers by id and by name, and corridors in several forms', async () => {
    for (const pair of ['USD/KES', 'USDKES', 'usd - kes', 'USD to KES', 'USD → KES']) {
      const { members } = await read('company\tcorridor', `provider RETAIL-A\t${pair}`)
      expect([members.provider_id, members.from, members.to]).toEqual([
        'retail-a',
        expect.stringMatching(/usd/i),
        expect.stringMatching(/kes/i),
      ])
    }
    const { faults } = await read('company\tcorridor', 'retail-a\tKenya')
    expect(faults).toEqual([
      { member: 'corridor', fault: 'must be two currencies such as GBP/KES, not "Kenya"' },
    ])
  })

  test('reads lists and words in the notations people use', async () => {
    const header = 'pay_in\tpay_out\tchannel\taccept_implausible\tfee %'
    const { members } = await read(header, 'Debit card, Cash\tMobile money\tInternet\tyes\t0.5 %')
    expect(members).toEqual({
      ...{ pay_in: ['debit_card', 'cash'], pay_out: ['mobile_money'], channel: 'internet' },
      ...{ accept_implausible: true, fee_percent: new WrittenNumber('0.5') },
    })
  })

  test('has what applies to all rows if no column has it', async () => {
    const { members } = await read('to\trate', 'KES\t1', { fixed: { from: 'USD' } })
    expect(members).toMatchObject({ from: 'USD', to: 'KES' })
  })
})
