import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { corridor, documentOf } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

let database: FreshDatabase
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  path = join(await scratchFolder(), 'reference.csv')
})
afterAll(() => database.close())

async function load(text: string) {
  await writeFile(path, text)
  return corridor(['reference', 'import', path, '--json'], database.url)
}

const HEADER = 'fetched_at,source,currency,per_usd'

describe('reference import', () => {
  test('records new rates, digit for digit, and nothing twice', async () => {
    const text =
      `${HEADER}\r\n2026-03-04,feed,KES,129.012345678901234\r\n` +
      '2026-03-04,feed,NGN,1500\r\n2026-03-05T10:00:00+01:00,feed,KES,129.1\r\n'
    expect(documentOf(await load(text))).toEqual({ snapshots: 2, rates: 3 })
    expect(documentOf(await load(text))).toEqual({ snapshots: 0, rates: 0 })
    const rows = await database.sql`
      select currency, per_usd::text, fetched_at::text from reference_rates
      order by fetched_at, currency`
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['KES', '129.012345678901234', '2026-03-04 00:00:00+00'],
      ['NGN', '1500', '2026-03-04 00:00:00+00'],
      ['KES', '129.1', '2026-03-05 09:00:00+00'],
    ])
  })

  test('a file with an invalid row is not imported, and its faults are listed by line', async () => {
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
    expect(documentOf(await load(`${HEADER}\n`))).toEqual({ snapshots: 0, rates: 0 })
  })
})
