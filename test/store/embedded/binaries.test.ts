import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmod, cp, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { embeddedBinaries } from '~/store/embedded/binaries.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { run } from '~/store/embedded/run.ts'
import { userForRoot } from '~/store/embedded/user.ts'
import {
  cleanUp,
  clientOf,
  endServer,
  endServersIn,
  preparedDataDir,
} from '../../support/embedded-process.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

const asRoot = process.getuid?.() === 0
const user = asRoot ? userForRoot() : null
const bases: string[] = []

setDefaultTimeout(TEST_MS_MAX)
afterEach(async () => {
  for (const base of bases.splice(0)) await endServersIn(base)
  await cleanUp()
}, TEST_MS_MAX)

/** The platform's package before its install script has run, inside `folder`. */
async function bareNative(folder: string): Promise<string> {
  const { postgres } = await embeddedBinaries({ user, shelf: '/nonexistent', say: () => {} })
  const original = join(dirname(postgres), '..')
  const native = join(folder, 'package', 'native')
  await mkdir(join(folder, 'package'))
  await cp(join(original, '..', 'package.json'), join(folder, 'package', 'package.json'))
  await cp(original, native, {
    recursive: true,
    filter: async (path) => !path.endsWith('.a') && !(await lstat(path)).isSymbolicLink(),
  })
  for (const name of await readdir(join(native, 'bin')))
    await chmod(join(native, 'bin', name), 0o644)
  return native
}

describe('embeddedBinaries', () => {
  test('work in place when the install script of their package did not run', async () => {
    const native = await bareNative(await scratchFolder())
    const said: string[] = []
    const shelf = join(native, 'nowhere')
    const found = await embeddedBinaries({ user, shelf, say: (line) => said.push(line), native })
    expect([found.postgres, said]).toEqual([join(native, 'bin', 'postgres'), []])
    const { code, output } = await run(found.postgres, ['--version'], user)
    expect([code, output]).toEqual([0, expect.stringContaining(`PostgreSQL) ${found.major}.`)])
    const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
    for (const { target } of links)
      expect((await lstat(join(native, '..', target))).isSymbolicLink()).toBe(true)
  })

  test('are copied once from an inaccessible folder as root, and run in place otherwise', async () => {
    const folder = await scratchFolder()
    const shelf = join(await scratchFolder(), 'shelf')
    const native = await bareNative(folder)
    await chmod(folder, 0o700)
    const find = () => embeddedBinaries({ user, shelf, say: () => {}, native })
    const found = new Set((await Promise.all([find(), find(), find()])).map((it) => it.postgres))
    expect(found.size).toBe(1)
    for (const postgres of found) expect(postgres).toStartWith(asRoot ? shelf : native)
    expect(await readdir(shelf).catch(() => [])).toHaveLength(asRoot ? 1 : 0)
    const said: string[] = []
    await embeddedBinaries({ user, shelf, say: (line) => said.push(line), native })
    expect(said).toEqual([])
  })

  test('create and run a database from an inaccessible folder', async () => {
    const folder = await scratchFolder()
    const base = await scratchFolder()
    bases.push(base)
    const native = await bareNative(folder)
    await chmod(folder, 0o700)
    const embedded = await openEmbedded({
      dataDir: join(base, 'data'),
      elsewhere: join(base, 'shelf'),
      use: 'service',
      say: () => {},
      durable: false,
      native,
    })
    expect(await clientOf(embedded.url)`SELECT 'ok' COLLATE "C" AS word`).toHaveLength(1)
    await embedded.close()
  })

  test('are looked for again if they could not be found when the server had to be restarted', async () => {
    const folder = await scratchFolder()
    const dataDir = await preparedDataDir()
    bases.push(dataDir)
    const settings = { dataDir, use: 'command', say: () => {}, durable: false } as const
    const first = await openEmbedded(settings)
    const native = join(folder, 'package', 'native')
    const second = await openEmbedded({ ...settings, native })
    await endServer(dataDir, 'SIGKILL')
    await expect(second.revive()).rejects.toThrow('ENOENT')
    await bareNative(folder)
    expect(await second.revive()).toBeGreaterThan(0)
    await second.close()
    await first.close()
  })
})
