import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Observation } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { COMPARED, recordNew } from '~/store/observation-target.ts'
import { type OfferRow, offerColumns, offerOf, withOffer } from '~/store/offer/offer-row.ts'
import { importNewObservations, importObservations } from '~/store/transfer/observation-import.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { FULL_OFFER, offer } from '../../support/offers.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import {
  inArrays,
  NOW_MS,
  observation,
  otherHandle,
  stockedDatabase,
  untilWaiting,
} from '../samples.ts'

let database: FreshDatabase
let other: Database

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
})
afterAll(async () => {
  await other.close()
  await database.close()
})

async function rowCount(): Promise<number> {
  const [row] = await database.sql`select count(*)::int as count from observations`
  return row!.count
}

async function lastRows(count: number): Promise<Observation[]> {
  const rows = await database.sql<(Observation & OfferRow)[]>`
    select p.provider_id as "providerId", c.source as "from", c.target as "to", o.rate, o.fee,
      o.fee_currency as "feeCurrency", o.rate_type as "rateType", o.notes,
      coalesce(o.evidence, 'observed') as evidence,
      (extract(epoch from o.effective_from) * 1000)::float8 as "effectiveMs",
      ${offerColumns(database.sql)}
    from observations o
    join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
    join corridors c on c.id = o.corridor_id
    ${withOffer(database.sql, database.sql`o.corridor_id`)}
    order by o.id desc limit ${count}`
  return rows.map(observationOf).reverse()
}

function observationOf(row: Observation & OfferRow): Observation {
  const { offer_key, fee_percent, delivery_min, delivery_max, valid_until_ms, ...said } = row
  return { ...said, offer: offerOf(row) }
}

