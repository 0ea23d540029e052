import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, openSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BARE_ENV } from '../support/child.ts'
import { cleanUp, endProcesses, preparedDataDir, serverPid } from '../support/embedded-process.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

/** A data directory with a database that each test leaves stopped. */
let base: string

setDefaultTimeout(TEST_MS_MAX)
beforeAll(async () => {
  base = await preparedDataDir()
})
afterEach(endProcesses, TEST_MS_MAX)
afterAll(cleanUp, TEST_MS_MAX)

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** A command on its own embedded database whose input never ends. */
async function begun(args: string[], cwd?: string) {
  const dataDir = args[0] === 'demo' ? join(base, 'demo') : base
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    ...(cwd && { cwd }),
    env: { ...BARE_ENV, DATA_DIR: base, PORT: '0', REFERENCE_FEED: 'none' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  await until('the database', async () => (await serverPid(dataDir)) !== null)
  const said = new Response(child.stderr).text()
  return { child, dataDir, said }
}

describe('a command whose result cannot be written', () => {
  test('says so and ends with 1', async () => {
    const unwritable = openSync(MAIN, 'r')
    const child = Bun.spawn([process.execPath, MAIN, 'account', 'list'], {
      env: { ...BARE_ENV, DATA_DIR: base },
      stdout: unwritable,
      stderr: 'pipe',
    })
    expect(await child.exited).toBe(1)
    closeSync(unwritable)
    expect(await new Response(child.stderr).text()).toContain('its result cannot be written')
  })
})

describe('a command that a signal ends', () => {
  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s: it stops its database, says so, and ends with %i', async (signal, status) => {
    const { child, dataDir, said } = await begun(['observations', 'import', '-'])
    child.kill(signal)
    expect(await child.exited).toBe(status)
    expect((await said).trim().split('\n').at(-1)).toBe(
      `corridor: stopped by ${signal} before it was done`,
    )
    expect(await serverPid(dataDir)).toBeNull()
  })

  test.each([
    ['serve', 0],
    ['demo', 0],
  ] as const)(
    '%s while it starts: it stops its database and ends with %i',
    async (command, status) => {
      const { child, dataDir } = await begun([command])
      child.kill('SIGTERM')
      expect(await child.exited).toBe(status)
      expect(await serverPid(dataDir)).toBeNull()
    },
  )

  test('leaves no part of a file behind', async () => {
    const folder = await scratchFolder()
    const { child, dataDir } = await begun(
      ['observations', 'import', '-', '--skip-invalid'],
      folder,
    )
    child.stdin.write(`provider_id,from,to,rate\n${'nobody,USD,KES,1\n'.repeat(100_000)}`)
    await child.stdin.flush()
    await until('rejects', async () => (await readdir(folder)).length > 0)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(143)
    expect(await readdir(folder)).toEqual([])
    expect(await serverPid(dataDir)).toBeNull()
  })
})
