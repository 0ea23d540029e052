import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { inArrays, observation, stockedDatabase } from '../store/samples.ts'
import { BARE_ENV, ROOT } from '../support/child.ts'
import { corridorProcess } from '../support/command.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

const BAR = /[█░]+ +\d+% of \d/
const OLD_MS = Date.UTC(2011, 5)

let database: FreshDatabase
let empty: FreshDatabase
let file: string

beforeAll(async () => {
  database = await stockedDatabase()
  empty = await freshDatabase()
  file = join(await scratchFolder(), 'backup')
  const old = Array.from({ length: 5000 }, (_, i) => observation({ effectiveMs: OLD_MS + i }))
  await importObservations({ database, rows: inArrays([...old, observation()]) })
}, 120_000)
afterAll(async () => {
  await database.close()
  await empty.close()
})

/** Returns a command's output on a terminal. */
async function seen(args: readonly string[], { url }: FreshDatabase): Promise<string> {
  let shown = ''
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), ...args], {
    env: { ...BARE_ENV, DATABASE_URL: url },
    terminal: {
      cols: 120,
      data(_terminal, bytes) {
        shown += new TextDecoder().decode(bytes)
      },
    },
  })
  expect(await child.exited).toBe(0)
  child.terminal!.close()
  return shown
}

describe('progress on a terminal', () => {
  test.each([
    ['backup', () => ['backup', file], 'tables written'],
    ['restore', () => ['restore', file], 'rows restored'],
    ['rollups verify', () => ['rollups', 'verify'], '0 hours differ'],
    ['rollups rebuild', () => ['rollups', 'rebuild'], '0 hours repaired'],
    ['observations prune', () => ['observations', 'prune', '--older-than', '5y'], ' deleted'],
  ])('%s', async (name, args, done) => {
    const shown = await seen(args(), name === 'restore' ? empty : database)
    expect(shown).toMatch(BAR)
    expect(shown).toContain(done)
  })
})

describe('only the result anywhere else', () => {
  test.each([
    ['backup', ['backup', '-']],
    ['rollups verify', ['rollups', 'verify']],
    ['observations prune', ['observations', 'prune', '--older-than', '5y', '--dry-run']],
  ])('%s', async (_name, args) => {
    const { status, said } = await corridorProcess(args, { databaseUrl: database.url })
    expect(status).toBe(0)
    expect(said.join()).not.toMatch(BAR)
  })
})

describe('withHeartbeat', () => {
  test('prints now and then that work continues, until it is done', async () => {
    const { promise: work, resolve } = Promise.withResolvers<string>()
    const said: string[] = []
    const say = (line: string) => {
      said.push(line)
      if (said.length === 2) resolve('done')
    }
    const waiting = { what: 'loading memory', say, everyMs: 10 }
    expect(await withHeartbeat(waiting, () => work)).toBe('done')
    expect(said).toEqual(Array(2).fill('still loading memory, for 0 s now'))
  })

  test('prints nothing for short work, and passes its failure on', async () => {
    const said: string[] = []
    const waiting = { what: 'loading', say: (line: string) => void said.push(line) }
    const failure = withHeartbeat(waiting, () => Promise.reject(new Error('no')))
    expect(await failure.catch(({ message }) => message)).toBe('no')
    expect(said).toEqual([])
  })
})
