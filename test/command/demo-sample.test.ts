import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { preparedDemo, sampleNotice } from '~/command/demo-sample.ts'
import { readDemoState, writeDemoState } from '~/command/demo-state.ts'
import { sampleEnd } from '~/sample/sample.ts'
import { clockAt } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const TODAY = '2026-11-22T09:30:00.000Z'
const NEXT_DAYS = '2026-11-24T00:00:00.000Z'

let database: FreshDatabase
let dataDir: string
const said: string[] = []
const startedAt = (now: string, folder = dataDir) =>
  preparedDemo({
    database,
    config: { dataDir: folder, publicUrl: null, host: '127.0.0.1', port: 3000 },
    clock: clockAt(now),
    say: (line) => void said.push(line),
  })

beforeAll(async () => {
  database = await freshDatabase()
  dataDir = await scratchFolder()
}, TEST_MS_MAX)
afterAll(() => database.close())

async function newest(): Promise<string> {
  const [row] = await database.sql`select max(effective_from) as at from observations`
  return new Date(row!.at).toISOString()
}

describe('preparedDemo', () => {
  test('moves the sample at the first start so that it ends today, and describes it', async () => {
    const state = await startedAt(TODAY)
    expect(state).toMatchObject({ sampleEnd, shiftDays: 54 })
    expect(await newest()).toBe('2026-11-22T00:00:00.000Z')
    expect(said.splice(0)).toEqual([expect.stringMatching(/^loaded \d+ observations and \d+ ref/)])
    expect(sampleNotice(state)).toStartWith(
      'sample data, every timestamp moved forward by 54 days: current prices are those that the ' +
        'World Bank surveyed from July to September 2025 for about 200 and 500 dollars between ' +
        'pairs of countries, its margins and fees put on the mids of',
    )
  })

  test('keeps data and keys at a later start, and says how old the sample is', async () => {
    const { accounts } = (await readDemoState(dataDir))!
    expect(await startedAt(NEXT_DAYS)).toEqual({ sampleEnd, shiftDays: 54, accounts })
    expect(await newest()).toBe('2026-11-22T00:00:00.000Z')
    const anew = `for a current one remove ${dataDir} and start again`
    expect(said.splice(0)).toEqual([`the sample ends 2 days before today; ${anew}`])
  })

  test('keeps data that an earlier version loaded, and says that it is another sample', async () => {
    const { accounts } = (await readDemoState(dataDir))!
    await writeDemoState(dataDir, { shiftDays: 443, accounts })
    const state = await startedAt(NEXT_DAYS)
    expect(state).toEqual({ shiftDays: 443, accounts })
    expect(await newest()).toBe('2026-11-22T00:00:00.000Z')
    expect(said.splice(0)).toEqual([
      expect.stringMatching(/^the sample is that of an earlier version; for a current one remove /),
    ])
    const moved = 'every timestamp moved forward by 443 days'
    expect(sampleNotice(state)).toBe(`sample data of an earlier version, ${moved}`)
  })

  test('moves the sample again if the state has no data', async () => {
    const other = await freshDatabase()
    const folder = join(dataDir, 'other')
    await writeDemoState(folder, { shiftDays: 443, accounts: [] })
    const config = { dataDir: folder, publicUrl: null, host: '127.0.0.1', port: 3000 }
    const clock = clockAt(NEXT_DAYS)
    const state = await preparedDemo({ database: other, config, clock, say() {} })
    expect(state).toMatchObject({ sampleEnd, shiftDays: 56 })
    await other.close()
  })
})
