import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import { compareText } from '~/domain/rank.ts'
import { foundRows } from '~/store/day-references.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { answersOf } from '../support/days.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { databasesOfFile, NOW_MS, recordHistory, scannedTables } from './samples.ts'

const newDatabase = databasesOfFile()

const CODES = ['KES', 'NGN', 'USD', 'ZAR']

describe('referencesAt', () => {
  test('returns nothing without probes, and null without a reference', async () => {
    const store = createReferenceStore(await newDatabase())
    expect(await store.referencesAt([])).toEqual([])
    const probes = [
      { currency: 'KES', atMs: NOW_MS },
      { currency: 'USD', atMs: NOW_MS },
    ]
    expect(await store.referencesAt(probes)).toEqual(
      probes.map((probe) => ({ ...probe, reference: null })),
    )
  })

  test('agrees with plain sorting, and prefers the one recorded last at equal times', async () => {
    const store = createReferenceStore(await newDatabase())
    const all: Reference[] = []
    for (let i = 0; i < 40; i++)
      all.push(
        ...(await store.append({
          source: `feed-${i}`,
          fetchedMs: NOW_MS + ((i * 17) % 11) * 1000,
          rates: CODES.slice(0, 3)
            .filter((_, c) => (i + c) % 3 > 0)
            .map((currency) => ({ currency, perUsd: `${i + 1}` })),
        })),
      )
    const probes = fc.array(
      fc.record({
        currency: fc.constantFrom(...CODES),
        atMs: fc.integer({ min: -1, max: 11_001 }).map((ms) => NOW_MS + ms),
      }),
      { minLength: 1, maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(probes, async (asked) => {
        expect(await store.referencesAt(asked)).toEqual(answersOf(all, asked))
      }),
      { numRuns: 30 },
    )
    const many = Array.from({ length: 4001 }, (_, i) => ({
      currency: CODES[i % 4]!,
      atMs: NOW_MS - 500 + ((i * 7919) % 12_000),
    }))
    const byName = (answers: readonly ProbeAnswer[]) =>
      answers.toSorted((a, b) => a.atMs - b.atMs || compareText(a.currency, b.currency))
    const answers = await store.referencesAt(many)
    expect(byName(answers)).toEqual(byName(answersOf(all, many)))
  })

  test('accepts any number of probes, equal or not', async () => {
    const store = createReferenceStore(await newDatabase())
    const rates = [{ currency: 'KES', perUsd: '129' }]
    const [reference] = await store.append({ source: 'feed', fetchedMs: NOW_MS, rates })
    const probes = Array.from({ length: 20_001 }, (_, i) => ({
      currency: 'KES',
      atMs: NOW_MS - 10_000 + (i >> 1) * 2,
    }))
    const answers = await store.referencesAt(probes)
    expect(answers).toHaveLength(probes.length)
    const latest = answers.find(({ atMs }) => atMs === probes.at(-1)!.atMs)
    expect(latest!.reference).toEqual(reference!)
    expect(answers.filter((answer) => answer.reference)).toHaveLength(10_001)
  })
})

describe('the plan of referencesAt', () => {
  let database: FreshDatabase
  const probes = (count: number, ...codes: string[]): Probe[] =>
    Array.from({ length: count }, (_, i) => ({
      currency: codes[i % codes.length]!,
      atMs: Date.now() - i * HOUR_MS,
    }))
  const asked = [probes(2, 'C1'), probes(2000, 'C1', 'C2', 'C3'), probes(50, 'C1', 'USD')]

  beforeAll(async () => {
    database = await newDatabase()
    await recordHistory(database)
  })

  test('has no sequential scan of a history, before the tables have statistics', async () => {
    for (const some of asked)
      expect(await scannedTables(database, foundRows(database, some))).toEqual([])
  })

  test('has no sequential scan of a history once they have statistics', async () => {
    await database.sql`analyze reference_rates`
    await database.sql`analyze reference_snapshots`
    for (const some of asked)
      expect(await scannedTables(database, foundRows(database, some))).toEqual([])
  })
})
