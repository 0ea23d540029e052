import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect as connectTcp, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { sql as statement } from 'drizzle-orm'
import { connect, type Database, openDatabase } from '~/store/database.ts'
import { ownConnection } from '~/store/own-connection.ts'
import { serverUrlOf } from '~/store/server-address.ts'
import {
  cleanUp,
  clientOf,
  endProcesses,
  endServer,
  preparedDataDir,
  serverPid,
} from '../support/embedded-process.ts'
import { freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

const UNUSED = '/nonexistent/data'
const fresh = await freshDatabase()
const opened: Database[] = []
const proxies: Server[] = []

setDefaultTimeout(TEST_MS_MAX)
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  for (const proxy of proxies.splice(0)) proxy.close()
  await endProcesses()
}, TEST_MS_MAX)
afterAll(async () => {
  await cleanUp()
  await fresh.close()
}, TEST_MS_MAX)

test.each([
  ['postgres://u:p@[::1]:4191/x', '::1', 4191],
  ['postgres://u:p%5B@[2001:db8::2]/x?application_name=a', '2001:db8::2', 5432],
  ['postgres://u:p@127.0.0.1:4191/x', '127.0.0.1', 4191],
  ['postgres://u:p@db/x', 'db', 5432],
])('the server in %s is %s at port %d', (url, host, port) => {
  const { options } = connect(url)
  expect([options.host[0], options.port[0]]).toEqual([host, port])
  expect(connect(serverUrlOf(connect(url))).options.host[0]).toBe(host)
})

type Options = Partial<Parameters<typeof openDatabase>[0]>

async function open(options: Options): Promise<Database> {
  const database = await openDatabase({
    databaseUrl: null,
    dataDir: UNUSED,
    use: 'service',
    say: () => {},
    ...options,
  })
  opened.push(database)
  return database
}

const refusal = async (databaseUrl: string) => {
  const error = await open({ databaseUrl }).catch((failure: unknown) => failure)
  if (!(error instanceof Error)) throw new Error('was let in')
  return error.message
}

/** The folder of a Unix socket, named for port 5477, that leads to the test server. */
async function socketFolder(): Promise<string> {
  const folder = await scratchFolder()
  const { hostname, port } = new URL(fresh.url)
  const proxy = createServer((near) => {
    const far = connectTcp(Number(port), hostname)
    near.pipe(far).pipe(near)
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => {}).on('close', () => near.destroy())
  })
  proxies.push(proxy)
  const path = join(folder, '.s.PGSQL.5477')
  await new Promise<void>((resolve) => proxy.listen(path, resolve))
  return folder
}

/** The test server behind a port of its own, with one string in its responses replaced. */
async function proxyUrl(from: string, to: string): Promise<string> {
  const url = new URL(fresh.url)
  const port = Number(url.port)
  const proxy = createServer((near) => {
    const far = connectTcp(port, url.hostname)
    near.pipe(far)
    far.on('data', (bytes) => {
      near.write(Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1'))
    })
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => {}).on('close', () => near.destroy())
  })
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  if (typeof address === 'object' && address) url.port = String(address.port)
  return url.href
}

