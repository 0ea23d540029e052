import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corridorWith, documentOf } from '../../support/command.ts'

let folder: string

const files: Readonly<Record<string, string>> = {
  'currency-api-1.json': JSON.stringify({
    date: '2026-03-02',
    usd: { kes: 130, ghs: 15, eur: 0.9 },
  }),
  'currency-api-2.json': JSON.stringify({
    date: '2026-03-03',
    usd: { kes: 131, ghs: 0.15, eur: 0.9 },
  }),
  'frankfurter-v2.json': JSON.stringify([
    { date: '2026-03-02', base: 'USD', quote: 'KES', rate: 130.4 },
    { date: '2026-03-02', base: 'USD', quote: 'GHS', rate: 15.1 },
    { date: '2026-03-02', base: 'USD', quote: 'EUR', rate: 0.901 },
  ]),
  'table.csv':
    'date,currency,per_usd\n2026-03-03,KES,130.6\n2026-03-03,GHS,15.05\n2026-03-03,EUR,0.9\n',
  'days.xml':
    '<gesmes:Envelope><Cube>' +
    ['2026-03-02', '2026-03-03']
      .map(
        (day) =>
          `<Cube time='${day}'><Cube currency='USD' rate='1.1'/><Cube currency='ZAR' rate='20'/></Cube>`,
      )
      .join('') +
    '</Cube></gesmes:Envelope>',
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-replay-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})
afterAll(() => rm(folder, { recursive: true }))

const replay = (...paths: string[]) => corridorWith({}, ['reference', 'replay', ...paths])
const at = (name: string) => join(folder, name)
const recorded = () => [
  ...[at('currency-api-1.json'), at('currency-api-2.json'), at('frankfurter-v2.json')],
  ...[`openexchangerates=${at('table.csv')}`, `ecb=${at('days.xml')}`],
]

describe('reference replay', () => {
  test('evaluates recorded responses day by day, and stores nothing', async () => {
    const { days, currencies, runs } = documentOf(await replay(...recorded(), '--json'))
    expect(days).toBe(2)
    const of = (code: string) =>
      currencies.find(({ currency }: { currency: string }) => currency === code)
    expect(of('KES')).toEqual({
      ...{ currency: 'KES', consensus: 2, single: 0, disputed: 0, held_back: 0 },
      ...{ dispersion_bps_max: 22.97, move_pct_max: 0.31, not_used: [] },
    })
    expect(of('GHS')).toMatchObject({ consensus: 2, not_used: ['currency-api'] })
    expect(of('ZAR')).toMatchObject({ single: 2, consensus: 0 })
    expect(runs[1].disputes).toEqual([
      {
        ...{ currency: 'GHS', basis: 'consensus' },
        not_used: [{ source: 'currency-api', perUsd: '0.15' }],
      },
    ])
    expect(runs[1].mids.GHS).toBe(15.075)
  })

  test('prints a table, one line for each currency', async () => {
    const { status, stdout } = await replay(...recorded())
    expect(status).toBe(0)
    expect(stdout).toMatch(/^2 runs, one a day/)
    expect(stdout).toMatch(/^GHS +2 +0 +0 +0 .*not used: currency-api$/m)
  })

  test.each([
    ['days.xml', 'the name says no feed; write FEED=FILE with one of open-er-api'],
    ['ecb=currency-api-1.json', 'ecb did not return complete XML'],
    ['ecb-missing.xml', 'there is no such file'],
  ])('describes what is wrong with %s', async (name, fault) => {
    const [feed, file] = name.includes('=') ? name.split('=') : [null, name]
    const { status, said } = await replay(feed ? `${feed}=${at(file!)}` : at(file!))
    expect([status, said.join()]).toEqual([1, expect.stringContaining(fault)])
  })
})
