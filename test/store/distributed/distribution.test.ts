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
  test('says no without the extension, and asks once', async () => {
    expect(await isDistributed(database.sql)).toBe(false)
    const asked = queries
    expect(await isDistributed(database.sql)).toBe(false)
    expect(queries).toBe(asked)
  })

  test('asks again when it was forgotten', async () => {
    await isDistributed(database.sql)
    const asked = queries
    forgetDistribution(database.sql)
    expect(await isDistributed(database.sql)).toBe(false)
    expect(queries).toBe(asked + 1)
  })

  test('asks again after an asking that failed', async () => {
    const lost = await freshDatabase()
    await lost.close()
    await expect(isDistributed(lost.sql)).rejects.toThrow()
    await expect(isDistributed(lost.sql)).rejects.toThrow()
  })
})
