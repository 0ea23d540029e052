import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { inArrays, observation, stockedDatabase } from '../store/samples.ts'
import { corridor, documentOf } from '../support/command.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
  const rows = [observation(), observation({ to: 'NGN' }), observation({ to: 'NGN', rate: '1' })]
  await importObservations({ database, rows: inArrays(rows) })
}, TEST_MS_MAX)
afterAll(() => database.close())

const run = (...args: string[]) => corridor(['rollups', ...args], database.url)

describe('rollups', () => {
  test('verify finds no error after recording', async () => {
    const result = { corridors: 2, differences: 0 }
    expect(documentOf(await run('verify', '--json'))).toEqual(result)
  })

  test('verify fails if an hour differs, and rebuild corrects it', async () => {
    await database.sql`update rollups set samples = 5 where samples = 2`
    await database.sql`delete from rollups where samples = 1`
    const failed = await run('verify', '--json')
    expect(failed.status).toBe(1)
    expect(JSON.parse(failed.stdout)).toEqual({ corridors: 2, differences: 2 })
    expect(failed.said.at(-1)).toContain('rollups rebuild')
    expect(documentOf(await run('rebuild', '--json'))).toEqual({ corridors: 2, repaired: 2 })
    expect((await run('verify')).status).toBe(0)
    expect(documentOf(await run('rebuild', '--json'))).toEqual({ corridors: 2, repaired: 0 })
  })
})