describe('openDatabase, with DATABASE_URL', () => {
  test('works through the driver and through drizzle, and names the host and port', async () => {
    const { password, host, pathname } = new URL(fresh.url)
    const database = await open({ databaseUrl: fresh.url })
    expect(database.kind).toBe('external')
    expect(database.where).toMatch(/^PostgreSQL \d+/)
    expect(database.where).toEndWith(` at corridor@${host}${pathname}`)
    expect(database.where).not.toContain(password)
    expect(await database.db.execute(statement`SELECT 1 AS one`)).toHaveLength(1)
    await Promise.all([database.close(), database.close()])
  })

  test('accepts postgresql://, sslmode and parameters that only libpq knows', async () => {
    const url = fresh.url.replace('postgres://', 'postgresql://')
    const database = await open({
      databaseUrl: `${url}?sslmode=disable&channel_binding=prefer&statement_timeout=4321`,
    })
    const [row] = await database.sql`SHOW statement_timeout`
    expect(row?.statement_timeout).toBe('4321ms')
    expect(database.where).not.toContain('sslmode')
  })

  test('connects through a Unix socket, in every notation that libpq accepts for its folder', async () => {
    const { username, password, pathname } = new URL(fresh.url)
    const folder = await socketFolder()
    const [user, host] = [`${username}:${password}`, encodeURIComponent(folder)]
    for (const databaseUrl of [
      `postgres://${user}@${host}:5477${pathname}`,
      `postgresql://${user}@${host}:5477${pathname}?sslmode=prefer&channel_binding=prefer`,
      `postgres://${user}@:5477${pathname}?host=${folder}`,
      `postgres://${pathname}?host=${host}&port=5477&user=${username}&password=${password}`,
      `postgres://?host=${folder}&port=5477&dbname=${pathname.slice(1)}&user=${username}&password=${password}`,
    ]) {
      const database = await open({ databaseUrl })
      expect(database.where).toEndWith(` at ${username}@${folder}:5477${pathname}`)
      const own = ownConnection(database.sql)
      for (const sql of [database.sql, own])
        expect([sql.options.path, ...(await sql`SELECT current_database() AS name`)]).toEqual([
          join(folder, '.s.PGSQL.5477'),
          { name: pathname.slice(1) },
        ])
      await own.end()
    }
  })

  test('works in UTC, under its own name, with numbers for int8', async () => {
    const { sql } = await open({ databaseUrl: fresh.url })
    const [row] = await sql`
      SELECT current_setting('TimeZone') AS zone, current_setting('application_name') AS name,
        9007199254740991::int8 AS safe, 9007199254740992::int8 AS beyond,
        '2026-01-02 03:04:05+02'::timestamptz AS time, ${12}::int8 AS sent`
    expect({ ...row }).toEqual({
      zone: 'UTC',
      name: 'corridor',
      safe: 9007199254740991,
      beyond: '9007199254740992',
      time: '2026-01-02 01:04:05+00',
      sent: 12,
    })
  })

  test('calls onQuery for every query, and not without queries', async () => {
    const queries: string[] = []
    const { sql, db } = await open({
      databaseUrl: fresh.url,
      connectionsMax: 1,
      onQuery: (query) => queries.push(query),
    })
    await sql`SELECT 1`
    queries.length = 0
    await sql`SELECT 2`
    await db.execute(statement`SELECT 3`)
    expect(queries).toEqual(['SELECT 2', 'SELECT 3'])
  })

  test('opens at most connectionsMax connections', async () => {
    const { sql } = await open({ databaseUrl: fresh.url, connectionsMax: 3 })
    const rows = await Promise.all(
      Array.from({ length: 30 }, () => sql`SELECT pg_backend_pid() AS pid, pg_sleep(0.001)`),
    )
    expect(new Set(rows.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(3)
  })
})

describe('openDatabase, when it fails', () => {
  test('names the host and port and what to check when nothing listens', async () => {
    const message = await refusal('postgres://me:pa$$word@127.0.0.1:1/things')
    expect(message).toContain('me@127.0.0.1:1/things')
    expect(message).toContain('check DATABASE_URL')
    expect(message).not.toContain('pa$$word')
  })

  test('names the folder if it has no Unix socket of a server', async () => {
    const message = await refusal('postgres:///things?host=/nowhere&user=me&password=pa$$word')
    expect(message).toContain('me@/nowhere/things (')
    expect(message).toContain('check DATABASE_URL')
    expect(message).not.toContain('pa$$word')
  })

  test('reports a wrong password without showing it', async () => {
    const url = new URL('/postgres', fresh.url)
    url.password = 'sesame'
    const message = await refusal(url.href)
    expect(message).toContain('password authentication failed')
    expect(message).not.toContain('sesame')
  })

  test('names the missing database', async () => {
    expect(await refusal(fresh.url.replace(/\/test_\w+$/, '/nowhere'))).toContain(
      'database "nowhere" does not exist',
    )
  })

  test('asks for a newer PostgreSQL when it is older than 14', async () => {
    const [row] = await fresh.sql`SHOW server_version`
    const version = String(row?.server_version)
    const message = await refusal(await proxyUrl(version, version.replace(/^\d+/, '13')))
    expect(message).toMatch(/is PostgreSQL 13\..*needs 14 or newer/)
  })

  test.each([
    'postgres://me:pa/ss:word@host/db',
    'postgres://me:password@host:port/db',
    'mysql://me:password@host/db',
    'postgres://',
    'postgres:///db',
    'postgres://me:password@/db?user=me',
    'postgres://me:password@%2frun%zz/db',
    'password',
    '',
  ])('explains the form of an address and does not repeat %p', async (url) => {
    const message = await refusal(url)
    expect(message).toContain('postgres://USER:PASSWORD@HOST')
    expect(message).not.toContain('me:')
  })
})

describe('openDatabase, without DATABASE_URL', () => {
  let dataDir: string

  beforeAll(async () => {
    dataDir = await preparedDataDir()
  })

  test('opens the embedded database in DATA_DIR and stops it at the end', async () => {
    const database = await open({ dataDir, connectionsMax: 1 })
    expect(database.kind).toBe('embedded')
    expect(database.where).toMatch(/^embedded PostgreSQL \d+\.\d+ in /)
    expect(database.where).toEndWith(`${dataDir}/postgres`)
    expect(await database.sql`SELECT 1 AS one`).toHaveLength(1)
    await Promise.all([database.close(), database.close()])
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('recovers by itself when its server is killed, with everything that was committed', async () => {
    const { sql } = await open({ dataDir, connectionsMax: 1 })
    await sql`CREATE TABLE kept AS SELECT 7 AS n`
    await endServer(dataDir, 'SIGKILL')
    await until('a new server', async () => (await serverPid(dataDir)) !== null)
    await until('an answer', () =>
      sql`SELECT n FROM kept`.then(
        ([row]) => row?.n === 7,
        () => false,
      ),
    )
  })

  test('notices another death of its server too, even without a query in between', async () => {
    const { sql } = await open({ dataDir, connectionsMax: 1 })
    const first = await serverPid(dataDir)
    await endServer(dataDir, 'SIGKILL')
    await until('a new server', async () => {
      const pid = await serverPid(dataDir)
      return pid !== null && pid !== first
    })
    const other = clientOf(serverUrlOf(sql))
    await until('a connection to it', () =>
      other`SELECT FROM pg_stat_activity
            WHERE application_name = 'corridor' AND pid <> pg_backend_pid()`.then(
        ({ length }) => length === 1,
        () => false,
      ),
    )
  })

  test('follows its server to a new port when the old one is taken', async () => {
    const { sql } = await open({ dataDir, connectionsMax: 1 })
    const port = sql.options.port[0]
    const squatter = createServer((socket) => socket.destroy())
    proxies.push(squatter)
    await endServer(dataDir, 'SIGKILL')
    await new Promise<void>((resolve) =>
      squatter.on('error', resolve).listen(port, '127.0.0.1', resolve),
    )
    await until('a new server', async () => (await serverPid(dataDir)) !== null)
    await until('an answer', () =>
      sql`SELECT 1`.then(
        () => true,
        () => false,
      ),
    )
  })
})
