import { beforeAll, describe, expect, test } from 'bun:test'
import { createArchiveStore } from '~/store/archive/archive-store.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, stockedDatabase } from '../samples.ts'
import { randomAsk } from './questions.ts'
import { archive, CLOSED_MS, dice, digestOf, fill, rowsIn } from './world.ts'

const newDatabase = databasesOfFile(stockedDatabase)
const ROWS = 3000
const QUESTIONS = Number(process.env.TEST_ARCHIVE_QUESTIONS ?? 150)

describe('an archive of months', () => {
  let database: FreshDatabase
  let digest = ''

  beforeAll(async () => {
    database = await newDatabase()
    await fill(database, { rows: ROWS, seed: 7 })
    digest = await digestOf(database)
  })

  test('answers every request as the rows do, and gives them back', async () => {
    const roll = dice(Number(process.env.TEST_SEED ?? 11))
    const asks = Array.from({ length: QUESTIONS }, () => randomAsk(roll))
    const before: unknown[] = []
    for (const ask of asks) before.push(await ask(database))
    const { rows } = await rowsIn(database)
    const done = await archive(database)
    expect(done).toEqual({ months: 3, unsealed: 0, observations: expect.any(Number) })
    const now = await rowsIn(database)
    expect(now).toEqual({ rows: rows - done!.observations, archived: done!.observations })
    expect(now.archived).toBeGreaterThan(rows / 2)
    for (const [nth, ask] of asks.entries()) {
      const after = await ask(database)
      expect({ nth, said: after }).toEqual({ nth, said: before[nth] })
    }
    expect(await createArchiveStore(database).unarchive(CLOSED_MS)).toBe(done!.observations)
    expect(await rowsIn(database)).toEqual({ rows, archived: 0 })
    expect(await digestOf(database)).toBe(digest)
  })
})
