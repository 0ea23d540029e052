import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Observation } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { importObservations } from '~/store/observation-import.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import {
  inArrays,
  NOW_MS,
  observation,
  otherHandle,
  stockedDatabase,
  untilWaiting,
} from './samples.ts'

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
  const rows = await database.sql<Observation[]>`
    select p.provider_id as "providerId", c.source as "from", c.target as "to", o.rate, o.fee,
      o.fee_currency as "feeCurrency", o.rate_type as "rateType", o.notes,
      (extract(epoch from o.effective_from) * 1000)::float8 as "effectiveMs"
    from observations o
    join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
    join corridors c on c.id = o.corridor_id
    order by o.id desc limit ${count}`
  return rows.map((row) => ({ ...row })).reverse()
}

describe('importObservations', () => {
  test('stores every field as it came, in order', async () => {
    const rows = [
      observation({ rate: '123456789012.345678', fee: '0.000000000000000001', feeCurrency: 'KES' }),
      observation({ notes: 'tab\tnewline\nreturn\rback\\slash "quoted", comma' }),
      observation({ notes: '\\N' }),
      observation({ notes: '\\.' }),
      observation({ notes: '' }),
      observation({ notes: 'NULL 😀 \u2028 \u0001' }),
      observation({ providerId: 'parallel-a', rateType: 'parallel', from: 'ZAR', to: 'USDT' }),
      observation({ effectiveMs: Date.parse('1999-12-31T23:59:59.999Z') }),
    ]
    expect(await importObservations({ database, rows: inArrays(rows, 3) })).toBe(rows.length)
    expect(await lastRows(rows.length)).toEqual(rows)
  })

  test('takes nothing, and empty arrays', async () => {
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

  test('takes more rows than one COPY and creates pairs on the way', async () => {
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

  test('records nothing and tells the reason when the server refuses a row', async () => {
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

  test('makes nobody wait who records a pair that it was the first to quote', async () => {
    const fresh = observation({ from: 'XOF', to: 'USDC' })
    const rows = (async function* () {
      yield [fresh]
      await createObservationStore(other).record({ observations: [fresh], idempotency: null })
      yield [fresh]
    })()
    expect(await importObservations({ database, rows })).toBe(2)
  })

  test('asks for no more rows while the server is not ready for them', async () => {
    let asked = 0
    const rows = (async function* () {
      while (asked < 50) {
        asked += 1
        yield [observation()]
      }
    })()
    let importing: Promise<number> | undefined
    await other.sql.begin(async (tx) => {
      await tx`lock table observations in share mode`
      importing = importObservations({ database, rows })
      await untilWaiting(database, 1)
      expect(asked).toBe(1)
    })
    expect(await importing).toBe(50)
  })

  test('keeps effective_from to the millisecond over the whole range', async () => {
    const times = [NOW_MS, 0, -1, Date.parse('0099-01-01T00:00:00.123Z'), 8.64e15 / 40]
    const rows = times.map((effectiveMs) => observation({ effectiveMs }))
    await importObservations({ database, rows: inArrays(rows) })
    expect((await lastRows(rows.length)).map(({ effectiveMs }) => effectiveMs)).toEqual(times)
  })
})