describe('importObservations', () => {
  test('stores every field unchanged, in order', async () => {
    const rows = [
      observation({ rate: '123456789012.345678', fee: '0.000000000000000001', feeCurrency: 'KES' }),
      observation({ notes: 'tab\tnewline\nreturn\rback\\slash "quoted", comma' }),
      observation({ notes: '\\N' }),
      observation({ notes: '\\.' }),
      observation({ notes: '', evidence: 'derived' }),
      observation({ notes: 'NULL 😀 \u2028 \u0001' }),
      observation({ providerId: 'parallel-a', rateType: 'parallel', from: 'ZAR', to: 'USDT' }),
      observation({ effectiveMs: Date.parse('1999-12-31T23:59:59.999Z') }),
      observation({ offer: offer({ sourceCountry: 'US', payOut: ['cash', 'mobile_money'] }) }),
      observation({ offer: offer({ ...FULL_OFFER, service: 'tab\t"quoted" \\N' }) }),
      observation({ offer: offer({ feePercent: 1.25, validUntilMs: NOW_MS + 1 }) }),
    ]
    expect(await importObservations({ database, rows: inArrays(rows, 3) })).toBe(rows.length)
    expect(await lastRows(rows.length)).toEqual(rows)
  })

  test('accepts no rows, and empty arrays', async () => {
    const before = await rowCount()
    expect(await importObservations({ database, rows: inArrays([]) })).toBe(0)
    const empty = (async function* () {
      yield []
      yield [observation()]
      yield []
    })()
    expect(await importObservations({ database, rows: empty })).toBe(1)
    expect(await rowCount()).toBe(before + 1)
  })

  test('accepts more rows than one COPY and creates pairs on the way', async () => {
    const codes = CURRENCIES.map(({ code }) => code)
    const total = 55_000
    const rows = (async function* () {
      for (let start = 0; start < total; start += 5000)
        yield Array.from({ length: 5000 }, (_, i) => {
          const pair = Math.floor((start + i) / 250)
          const from = codes[pair % codes.length]!
          const to = codes[(pair + 1 + (pair % 7)) % codes.length]!
          const { id: providerId, rateType } = PROVIDERS[pair % PROVIDERS.length]!
          return observation({ from, to, providerId, rateType, rate: `${start + i + 1}` })
        })
    })()
    const before = await rowCount()
    expect(await importObservations({ database, rows })).toBe(total)
    expect(await rowCount()).toBe(before + total)
    expect((await lastRows(1))[0]?.rate).toBe(String(total))
  })

  test('records nothing when the rows throw, at the start, midway or between two COPYs', async () => {
    const before = await rowCount()
    for (const good of [0, 1500, 50_000]) {
      const rows = (async function* () {
        if (good > 0) yield Array.from({ length: good }, () => observation())
        throw new Error(`broken after ${good}`)
      })()
      await expect(importObservations({ database, rows })).rejects.toThrow(`broken after ${good}`)
    }
    expect(await rowCount()).toBe(before)
    expect(await importObservations({ database, rows: inArrays([observation()]) })).toBe(1)
  })

  test('records nothing and returns the reason when the server refuses a row', async () => {
    const before = await rowCount()
    const refusals: [Partial<Observation>, string][] = [
      [{ notes: 'a\0b' }, '0x00'],
      [{ rate: 'abc' }, 'numeric'],
      [{ rateType: 'none' as 'retail' }, 'rate_type'],
      [{ providerId: 'nobody' }, 'foreign key'],
      [{ to: 'QQQ' }, 'foreign key'],
    ]
    for (const [refused, reason] of refusals)
      for (const place of [0, 2499]) {
        const all = Array.from({ length: 2500 }, (_, i) => observation(i === place ? refused : {}))
        await expect(importObservations({ database, rows: inArrays(all, 2500) })).rejects.toThrow(
          reason,
        )
      }
    expect(await rowCount()).toBe(before)
  })

  test('does not block others who record a pair that it was the first to quote', async () => {
    const fresh = observation({ from: 'XOF', to: 'USDC' })
    const rows = (async function* () {
      yield [fresh]
      await createObservationStore(other).record({ observations: [fresh], idempotency: null })
      yield [fresh]
    })()
    expect(await importObservations({ database, rows })).toBe(2)
  })

  test('reads no more rows while the server is not ready for them', async () => {
    let asked = 0
    const looked = Array.from({ length: 10_000 }, () => observation())
    await importObservations({ database, rows: inArrays(looked) })
    const rows = (async function* () {
      while (asked < 50) {
        asked += 1
        yield asked === 1 ? looked : [observation()]
      }
    })()
    let importing: Promise<number> | undefined
    await other.sql.begin(async (tx) => {
      await tx`lock table observations in share mode`
      importing = importObservations({ database, rows })
      await untilWaiting(database, 1)
      expect(asked).toBe(1)
    })
    expect(await importing).toBe(looked.length + 49)
  })

  test('keeps effective_from to the millisecond over the whole range', async () => {
    const times = [NOW_MS, 0, -1, Date.parse('0099-01-01T00:00:00.123Z'), 8.64e15 / 40]
    const rows = times.map((effectiveMs) => observation({ effectiveMs }))
    await importObservations({ database, rows: inArrays(rows) })
    expect((await lastRows(rows.length)).map(({ effectiveMs }) => effectiveMs)).toEqual(times)
  })
})

