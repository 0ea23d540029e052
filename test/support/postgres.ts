import { readFile, writeFile } from 'node:fs/promises'
import { drizzle } from 'drizzle-orm/postgres-js'
import { type ConnectOptions, connect, type Database, type Sql } from '~/store/database.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { migrate } from '~/store/migrate.ts'
import { scratchFolder } from './scratch.ts'

const TEMPLATE = 'corridor_template'
const CONNECTIONS_MAX = 4

/** Variable by which `bun run test` gives its workers the server that they share. */
export const SERVER_VARIABLE = 'CORRIDOR_TEST_SERVER'

/** A server with a migrated template in it. */
export type TestServer = { readonly url: string; end(): Promise<void> }
type Cluster = TestServer & { readonly admin: Sql }

let cluster: Promise<Cluster> | null = null

/** A database of the test's own; `close` drops it. */
export type FreshDatabase = Database & { url: string }

/** An empty, migrated database on the test run's server. Close it when the file is done. */
export const freshDatabase = (options: ConnectOptions = {}): Promise<FreshDatabase> =>
  copyOf(TEMPLATE, options)

/** A database without any table, for tests of the migrations. */
export const emptyDatabase = (options: ConnectOptions = {}): Promise<FreshDatabase> =>
  copyOf('template0', options)

/** Fills a database once; each call then returns a copy of it. */
export function copiesOf(
  fill: (database: FreshDatabase) => Promise<unknown>,
  make: () => Promise<FreshDatabase> = freshDatabase,
) {
  let filled: Promise<string> | null = null
  const fillOne = async () => {
    const database = await make()
    await fill(database)
    await database.sql.end({ timeout: 1 })
    return new URL(database.url).pathname.slice(1)
  }
  return async (options: ConnectOptions = {}): Promise<FreshDatabase> => {
    filled ??= fillOne()
    return copyOf(await filled, options)
  }
}

/** Ends the test run's server, if any test started it. */
export async function endTestCluster(): Promise<void> {
  const started = cluster
  cluster = null
  await (await started?.catch(() => null))?.end()
}

function testCluster(): Promise<Cluster> {
  cluster ??= startCluster().catch((error: unknown) => {
    cluster = null
    throw error
  })
  return cluster
}

/** The run's server, or, for a file that is tried alone, one of its own. */
async function startCluster(): Promise<Cluster> {
  const shared = process.env[SERVER_VARIABLE]
  const server = shared ? { url: shared, end: async () => {} } : await startTestServer()
  const admin = connect(server.url, { connectionsMax: 1, idleSeconds: null })
  return {
    url: server.url,
    admin,
    async end() {
      await admin.end({ timeout: 1 })
      await server.end()
    },
  }
}

/** Starts a server that databases can be copied from; its files are gone after the run. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = await scratchFolder()
  const embedded = await openEmbedded({ dataDir, use: 'command', say: () => {}, durable: false })
  const admin = connect(embedded.url, { connectionsMax: 1 })
  await admin`CREATE DATABASE ${admin(TEMPLATE)} TEMPLATE template0`
  await trustAll(admin)
  await admin.end({ timeout: 1 })
  const template = connect(urlOf(embedded.url, TEMPLATE), { connectionsMax: 1 })
  await migrate({ sql: template })
  await template.end()
  return { url: embedded.url, end: () => embedded.close() }
}

/** Asks for no password in the databases of tests: that would be a quarter of each connection. */
async function trustAll(admin: Sql): Promise<void> {
  const [row] = await admin`select current_setting('hba_file') as path`
  const rules = await readFile(row!.path, 'utf8')
  await writeFile(row!.path, `host "/^(corridor|test_)" all 127.0.0.1/32 trust\n${rules}`)
  await admin`select pg_reload_conf()`
}

/** Copies files, which takes a third of what writing a small template through the log does. */
async function copyOf(template: string, options: ConnectOptions): Promise<FreshDatabase> {
  const { url: base, admin } = await testCluster()
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await admin`CREATE DATABASE ${admin(name)} TEMPLATE ${admin(template)} STRATEGY file_copy`
  const url = urlOf(base, name)
  const sql = connect(url, { connectionsMax: CONNECTIONS_MAX, ...options })
  let closing: Promise<void> | null = null
  const drop = async () => {
    await sql.end({ timeout: 1 })
    await admin`DROP DATABASE IF EXISTS ${admin(name)} WITH (FORCE)`
  }
  return {
    sql,
    db: drizzle(sql),
    kind: 'embedded',
    where: `test database ${name}`,
    url,
    close() {
      closing ??= drop()
      return closing
    },
  }
}

function urlOf(base: string, name: string): string {
  const url = new URL(base)
  url.pathname = `/${name}`
  return url.href
}
