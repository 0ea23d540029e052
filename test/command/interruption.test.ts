import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cleanUp,
  preparedDataDir,
  serverPid,
  TEST_MS_MAX,
  until,
} from '../support/embedded-process.ts'
import { scratchFolder } from '../support/scratch.ts'

setDefaultTimeout(TEST_MS_MAX)
afterEach(cleanUp, TEST_MS_MAX)

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** A command on its own embedded database whose input never ends. */
async function begun(args: string[], cwd?: string) {
  const dataDir = await preparedDataDir()
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    ...(cwd && { cwd }),
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  await until('the database', async () => (await serverPid(dataDir)) !== null)
  const said = new Response(child.stderr).text()
  return { child, dataDir, said }
}

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
