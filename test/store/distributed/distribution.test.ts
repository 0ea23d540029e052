import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { forgetDistribution, isDistributed } from '~/store/distributed/distribution.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'

let database: FreshDatabase
let queries = 0

beforeAll(async () => {
  database = await freshDatabase({ onQuery: () => queries++ })
})
afterAll(() => database.close())

describe('isDistributed', () => {
  test('returns false without the extension, and queries once', async () => {
    expect(await isDistributed(database.sql)).toBe(false)
    const asked = queries
    expect(await isDistributed(database.sql)).toBe(false)
    expect(queries).toBe(asked)
  })

  test('queries again when the result was reset', async () => {
    await isDistributed(database.sql)
    const asked = queries
    forgetDistribution(database.sql)
    expect(await isDistributed(database.sql)).toBe(false)
    expect(queries).toBe(asked + 1)
  })

  test('queries again after a query that failed', async () => {
    const lost = await freshDatabase()
    await lost.close()
    await expect(isDistributed(lost.sql)).rejects.toThrow()
    await expect(isDistributed(lost.sql)).rejects.toThrow()
  })
})
