import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Memory, type Publication } from '~/memory/memory.ts'
import { retentionJobs } from '~/runtime/service-jobs.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { inArrays, NOW_MS, observation, stockedDatabase } from '../store/samples.ts'
import { KeptLog } from '../support/log.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
  const rows = [2011, 2012, 2026].map((year) => observation({ effectiveMs: Date.UTC(year, 0) }))
  await importObservations({ database, rows: inArrays(rows) })
}, TEST_MS_MAX)
afterAll(() => database.close())

function jobsOf(retentionYears: number | null) {
  const publications: Publication[] = []
  const log = new KeptLog()
  const memory = new Memory((item) => void publications.push(item))
  const clock = { now: () => NOW_MS }
  const jobs = retentionJobs({ config: { retentionYears }, database, memory, clock, log })
  return { jobs, publications, log }
}

test('without RETENTION_YEARS there is no job', () => {
  expect(jobsOf(null).jobs).toEqual([])
})

test('RETENTION_YEARS prunes, drops cached responses about the past, and logs it once', async () => {
  const { jobs, publications, log } = jobsOf(5)
  await jobs[0]!.run()
  expect(publications).toEqual([{ isPastChanged: true }])
  expect(log.said).toEqual(['info: observations were pruned'])
  await jobs[0]!.run()
  expect(log.said).toHaveLength(1)
  expect(await database.sql`select from observations`).toHaveLength(2)
  expect([...(await database.sql`select actor from prunings`)]).toEqual([
    { actor: 'RETENTION_YEARS' },
  ])
})
