import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { currency } from '../../support/catalogue.ts'
import { corridor, documentOf } from '../../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { scratchFolder } from '../../support/scratch.ts'

let database: FreshDatabase
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const currencies = [
    ...['GHS', 'KES', 'NGN', 'USD'].map((code) => currency(code)),
    currency('SLL', { isActive: false }),
    currency('USDT', { kind: 'stablecoin' }),
  ]
  await createCatalogueStore(database).apply({ currencies, providers: [] })
  path = join(await scratchFolder(), 'reference.csv')
})
afterAll(() => database.close())

async function load(text: string) {
  await writeFile(path, text)
  return corridor(['reference', 'import', path, '--json'], database.url)
}

const HEADER = 'fetched_at,source,currency,per_usd'

const NOTHING = { snapshots: 0, rates: 0, rows_left_out: 0, left_out: [] }

describe('reference import', () => {
  test('records new rates, digit for digit, and nothing twice', async () => {
    const text =
      `${HEADER}\r\n2026-03-04,feed,KES,129.012345678901234\r\n` +
      '2026-03-04,feed,NGN,1500\r\n2026-03-05T10:00:00+01:00,feed,KES,129.1\r\n'
    expect(documentOf(await load(text))).toEqual({ ...NOTHING, snapshots: 2, rates: 3 })
    expect(documentOf(await load(text))).toEqual(NOTHING)
    const rows = await database.sql`
      select currency, per_usd::text, fetched_at::text from reference_rates
      order by fetched_at, currency`
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['KES', '129.012345678901234', '2026-03-04 00:00:00+00'],
      ['NGN', '1500', '2026-03-04 00:00:00+00'],
      ['KES', '129.1', '2026-03-05 09:00:00+00'],
    ])
  })

  test('leaves out and names rows without a currency of the catalogue with mids', async () => {
    const rows = ['SLL', 'USDT', 'KSH', 'BTC', 'KSH', 'USD']
    const lines = rows.map((code, i) => `2026-03-0${i + 1},other,${code},1`)
    const text = `${HEADER}\n${lines.join('\n')}\n`
    expect(documentOf(await load(text))).toEqual({
      ...{ snapshots: 2, rates: 2 },
      ...{ rows_left_out: 4, left_out: ['BTC', 'KSH', 'USDT'] },
    })
    const { stdout } = await corridor(['reference', 'import', path], database.url)
    expect(stdout).toBe(
      'rates added: 0, in snapshots: 0\n' +
        'rows left out: 4, of currencies that the catalogue lacks or has as stablecoins: ' +
        'BTC, KSH, USDT\n',
    )
    const kept = await database.sql`
      select currency from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
      where s.source = 'other' order by currency`
    expect(kept.map((row) => row.currency)).toEqual(['SLL', 'USD'])
  })

  test('names twenty currencies that it left out, and says that there are more', async () => {
    const codes = Array.from({ length: 21 }, (_, i) => `ZZ${String.fromCharCode(65 + i)}`)
    await load(`${HEADER}\n${codes.map((code) => `2026-03-01,f,${code},1`).join('\n')}\n`)
    const { stdout } = await corridor(['reference', 'import', path], database.url)
    expect(stdout).toContain('rows left out: 21, ')
    expect(stdout).toEndWith(`: ${codes.slice(0, 20).join(', ')} and others\n`)
  })

  test('does not import a file with an invalid row, and lists its errors by line', async () => {
    const [before] = await database.sql`select count(*) from reference_rates`
    const { status, stdout, said } = await load(
      `${HEADER}\n2020-01-01,feed,GHS,5.7\n2020-01-01,feed,GHS,0\n\n2999-01-01,feed,GHS,5.7\n`,
    )
    expect([status, stdout]).toEqual([1, ''])
    expect(said).toEqual([
      'line 3: per_usd must be a number between 1e-12 and 1000000000000',
      'line 5: fetched_at must not be in the future',
      'corridor: nothing was imported: 2 rows are invalid; correct the file and import it again',
    ])
    const [after] = await database.sql`select count(*) from reference_rates`
    expect(after).toEqual(before!)
  })

  test('a file without the columns, or an empty one, is a failure in one line', async () => {
    expect(await load('fetched_at,source\n')).toEqual({
      status: 1,
      stdout: '',
      said: [`corridor: ${path}: line 1, the header, lacks currency, per_usd`],
    })
    expect((await load('')).status).toBe(1)
    expect(documentOf(await load(`${HEADER}\n`))).toEqual(NOTHING)
  })
})
