import { beforeAll, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { boundariesMs, hourStartMs } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import { newestFirst } from '~/domain/quote.ts'
import { valueAt } from '~/memory/trail.ts'
import { createReferenceStore, liveReferences } from '~/store/reference-store.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { databasesOfFile, NOW_MS, recordHistory, scannedTables } from './samples.ts'

const newDatabase = databasesOfFile()
const SINGLE = { basis: 'single', dispersionBps: null } as const

const sorted = (references: readonly Reference[]) => references.toSorted((a, b) => a.id - b.id)

describe('append', () => {
  test('returns the rates in their order, as between and live do afterwards', async () => {
    const store = createReferenceStore(await newDatabase())
    const added = await store.append({
      source: 'feed',
      fetchedMs: NOW_MS,
      rates: [
        { currency: 'NGN', perUsd: '1530.25' },
        { currency: 'KES', perUsd: '129.12345678901' },
      ],
    })
    const [first, last] = added
    expect(added).toEqual([
      { ...SINGLE, id: first!.id, atMs: NOW_MS, currency: 'NGN', perUsd: 1530.25, source: 'feed' },
      {
        ...SINGLE,
        id: first!.id + 1,
        atMs: NOW_MS,
        currency: 'KES',
        perUsd: 129.12345678901,
        source: 'feed',
      },
    ])
    expect(await store.between(first!.id, last!.id)).toEqual(added)
    expect(sorted(await store.live(NOW_MS))).toEqual(added)
  })

  test('stores every digit, in one snapshot', async () => {
    const database = await newDatabase()
    const perUsd = '123456789012.345678'
    await createReferenceStore(database).append({
      source: 'a"b\\c',
      fetchedMs: NOW_MS,
      rates: [{ currency: 'KES', perUsd }],
    })
    const rows = await database.sql`select r.per_usd, s.source, r.fetched_at = s.fetched_at as same
      from reference_rates r join reference_snapshots s on s.id = r.snapshot_id`
    expect([...rows]).toEqual([{ per_usd: perUsd, source: 'a"b\\c', same: true }])
  })

  test('records nothing for no rates', async () => {
    const database = await newDatabase()
    const store = createReferenceStore(database)
    expect(await store.append({ source: 'feed', fetchedMs: NOW_MS, rates: [] })).toEqual([])
    expect(await database.sql`select 1 from reference_snapshots`).toHaveLength(0)
  })

  test('records nothing when a rate is refused', async () => {
    const database = await newDatabase()
    const rates = [
      { currency: 'KES', perUsd: '129' },
      { currency: 'NGN', perUsd: 'x' },
    ]
    const append = createReferenceStore(database).append({
      source: 'f',
      fetchedMs: NOW_MS,
      rates,
    })
    await expect(append).rejects.toThrow()
    expect(await database.sql`select 1 from reference_snapshots`).toHaveLength(0)
  })
})

describe('live', () => {
  test('is empty without snapshots', async () => {
    expect(await createReferenceStore(await newDatabase()).live(NOW_MS)).toEqual([])
  })

  test('takes the one recorded last among equal times', async () => {
    const store = createReferenceStore(await newDatabase())
    for (const perUsd of ['1', '2'])
      await store.append({
        source: 'feed',
        fetchedMs: NOW_MS - 5 * HOUR_MS,
        rates: [{ currency: 'KES', perUsd }],
      })
    expect(await store.live(NOW_MS)).toMatchObject([{ perUsd: 2 }])
  })

  test('returns the reference of each currency in force at every boundary', async () => {
    const store = createReferenceStore(await newDatabase())
    const hourMs = hourStartMs(NOW_MS)
    const all: Reference[] = []
    for (let i = 0; i < 60; i++)
      all.push(
        ...(await store.append({
          source: i % 2 ? 'one' : 'two',
          fetchedMs: hourMs + (((i * 37) % 30) - 15) * 1_200_000 - (i % 3),
          rates: ['AOA', 'KES', 'ZMW']
            .filter((_, c) => (i + c) % 4 > 0)
            .map((currency) => ({ currency, perUsd: `${i + 1}` })),
        })),
      )
    for (let minutes = -360; minutes <= 360; minutes += 20) {
      const nowMs = hourMs + minutes * 60_000
      const held = new Set<Reference>()
      for (const references of Map.groupBy(all, ({ currency }) => currency).values())
        for (const cutoffMs of boundariesMs(nowMs)) {
          const reference = valueAt(references.toSorted(newestFirst), cutoffMs)
          if (reference) held.add(reference)
        }
      expect(sorted(await store.live(nowMs))).toEqual(sorted([...held]))
    }
  })
})

describe('the plan of live', () => {
  let database: FreshDatabase

  beforeAll(async () => {
    database = await newDatabase()
    await recordHistory(database)
  })

  test('has no sequential scan of a history, before the tables have statistics', async () => {
    expect(await createReferenceStore(database).live(NOW_MS)).not.toEqual([])
    expect(await scannedTables(database, liveReferences(database, NOW_MS))).toEqual([])
  })

  test('has no sequential scan of a history once they have statistics', async () => {
    await database.sql`analyze reference_rates`
    await database.sql`analyze reference_snapshots`
    expect(await scannedTables(database, liveReferences(database, NOW_MS))).toEqual([])
  })
})

describe('the reference tables', () => {
  test('refuse UPDATE, DELETE and TRUNCATE', async () => {
    const { sql } = await newDatabase()
    for (const table of ['reference_snapshots', 'reference_rates', 'reference_answers']) {
      await expect(sql`update ${sql(table)} set id = default`).rejects.toThrow('append-only')
      await expect(sql`delete from ${sql(table)}`).rejects.toThrow('append-only')
      await expect(sql`truncate ${sql(table)} cascade`).rejects.toThrow('append-only')
    }
  })
})
