import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '~/store/database.ts'
import { run } from '~/store/embedded/run.ts'
import { type SystemUser, userForRoot } from '~/store/embedded/user.ts'
import { type End, Server } from '../fault/server.ts'

export const WORKERS = 2
const ROLE = 'corridor'
const DATABASE = 'corridor'
const PASSWORD_BYTES = 24

const SETTINGS = [
  'shared_preload_libraries=citus',
  'max_worker_processes=32',
  'max_prepared_transactions=200',
  'max_connections=150',
  'shared_buffers=128MB',
  'max_wal_size=1GB',
  'wal_level=logical',
  'max_wal_senders=10',
  'citus.recover_2pc_interval=2s',
  'citus.node_conninfo=sslmode=disable',
]

type ClusterOptions = {
  /** The folder of the programs of a PostgreSQL that has the extension. */
  readonly programs: string
  readonly workers?: number
  /** Says whether its commits survive a power failure, as required where their cost is measured. */
  readonly durable?: boolean
  /** The port by which other servers reach a worker, if it is not its own. */
  wayTo?(port: number): Promise<number>
}

/** A coordinator and its workers, on free ports of this machine and in a temporary folder. */
export type Cluster = {
  /** The address of the coordinator's database, as its superuser. */
  readonly url: string
  readonly coordinator: Node
  readonly workers: readonly Node[]
  readonly folder: string
  /** Starts one more worker, without any shards. */
  addWorker(): Promise<Node>
  close(): Promise<void>
}

/** One server of a cluster. */
export type Node = {
  readonly port: number
  /** The address of its own database, for tests that look at shards. */
  readonly url: string
  stop(end: End): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

/** Starts a cluster; if a part of it does not start, the started parts are stopped. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { programs, workers: count = WORKERS, durable = false } = options
  const user = process.getuid?.() === 0 ? userForRoot() : null
  const folder = await mkdtemp(join(tmpdir(), 'corridor-citus-'))
  const password = randomBytes(PASSWORD_BYTES).toString('hex')
  const servers: Server[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => server.stop('fast')))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await chmod(folder, 0o755)
    const begun = async () => {
      const name = servers.length === 0 ? 'coordinator' : `worker-${servers.length}`
      const place = { programs, user, data: join(folder, name) }
      await initialised(place, password)
      const server = await started(place, durable)
      servers.push(server)
      await prepared(server.port, password)
      return nodeOf(server, password)
    }
    const coordinator = await begun()
    const workers: Node[] = []
    await asked(coordinator.port, password, DATABASE, async (sql) => {
      await sql`select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`
    })
    const addWorker = async () => {
      const node = await begun()
      const way = (await options.wayTo?.(node.port)) ?? node.port
      await asked(coordinator.port, password, DATABASE, (sql) => {
        return sql`select citus_add_node('127.0.0.1', ${way})`
      })
      workers.push(node)
      return node
    }
    while (workers.length < count) await addWorker()
    return { url: coordinator.url, folder, coordinator, workers, addWorker, close }
  } catch (error) {
    await close()
    throw error
  }
}

const nodeOf = (server: Server, password: string): Node => ({
  port: server.port,
  url: addressOf(server.port, password),
  stop: (end) => server.stop(end),
  start: () => server.start(),
  freeze: () => server.freeze(),
  thaw: () => server.thaw(),
})

type Place = { readonly programs: string; readonly user: SystemUser | null; readonly data: string }

async function initialised({ programs, user, data }: Place, password: string): Promise<void> {
  const file = `${data}.password`
  await mkdir(data, { mode: 0o700 })
  await writeFile(file, `${password}\n`, { mode: 0o600, flag: 'wx' })
  if (user) for (const path of [data, file]) await chown(path, user.uid, user.gid)
  const args = [
    ...['-D', data, '-U', ROLE, '-A', 'scram-sha-256', `--pwfile=${file}`, '-E', 'UTF8'],
    ...['--locale=C.UTF-8', '--no-sync'],
  ]
  const { code, output } = await run(join(programs, 'initdb'), args, user)
  await rm(file)
  if (code !== 0) throw new Error(`initdb failed: ${output.trim()}`)
}

async function started({ programs, user, data }: Place, durable: boolean): Promise<Server> {
  const settings = [...SETTINGS, `fsync=${durable ? 'on' : 'off'}`]
  const logPath = `${data}.log`
  const server = new Server({ postgres: join(programs, 'postgres'), data, user, logPath, settings })
  await server.start()
  return server
}

/** Creates the database with the extension, and tells the coordinator how to reach the workers. */
async function prepared(port: number, password: string): Promise<void> {
  await asked(port, password, 'postgres', (sql) => sql`create database ${sql(DATABASE)}`)
  await asked(port, password, DATABASE, async (sql) => {
    await sql`create extension citus`
    await sql`insert into pg_dist_authinfo values (0, ${ROLE}, ${`password=${password}`})`
  })
}

const addressOf = (port: number, password: string, database = DATABASE): string =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`

async function asked(
  port: number,
  password: string,
  database: string,
  work: (sql: Sql) => Promise<unknown>,
): Promise<void> {
  const sql = connect(addressOf(port, password, database), { connectionsMax: 1 })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Directory in which Debian keeps the programs of each version of PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql'

/** The programs of an installed PostgreSQL that has the extension; null if there is none. */
export function programsWithCitus(): string | null {
  const folders = [...new Bun.Glob('*/bin/postgres').scanSync(DEBIAN)]
    .map((path) => join(DEBIAN, path, '..'))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  return folders.find((folder) => existsSync(join(folder, '..', 'lib', 'citus.so'))) ?? null
}
