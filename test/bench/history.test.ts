import { beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptOutput } from '../support/child.ts'
import { isRunning } from '../support/running.ts'
import { scratchFolder } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { requireRoom } from './history/room.ts'

const MAIN = join(import.meta.dir, 'main.ts')

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
})

describe('bun run bench history', () => {
  test.each(['0', '9999', '1e12', '1.5', 'many'])('refuses --rows %s', async (rows) => {
    const line = `--rows ${rows}: ask for a whole number from 10,000 to 1,000,000,000\n`
    const answer = await scriptOutput(['test/bench/main.ts', 'history', '--rows', rows])
    expect(answer).toEqual({ status: 2, stdout: '', stderr: line })
  })

  test('leaves nothing behind when it is stopped', async () => {
    const { child, pid } = await filling([])
    child.kill('SIGTERM')
    expect(await child.exited).toBe(143)
    await until('the folder is gone', async () => (await readdir(folder)).length === 0)
    await until('the server is gone', async () => !(await isRunning(pid)))
  }, 120_000)

  test('ends its server in a directory that it keeps', async () => {
    const { child, pid } = await filling(['--dir', join(folder, 'kept')])
    child.kill('SIGINT')
    expect(await child.exited).toBe(130)
    await until('the server is gone', async () => !(await isRunning(pid)))
    expect(await readdir(join(folder, 'kept'))).toEqual(['1000-of-1-years'])
  }, 120_000)
})

/** A bench that has started its first server, and the id of that. */
async function filling(more: readonly string[]) {
  const child = Bun.spawn(['bun', MAIN, 'history', '--small', '--rows', '10000', ...more], {
    env: { ...process.env, TMPDIR: folder },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  let pid = Number.NaN
  await until('a server', async () => {
    // The folder gets another name once the server is ready.
    const files = Array.fromAsync(new Bun.Glob('**/postmaster.pid').scan(folder)).catch(() => [])
    const [file] = await files
    const text = file
      ? await Bun.file(join(folder, file))
          .text()
          .catch(() => '')
      : ''
    pid = Number.parseInt(text, 10)
    return pid > 0
  })
  return { child, pid }
}

describe('requireRoom', () => {
  test('names the space that the rows take, and where', async () => {
    const said: string[] = []
    await requireRoom(folder, 10_000, (line) => said.push(line))
    expect(said).toEqual([expect.stringMatching(/^it takes up to 0\.3 GB in \S+, where .* free$/)])
  })

  test('says how much is missing', async () => {
    const asked = requireRoom(folder, 1e15, () => {})
    await expect(asked).rejects.toThrow(/^there is no room for .* observations in .*: free /)
  })
})
