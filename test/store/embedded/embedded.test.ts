import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { lstat, readdir, readFile, stat, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { tryLock } from '~/store/embedded/lock.ts'
import {
  cleanUp,
  clientOf,
  clusterOf,
  endProcesses,
  endServer,
  joinAs,
  launch,
  listeningAddresses,
  newDataDir,
  preparedDataDir,
  serverPid,
} from '../../support/embedded-process.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'

/** A data directory with a database that the tests leave unchanged, and stopped. */
let dataDir: string

setDefaultTimeout(TEST_MS_MAX)
beforeAll(async () => {
  dataDir = await preparedDataDir()
})
afterEach(endProcesses, TEST_MS_MAX)
afterAll(cleanUp, TEST_MS_MAX)

const portOf = (url: string) => new URL(url).port

describe('openEmbedded, first start', () => {
  test('creates a missing DATA_DIR, serves queries, and stops with its last user', async () => {
    const dataDir = await newDataDir()
    const embedded = await openEmbedded({ dataDir, use: 'service', say: () => {} })
    const sql = clientOf(embedded.url)
    const [row] = await sql`
      SELECT current_database() AS name, current_user AS role, current_setting('fsync') AS fsync,
        current_setting('max_wal_size') AS log,
        pg_encoding_to_char(encoding) AS encoding, datlocale AS locale
      FROM pg_database WHERE datname = current_database()`
    expect({ ...row }).toEqual({
      name: 'corridor',
      role: 'corridor',
      fsync: 'on',
      log: '128MB',
      encoding: 'UTF8',
      locale: 'C.UTF-8',
    })
    await sql.end()
    await Promise.all([embedded.close(), embedded.close()])
    await embedded.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('keeps its password long, secret and out of the process list and the log', async () => {
    const dataDir = await newDataDir()
    const service = await joinAs(dataDir, 'service')
    const { password } = new URL(service.url)
    expect(password.length).toBeGreaterThanOrEqual(43)
    const home = join(dataDir, 'postgres')
    for (const name of ['password', 'postgres.log', 'service.pid', 'users.lock', 'port'])
      expect([name, (await stat(join(home, name))).mode & 0o777]).toEqual([name, 0o600])
    expect((await lstat(clusterOf(dataDir))).mode & 0o777).toBe(0o700)
    expect(await readFile(join(home, 'postgres.log'), 'utf8')).not.toContain(password)
    const pid = await serverPid(dataDir)
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password)
    const wrong = service.url.replace(password, 'guess')
    await expect(Promise.resolve(clientOf(wrong)`SELECT 1`)).rejects.toThrow('password')
    await service.close()
  })

  test('listens on loopback alone, under a process group of its own', async () => {
    const service = await joinAs(dataDir, 'service')
    expect(await listeningAddresses(Number(portOf(service.url)))).toEqual(['0100007F'])
    const pid = await serverPid(dataDir)
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')
    expect(fields?.[2]).toBe(String(pid))
    await service.close()
  })

  test('refuses data of another PostgreSQL version and says what to do', async () => {
    const dataDir = await preparedDataDir()
    await (await joinAs(dataDir, 'command')).close()
    await writeFile(join(clusterOf(dataDir), 'PG_VERSION'), '12\n')
    const refused = await joinAs(dataDir, 'service')
    expect(refused.error).toMatch(/created by PostgreSQL 12, this corridor carries \d+: .*dump/)
  })
})

describe('openEmbedded, interrupted while it waits', () => {
  test('stops a server that it is just starting, and rejects', async () => {
    const ending = new AbortController()
    const settings = { dataDir, use: 'command', say: () => {}, ended: ending.signal } as const
    const opening = openEmbedded(settings).catch(({ name }: Error) => name)
    for await (const { filename } of watch(join(dataDir, 'postgres')))
      if (filename === 'place') break
    ending.abort()
    expect(await opening).toBe('AbortError')
    const found = spawnSync('pgrep', ['-f', `postgres -D ${clusterOf(dataDir)}`])
    expect(found.stdout.toString()).toBe('')
  })

  test('stops waiting for its turn', async () => {
    const turn = await tryLock(join(dataDir, 'postgres', 'turn.lock'), 'exclusive')
    const ending = new AbortController()
    const settings = { dataDir, use: 'command', say: () => {}, ended: ending.signal } as const
    const opening = openEmbedded(settings).catch(({ name }: Error) => name)
    ending.abort()
    expect(await opening).toBe('AbortError')
    turn!.release()
  })
})

describe('openEmbedded, after a process was killed', () => {
  test('takes over the server that the process left, with everything that was committed', async () => {
    const first = launch(dataDir, 'service')
    const killed = await first.joined
    const before = clientOf(killed.url)
    await before`CREATE TABLE kept AS SELECT 7 AS n`
    await before.end()
    const pid = await serverPid(dataDir)
    await first.kill()
    expect(await serverPid(dataDir)).toBe(pid)
    const next = await joinAs(dataDir, 'service')
    expect([next.error, await serverPid(dataDir)]).toEqual(['', pid])
    expect((await clientOf(next.url)`SELECT n FROM kept`)[0]?.n).toBe(7)
    await next.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('starts although the pid file names a process of the same user', async () => {
    await (await joinAs(dataDir, 'command')).close()
    const { uid, gid } = await lstat(clusterOf(dataDir))
    const root = process.getuid?.() === 0
    const other = spawn('/bin/sleep', ['60'], { cwd: '/', ...(root && { uid, gid }) })
    const pidFile = join(clusterOf(dataDir), 'postmaster.pid')
    await writeFile(pidFile, `${other.pid}\n${clusterOf(dataDir)}\n1700000000\n5432\n\n\n\nready\n`)
    const service = await joinAs(dataDir, 'service')
    other.kill()
    expect(service.error).toBe('')
    expect(await serverPid(dataDir)).not.toBe(other.pid)
    await service.close()
  })

  test('starts after the server and its machine died together', async () => {
    const first = launch(dataDir, 'service')
    const killed = await first.joined
    await clientOf(killed.url)`CREATE TABLE kept_too AS SELECT 7 AS n`
    await endServer(dataDir, 'SIGKILL')
    await first.kill()
    const next = await joinAs(dataDir, 'service')
    expect((await clientOf(next.url)`SELECT n FROM kept_too`)[0]?.n).toBe(7)
    await next.close()
  })

  test('creates the database again when the first creation was interrupted', async () => {
    const dataDir = await newDataDir()
    const first = launch(dataDir, 'service')
    await until('a half made database', async () =>
      (await readdir(join(dataDir, 'postgres')).catch(() => [])).some((name) =>
        name.includes('new'),
      ),
    )
    await first.kill()
    const next = await joinAs(dataDir, 'service')
    expect(next.error).toBe('')
    expect((await readdir(join(dataDir, 'postgres'))).join()).not.toContain('new')
    await next.close()
  })
})