describe('importNewObservations', () => {
  const AT_MS = NOW_MS - 86_400_000
  /** Rows that all differ. */
  const DIFFERENT = [
    observation({ effectiveMs: AT_MS }),
    observation({ effectiveMs: AT_MS + 1 }),
    observation({ effectiveMs: AT_MS, rate: '129.500000000000001' }),
    observation({ effectiveMs: AT_MS, fee: '0', feeCurrency: 'USD' }),
    observation({ effectiveMs: AT_MS, fee: '1', feeCurrency: 'USD' }),
    observation({ effectiveMs: AT_MS, fee: '1', feeCurrency: 'KES' }),
    observation({ effectiveMs: AT_MS, feeCurrency: 'KES' }),
    observation({ effectiveMs: AT_MS, evidence: 'derived' }),
    observation({ effectiveMs: AT_MS, evidence: 'indicative' }),
    observation({ effectiveMs: AT_MS, to: 'NGN' }),
    observation({ effectiveMs: AT_MS, providerId: 'p2p-a', rateType: 'p2p' }),
  ]

  const load = (rows: readonly Observation[]) =>
    importNewObservations({ database, rows: inArrays(rows, 4) })

  test('records rows that differ in any field of a price once, in their order', async () => {
    expect(await load(DIFFERENT)).toEqual({ inserted: DIFFERENT.length, skipped: 0 })
    expect(await lastRows(DIFFERENT.length)).toEqual(DIFFERENT)
    const before = await rowCount()
    expect(await load(DIFFERENT)).toEqual({ inserted: 0, skipped: DIFFERENT.length })
    expect(await load([])).toEqual({ inserted: 0, skipped: 0 })
    expect(await rowCount()).toBe(before)
  })

  test('recognises the same price in any notation, and with any notes', async () => {
    const [row] = DIFFERENT as [Observation]
    for (const other of [{ rate: '129.50' }, { rate: '1.295e2' }, { notes: 'again' }])
      expect(await load([{ ...row, ...other }])).toEqual({ inserted: 0, skipped: 1 })
  })

  test('records the first of equal rows in one file', async () => {
    const rates = ['7', '8', '7.0', '9', '8', '7'].map((rate, i) =>
      observation({ effectiveMs: AT_MS + 2, rate, notes: `row ${i}` }),
    )
    expect(await load(rates)).toEqual({ inserted: 3, skipped: 3 })
    const recorded = await lastRows(3)
    expect(recorded.map(({ rate, notes }) => [rate, notes])).toEqual([
      ['7', 'row 0'],
      ['8', 'row 1'],
      ['9', 'row 3'],
    ])
  })

  test('finds rows of an earlier COPY, and rows that were recorded one by one', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) =>
      observation({ effectiveMs: AT_MS - 1000 * (i % 52_000) - 1000, rate: '5' }),
    )
    const recorded = { ...rows[51_999]!, notes: 'posted' }
    const store = createObservationStore(database)
    await store.record({ observations: [recorded], idempotency: null })
    expect(await load(rows)).toEqual({ inserted: 51_999, skipped: 8001 })
    await store.record({ observations: [recorded], idempotency: null })
    const sums = await database.sql<{ kept: string; seen: string }[]>`
      select (select sum(samples) from rollups) as kept,
        (select count(*) from observations) as seen`
    expect(sums[0]!.kept).toBe(sums[0]!.seen)
  })

  test('finds repeated rows anywhere in a file, and keeps its order', async () => {
    const at = (i: number, more: Partial<Observation> = {}) =>
      observation({ effectiveMs: AT_MS + 10_000 + i, to: 'NGN', rate: `${i + 1}`, ...more })
    await load([at(1000)])
    const newer = Array.from({ length: 2500 }, (_, i) => at(1001 + i))
    const older = Array.from({ length: 2500 }, (_, i) => at(999 - (i % 1000)))
    const rows = [...newer, ...older, at(1000), at(4000), ...newer, at(4001), at(4000)]
    const before = await rowCount()
    expect(await importNewObservations({ database, rows: inArrays(rows, 700) })).toEqual({
      inserted: 2500 + 1000 + 2,
      skipped: 1500 + 1 + 2500 + 1,
    })
    expect(await rowCount()).toBe(before + 3502)
    const expected = [...newer, ...older.slice(0, 1000), at(4000), at(4001)]
    expect(await lastRows(3502)).toEqual(expected)
  })

  test('records a file once when two processes import it at the same time', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) =>
      observation({ effectiveMs: AT_MS - i, rate: '6' }),
    )
    const results = await Promise.all(
      [database, other].map((one) =>
        importNewObservations({ database: one, rows: inArrays(rows, 100) }),
      ),
    )
    expect(results.map(({ inserted }) => inserted).toSorted((a, b) => a - b)).toEqual([0, 3000])
  })

  test('records nothing when the rows throw or the server refuses one', async () => {
    const before = await rowCount()
    const rows = (async function* () {
      yield [observation({ rate: '99' })]
      throw new Error('broken')
    })()
    await expect(importNewObservations({ database, rows })).rejects.toThrow('broken')
    const refused = [observation({ rate: '99' }), observation({ rate: 'abc' })]
    await expect(load(refused)).rejects.toThrow('numeric')
    expect(await rowCount()).toBe(before)
  })

  test('looks rows up by their series and time, in their months alone', async () => {
    const plan = await database.sql.begin(async (tx) => {
      await COMPARED.prepare(tx)
      const rows = await tx.unsafe(`explain ${recordNew("between '2020-01-01' and '2020-02-01'")}`)
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n')
    })
    expect(plan).toMatch(/Index Scan using early_as_of on early recorded/)
    expect(plan).not.toMatch(/Seq Scan on early/)
    expect(plan).not.toMatch(/ on m2/)
  })
})
