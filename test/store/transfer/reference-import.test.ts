import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { ReferenceRow } from '~/domain/mid.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { inArrays, NOW_MS, otherHandle } from '../samples.ts'

let database: FreshDatabase
let sources = 0
let source: string

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())
beforeEach(() => {
  source = `feed-${++sources}`
})

const row = (currency: string, perUsd: string, more: Partial<ReferenceRow> = {}): ReferenceRow => ({
  fetchedMs: NOW_MS,
  source,
  currency,
  perUsd,
  ...more,
})

const run = (rows: readonly ReferenceRow[], handle = database) =>
  importReferences({ database: handle, rows: inArrays(rows) })

const stored = async () => [
  ...(await database.sql`
    select r.currency, r.per_usd, r.fetched_at = s.fetched_at as same
    from reference_rates r join reference_snapshots s on s.id = r.snapshot_id
    where s.source = ${source} order by r.id`),
]

describe('importReferences', () => {
  test('groups rates by time and source', async () => {
    const rows = [
      row('KES', '129.123456789012345678'),
      row('NGN', '1530'),
      row('KES', '128', { fetchedMs: NOW_MS - DAY_MS }),
      row('NGN', '1531', { source: `${source}-b` }),
    ]
    expect(await run(rows)).toEqual({ snapshots: 3, rates: 4 })
    expect(await stored()).toEqual([
      { currency: 'KES', per_usd: '128', same: true },
      { currency: 'KES', per_usd: '129.123456789012345678', same: true },
      { currency: 'NGN', per_usd: '1530', same: true },
    ])
  })

  test('adds nothing without rows', async () => {
    expect(await run([])).toEqual({ snapshots: 0, rates: 0 })
  })

  test('adds nothing for the same rows again, in another notation or order', async () => {
    const rows = [row('KES', '129'), row('NGN', '1530'), row('UGX', '3700')]
    await run(rows)
    expect(await run(rows.toReversed())).toEqual({ snapshots: 0, rates: 0 })
    expect(await run([row('KES', '129.00')])).toEqual({ snapshots: 0, rates: 0 })
  })

  test('adds only new currencies', async () => {
    await run([row('KES', '129')])
    expect(await run([row('KES', '129'), row('NGN', '1530')])).toEqual({ snapshots: 1, rates: 1 })
  })

  test('records another value as a correction in force from then on', async () => {
    await run([row('KES', '129'), row('NGN', '1530')])
    expect(await run([row('KES', '130')])).toEqual({ snapshots: 1, rates: 1 })
    expect(await run([row('KES', '130')])).toEqual({ snapshots: 0, rates: 0 })
    expect(await run([row('KES', '129')])).toEqual({ snapshots: 1, rates: 1 })
    expect((await stored()).map((rate) => rate.per_usd)).toEqual(['129', '1530', '130', '129'])
    const live = await createReferenceStore(database).live(NOW_MS + DAY_MS)
    expect(live.find(({ currency }) => currency === 'KES')).toMatchObject({ perUsd: 129, source })
  })

  test('uses the last of several values for one currency', async () => {
    const rows = [row('KES', '1'), row('KES', '3'), row('KES', '2')]
    expect(await run(rows)).toEqual({ snapshots: 1, rates: 1 })
    expect(await run(rows)).toEqual({ snapshots: 0, rates: 0 })
    expect((await stored()).map((rate) => rate.per_usd)).toEqual(['2'])
  })

  test('skips rates that a fetch has recorded', async () => {
    const rates = [{ currency: 'KES', perUsd: '129' }]
    await createReferenceStore(database).append({ source, fetchedMs: NOW_MS, rates })
    expect(await run([row('KES', '129')])).toEqual({ snapshots: 0, rates: 0 })
  })

  test('records nothing when the rows throw or one is refused', async () => {
    const broken = (async function* () {
      yield [row('KES', '129')]
      throw new Error('broken')
    })()
    await expect(importReferences({ database, rows: broken })).rejects.toThrow('broken')
    await expect(run([row('KES', '129'), row('NGN', 'x')])).rejects.toThrow('numeric')
    expect(await stored()).toEqual([])
    expect(await run([row('KES', '129')])).toEqual({ snapshots: 1, rates: 1 })
  })

  test('adds a file once when two processes import it at once', async () => {
    const other = otherHandle(database)
    const rows = Array.from({ length: 500 }, (_, i) =>
      row('KES', `${i + 1}`, { fetchedMs: NOW_MS - i * DAY_MS }),
    )
    const results = await Promise.all([
      run(rows),
      importReferences({ database: other, rows: inArrays(rows) }),
    ])
    expect(results.map(({ rates }) => rates).sort()).toEqual([0, 500])
    await other.close()
  })

  test('can run twice over one connection', async () => {
    const other = otherHandle(database)
    await other.sql.reserve().then((reserved) => reserved.release())
    for (const perUsd of ['1', '2'])
      expect(
        await importReferences({ database: other, rows: inArrays([row('KES', perUsd)]) }),
      ).toEqual({ snapshots: 1, rates: 1 })
    await other.close()
  })
})
