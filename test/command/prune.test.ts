import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { systemClock } from '~/clock.ts'
import { keptFromMs } from '~/jobs/prune-observations.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { inArrays, observation, stockedDatabase } from '../store/samples.ts'
import { corridor, documentOf } from '../support/command.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
  const years = [2011, 2012, 2013, 2014].map((year) => Date.UTC(year, 5))
  const rows = [...years, systemClock.now()].map((effectiveMs) => observation({ effectiveMs }))
  await importObservations({ database, rows: inArrays(rows) })
}, TEST_MS_MAX)
afterAll(() => database.close())

const prune = (...args: string[]) => corridor(['observations', 'prune', ...args], database.url)

const count = async () => (await database.sql`select from observations`).count

describe('observations prune', () => {
  test('refuses an invalid age, and does nothing without one', async () => {
    for (const age of ['0y', '5', '101y', '-1y', '1.5y', '6m']) {
      const { status, said } = await prune('--older-than', age)
      expect([age, status]).toEqual([age, 2])
      expect(said.join()).toContain('1y to 100y')
    }
    expect((await prune()).status).toBe(2)
    expect(await count()).toBe(5)
  })

  test('with --dry-run prints how many it would delete, and deletes none', async () => {
    const limit = () => new Date(keptFromMs(systemClock.now(), 5)).toISOString()
    const earliest = limit()
    const { before, ...rest } = documentOf(await prune('--older-than', '5y', '--dry-run', '--json'))
    expect(rest).toEqual({ prunable: 3 })
    expect([earliest, limit()]).toContain(before)
    expect(await count()).toBe(5)
  })

  test('fails while another process prunes', async () => {
    const { status, said } = (await createRetentionStore(database).once(() =>
      prune('--older-than', '5y'),
    ))!
    expect(status).toBe(1)
    expect(said.at(-1)).toContain('another process is pruning')
    expect(await count()).toBe(5)
  })

  test('deletes observations, keeps the roll-ups right, and is listed among the prunings', async () => {
    expect(documentOf(await prune('--older-than', '5y', '--json'))).toMatchObject({ pruned: 3 })
    expect(await count()).toBe(2)
    expect(documentOf(await prune('--older-than', '5y', '--json'))).toMatchObject({ pruned: 0 })
    for (const command of ['verify', 'rebuild', 'verify']) {
      const done = await corridor(['rollups', command, '--json'], database.url)
      expect(Object.values(documentOf(done))).toEqual([1, 0])
    }
    const [rolled] = await database.sql`select sum(samples)::int as samples from rollups`
    expect(rolled).toEqual({ samples: 5 })
    const prunings = await database.sql`select actor, observations from prunings`
    expect([...prunings]).toEqual([{ actor: 'command line', observations: 3 }])
  })
})
