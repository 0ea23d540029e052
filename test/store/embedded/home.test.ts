import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmod, chown, lstat, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { embeddedHome } from '~/store/embedded/home.ts'
import { closedTo, type UserSystem, userForRoot } from '~/store/embedded/user.ts'
import { cleanUp, clientOf, endServersIn } from '../../support/embedded-process.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

const asRoot = process.getuid?.() === 0
const ROOT_LINE = 'root:x:0:0:root:/root:/bin/bash\n'
const NOBODY_LINE = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n'

const shelves: string[] = []

setDefaultTimeout(TEST_MS_MAX)
afterEach(async () => {
  for (const shelf of shelves.splice(0)) await endServersIn(shelf)
  await cleanUp()
}, TEST_MS_MAX)

/** A folder that only we can enter, like /root, and a sibling that all can enter. */
async function closedPlace() {
  const base = await scratchFolder()
  const closed = join(base, 'closed')
  await mkdir(join(closed, 'inside'), { recursive: true })
  await chmod(closed, 0o700)
  const elsewhere = join(base, 'lib')
  const said: string[] = []
  const say = (line: string) => said.push(line)
  return { closed, dataDir: join(closed, 'inside', 'data'), elsewhere, said, say }
}

function machine(passwd: string, created = ''): UserSystem & { made: string[] } {
  const made: string[] = []
  return {
    made,
    passwd: () => passwd + (made.length > 0 ? created : ''),
    create: (name) => made.push(name),
  }
}

describe('userForRoot', () => {
  test('is the postgres user if there is one', () => {
    const system = machine(`${ROOT_LINE}postgres:x:101:104::/:/bin/sh\n${NOBODY_LINE}`)
    expect(userForRoot(system)).toEqual({ name: 'postgres', uid: 101, gid: 104 })
    expect(system.made).toEqual([])
  })

  test('creates a user of its own otherwise, and finds it again', () => {
    const line = 'corridor:x:998:997::/nonexistent:/usr/sbin/nologin\n'
    const system = machine(ROOT_LINE + NOBODY_LINE, line)
    expect(userForRoot(system)).toEqual({ name: 'corridor', uid: 998, gid: 997 })
    expect(userForRoot(system)).toEqual({ name: 'corridor', uid: 998, gid: 997 })
    expect(system.made).toEqual(['corridor'])
  })

  test('falls back to `nobody` if no user can be created', () => {
    expect(userForRoot(machine(ROOT_LINE + NOBODY_LINE)).uid).toBe(65534)
  })

  test('says what to do if not even that user exists', () => {
    expect(() => userForRoot(machine(ROOT_LINE))).toThrow('run corridor as an ordinary user')
  })
})

describe('embeddedHome', () => {
  test('is below DATA_DIR, with links resolved and its folders made accessible', async () => {
    const base = await scratchFolder()
    await mkdir(join(base, 'real'))
    await symlink(join(base, 'real'), join(base, 'link'))
    const home = await embeddedHome({ dataDir: join(base, 'link', 'a', 'b'), say: () => {} })
    expect(home.directory).toBe(join(base, 'real', 'a', 'b', 'postgres'))
    expect((await stat(home.directory)).mode & 0o777).toBe(asRoot ? 0o711 : 0o700)
    expect(home.user === null).toBe(!asRoot)
    if (home.user) expect(await closedTo(home.user, home.directory)).toBeNull()
  })

  test('stays at its place once there is data', async () => {
    const place = await closedPlace()
    const first = await embeddedHome(place)
    await mkdir(first.data)
    if (first.user) await chown(first.data, first.user.uid, first.user.gid)
    await chmod(place.closed, 0o755)
    const second = await embeddedHome(place)
    expect(second.directory).toBe(first.directory)
    expect(second.user?.uid).toBe(first.user?.uid as number)
  })

  test('says what to do if a file is in the way', async () => {
    const file = join(await scratchFolder(), 'file')
    await writeFile(file, '')
    for (const dataDir of [file, join(file, 'below')])
      await expect(embeddedHome({ dataDir, say: () => {} })).rejects.toThrow(
        `a database cannot be made in ${dataDir} (ENOTDIR): set DATA_DIR to a directory`,
      )
  })

  test("refuses data that its user can no longer reach, or that is another user's", async () => {
    const base = await scratchFolder()
    const dataDir = join(base, 'closed', 'data')
    const home = await embeddedHome({ dataDir, say: () => {} })
    await mkdir(home.data)
    if (home.user) await chown(home.data, home.user.uid, home.user.gid)
    await chmod(join(base, 'closed'), asRoot ? 0o700 : 0o600)
    const again = embeddedHome({ dataDir, say: () => {} })
    await expect(again).rejects.toThrow(asRoot ? 'chmod o+x' : 'EACCES')
    await chmod(join(base, 'closed'), 0o755)
  })

  test('names the file in the way when DATA_DIR is one', async () => {
    const dataDir = join(await scratchFolder(), 'file')
    await writeFile(dataDir, '')
    await expect(embeddedHome({ dataDir, say: () => {} })).rejects.toThrow(dataDir)
  })
})

describe('openEmbedded in an inaccessible folder', () => {
  test('works in another folder as root, and says so, and in place otherwise', async () => {
    const place = await closedPlace()
    shelves.push(place.elsewhere, place.closed)
    const embedded = await openEmbedded({ ...place, use: 'service', durable: false })
    expect(await clientOf(embedded.url)`SELECT 1 AS one`).toHaveLength(1)
    const parent = asRoot ? place.elsewhere : place.closed
    expect(embedded.directory).toStartWith(`${parent}/`)
    if (asRoot) expect(place.said.join()).toContain(dirname(embedded.directory))
    else expect(place.said).toEqual([])
    if (asRoot) expect(place.said.join()).toContain(`cannot enter ${place.closed}`)
    await embedded.close()
    const again = await openEmbedded({ ...place, use: 'command', durable: false })
    expect(again.directory).toBe(embedded.directory)
    await again.close()
  })

  test('works on a machine that has no user for the database but `nobody`', async () => {
    const base = await scratchFolder()
    shelves.push(base)
    const system = machine(ROOT_LINE + NOBODY_LINE)
    const open = () =>
      openEmbedded({
        dataDir: join(base, 'data'),
        use: 'service',
        say: () => {},
        durable: false,
        system,
      })
    const embedded = await open()
    const owner = (await lstat(join(embedded.directory, 'data'))).uid
    expect(owner).toBe(asRoot ? 65534 : (process.getuid?.() ?? -1))
    await embedded.close()
    const again = await open()
    expect(await clientOf(again.url)`SELECT 1 AS one`).toHaveLength(1)
    await again.close()
  })

  test('runs data as its owner when root, and takes over data copied by root', async () => {
    const base = await scratchFolder()
    shelves.push(base)
    const options = { dataDir: join(base, 'data'), use: 'command', say: () => {} } as const
    const first = await openEmbedded({ ...options, durable: false })
    await first.close()
    await chownAll(join(first.directory, 'data'))
    const second = await openEmbedded({ ...options, durable: false })
    expect(await clientOf(second.url)`SELECT 1 AS one`).toHaveLength(1)
    await second.close()
  })
})

async function chownAll(path: string) {
  const { uid, gid } = await lstat(dirname(path))
  const copied = Bun.spawnSync(['chown', '-R', `${uid}:${gid}`, path])
  expect(copied.exitCode).toBe(0)
}
