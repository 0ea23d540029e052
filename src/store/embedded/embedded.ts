import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { madeOnce } from '~/domain/made-once.ts'
import { type Binaries, embeddedBinaries } from './binaries.ts'
import { clusterMajor, clusterPassword, createCluster, ROLE, requireSameMajor } from './cluster.ts'
import { ELSEWHERE, embeddedHome, giveToOwner, type Home, type HomeOptions } from './home.ts'
import { type Lock, lockWithin, tryLock, type Wait } from './lock.ts'
import { ensureServer, type ServerOptions, stopServer } from './server.ts'

const TURN_MS_MAX = 120_000
const CLOSE_TURN_MS_MAX = 1_500
const CONNECT_SECONDS_MAX = 10

export type EmbeddedOptions = HomeOptions & {
  /** A service refuses to start alongside another one; commands run alongside anything. */
  use: 'service' | 'command'
  /** False only in tests: writes may then be lost when the machine stops. */
  durable?: boolean | undefined
  /** A signal that makes an opening that still waits undo itself and reject. */
  ended?: AbortSignal | undefined
  /** A replacement for tests. */
  native?: string | undefined
}

/** A share in the PostgreSQL that runs on a data directory. */
export type Embedded = {
  /** The address with its password: never to be logged. */
  readonly url: string
  directory: string
  /** Restarts the server if it is gone; returns its port, the same one if it is free. */
  revive(): Promise<number>
  /** Gives up the share; the last one stops the server. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Joins the PostgreSQL of DATA_DIR, which is created if missing, started if down, and taken over if
 * a killed process left it running.
 *
 * Three file locks in the home order its users: `turn` lets one process at a time start or stop the
 * server, all its processes share `users`, and `service` belongs to the one service. The kernel
 * frees them with their process. Fails, holding nothing, when another service is running.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const home = await embeddedHome(options)
  const wait = { msMax: TURN_MS_MAX, ended: options.ended }
  const share = await inTurn(home, wait, () => enter(home, options))
  let port = share.port
  let closing: Promise<void> | null = null
  const serverOptions = { ...share.server, alone: false }
  return {
    get url() {
      return urlOf(share.password, port, ROLE)
    },
    directory: home.directory,
    async revive() {
      if (!closing) port = await inTurn(home, wait, () => ensureServer(serverOptions))
      return port
    },
    close() {
      closing ??= leave(home, share.locks)
      return closing
    },
  }
}

type Share = { port: number; password: string; locks: Lock[]; server: Shared }
type Shared = Omit<ServerOptions, 'alone'>

async function enter(home: Home, options: EmbeddedOptions): Promise<Share> {
  const { say, ended, durable = true } = options
  const locks: Lock[] = []
  const binaries = madeOnce(() => findBinaries(home, options))
  try {
    if (options.use === 'service') locks.push(await serviceLock(home))
    const { alone, lock } = await usersLock(home)
    locks.push(lock)
    if ((await clusterMajor(home)) === null)
      await createCluster(home, await binaries(), { durable })
    const server = { home, durable, say, ended, binaries }
    const port = await ensureServer({ ...server, alone })
    const password = await clusterPassword(home)
    await ensureDatabase(home, urlOf(password, port, 'postgres'))
    return { port, password, locks, server }
  } catch (error) {
    for (const lock of locks) lock.release()
    if (locks.length > 0) await stopIfLast(home)
    throw error
  }
}

async function leave(home: Home, locks: Lock[]): Promise<void> {
  const wait = { msMax: CLOSE_TURN_MS_MAX }
  const turn = await lockWithin(join(home.directory, 'turn.lock'), wait)
  try {
    for (const lock of locks) lock.release()
    if (turn) await stopIfLast(home)
  } finally {
    turn?.release()
  }
}

/** Stops the server if no other process uses it. Call it while holding the turn. */
async function stopIfLast(home: Home): Promise<void> {
  const last = await tryLock(join(home.directory, 'users.lock'), 'exclusive')
  if (!last) return
  try {
    await stopServer(home)
  } finally {
    last.release()
  }
}

async function inTurn<T>(home: Home, wait: Wait, work: () => Promise<T>): Promise<T> {
  const turn = await lockWithin(join(home.directory, 'turn.lock'), wait)
  if (!turn)
    throw new Error(
      `another corridor process has been starting or stopping the database in ` +
        `${home.directory} for ${wait.msMax / 1000} s: see what it does, or end it`,
    )
  try {
    return await work()
  } finally {
    turn.release()
  }
}

async function serviceLock(home: Home): Promise<Lock> {
  const holder = join(home.directory, 'service.pid')
  const lock = await tryLock(join(home.directory, 'service.lock'), 'exclusive')
  if (lock) {
    await writeFile(holder, String(process.pid), { mode: 0o600 })
    await giveToOwner(holder)
    return lock
  }
  const pid = await readFile(holder, 'utf8').catch(() => '')
  throw new Error(
    `another corridor service${pid && ` (process ${pid})`} is running on ` +
      `${home.dataDir}: stop it first, give this one its own DATA_DIR, ` +
      'or let both share a PostgreSQL through DATABASE_URL',
  )
}

async function usersLock(home: Home): Promise<{ alone: boolean; lock: Lock }> {
  const path = join(home.directory, 'users.lock')
  const exclusive = await tryLock(path, 'exclusive')
  exclusive?.release()
  const lock = await tryLock(path, 'shared')
  if (lock) return { alone: exclusive !== null, lock }
  throw new Error(`${path} is held by another program: end it, or choose another DATA_DIR`)
}

async function findBinaries(home: Home, options: EmbeddedOptions): Promise<Binaries> {
  const { say, native, elsewhere = ELSEWHERE } = options
  const shelf = home.user ? elsewhere : home.directory
  const binaries = await embeddedBinaries({ user: home.user, shelf, say, native })
  await requireSameMajor(home, binaries)
  return binaries
}

async function ensureDatabase(home: Home, url: string): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: CONNECT_SECONDS_MAX,
    fetch_types: false,
    onnotice: () => {},
  })
  try {
    const found = await sql`SELECT 1 FROM pg_database WHERE datname = ${ROLE}`
    if (found.length === 0) await sql`CREATE DATABASE ${sql(ROLE)}`
  } catch (error) {
    throw new Error(
      `the database in ${home.directory} refuses the connection: ${(error as Error).message}`,
      { cause: error },
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const urlOf = (password: string, port: number, database: string) =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`
