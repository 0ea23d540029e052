import { type ChildProcess, spawn } from 'node:child_process'
import {
  type FileHandle,
  open,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { giveToOwner, type Home } from './home.ts'
import { readPidFile, runningPostmaster } from './postmaster.ts'
import { spawnOptions } from './run.ts'

const POLL_MS = 10
const START_MS_MAX = 120_000
const STOP_MS_MAX = 4_000
const PORT_TRIES_MAX = 5
const LOG_BYTES_MAX = 1_000_000
const LOG_TAIL_LINES = 8
const SAY_AFTER_MS = 3_000
const CONNECTIONS_MAX = 100

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  `max_connections=${CONNECTIONS_MAX}`,
  'client_connection_check_interval=1s',
  'shared_buffers=128MB',
  'work_mem=16MB',
  'maintenance_work_mem=128MB',
  'random_page_cost=1.1',
  'max_parallel_workers_per_gather=0',
  'jit=off',
  'wal_level=minimal',
  'max_wal_size=128MB',
  'min_wal_size=32MB',
  'max_wal_senders=0',
  'timezone=UTC',
  'log_timezone=UTC',
  'log_min_messages=log',
  'log_checkpoints=off',
]
const PORT_TAKEN = /could not bind|could not create any TCP/
/** Matches the log of a server that was killed while some of its processes have yet to notice. */
const DYING = /pre-existing shared memory block/

const FORGETFUL = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

export type ServerOptions = {
  home: Home
  binaries: () => Promise<Binaries>
  /** Says whether this process alone uses this home: a pid file without a process is stale. */
  alone: boolean
  durable: boolean
  say: (line: string) => void
  /** A signal that makes a wait for the server reject. */
  ended?: AbortSignal | undefined
}

/**
 * The port of a server that runs on the home's data: an existing one, whichever process left it,
 * else a new one. A server that is still starting, recovering or stopping is waited for.
 *
 * Only one process at a time may call this for one home.
 */
export async function ensureServer(options: ServerOptions): Promise<number> {
  const { data } = options.home
  const patience = waiting(options)
  for (let tries = 0; ; ) {
    const found = await runningPostmaster(data)
    if (found?.status === 'ready' && found.port) return found.port
    if (found) {
      await patience()
      continue
    }
    await clearStalePidFile(options)
    const launched = await launch(options)
    const { ready, log } = await settled(launched, options, patience)
    if (ready) return ready
    if (DYING.test(log)) await patience()
    else if (!PORT_TAKEN.test(log) || ++tries === PORT_TRIES_MAX)
      throw new Error(`the database in ${data} does not start:\n${log}`)
  }
}

/**
 * Stops the server as `pg_ctl stop -m fast` does. One that takes longer than a few seconds is left
 * to finish by itself; a later start waits for it.
 */
export async function stopServer({ data }: Home): Promise<void> {
  const found = await runningPostmaster(data)
  if (!found) return
  try {
    process.kill(found.pid, 'SIGINT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const deadline = performance.now() + STOP_MS_MAX
  while (performance.now() < deadline && (await runningPostmaster(data))?.pid === found.pid)
    await delay(POLL_MS)
}

/** Waits a short time; reports it after a while, and gives up in the end. */
function waiting({ home, say, ended }: ServerOptions) {
  const startedMs = performance.now()
  let said = false
  return async () => {
    ended?.throwIfAborted()
    const waitedMs = performance.now() - startedMs
    if (waitedMs > START_MS_MAX)
      throw new Error(
        `the database in ${home.data} is not ready after ${START_MS_MAX / 1000} s: ` +
          `see ${logPath(home)}`,
      )
    if (!said && waitedMs > SAY_AFTER_MS) {
      said = true
      say(`waiting for the database in ${home.data} to recover or to finish stopping`)
    }
    await delay(POLL_MS)
  }
}

/** Removes a pid file that stops PostgreSQL from starting as its pid is another process's now. */
async function clearStalePidFile({ home, alone }: ServerOptions) {
  if ((await readPidFile(home.data)) === null) return
  if (!alone && (await readPlace(home)) !== (await thisPlace()))
    throw new Error(
      `the database in ${home.data} is used by a corridor in another container: ` +
        'run the command in that container, or share a PostgreSQL through DATABASE_URL',
    )
  await rm(join(home.data, 'postmaster.pid'), { force: true })
}

/** A server that was started; its own part of the log begins at `logFrom`. */
type Launched = { child: ChildProcess; logFrom: number }

async function launch({ home, binaries, durable }: ServerOptions): Promise<Launched> {
  const { postgres } = await binaries()
  const port = String(await freePort(await lastPort(home)))
  const args = ['-D', home.data, '-p', port]
  for (const setting of [...SETTINGS, ...(durable ? [] : FORGETFUL)]) args.push('-c', setting)
  await writeOwned(join(home.directory, 'port'), port)
  await writeOwned(join(home.directory, 'place'), await thisPlace())
  const log = await openLog(home)
  const logFrom = (await log.stat()).size
  try {
    const child = spawn(postgres, args, {
      ...spawnOptions(home.user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    child.on('error', () => {})
    child.unref()
    return { child, logFrom }
  } finally {
    await log.close()
  }
}

/** The server's port once it is ready, or the end of its log if it stopped instead. */
async function settled(
  { child, logFrom }: Launched,
  { home }: ServerOptions,
  patience: () => Promise<void>,
): Promise<{ ready: number | null; log: string }> {
  for (;;) {
    const ended = hasEnded(child)
    const found = ended ? null : await runningPostmaster(home.data)
    if (found?.status === 'ready' && found.port) return { ready: found.port, log: '' }
    if (ended) return { ready: null, log: await logTail(home, logFrom) }
    try {
      await patience()
    } catch (error) {
      await stopChild(child)
      throw error
    }
  }
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null

/** Stops a server that may not have written its pid file yet, so nothing else could find it. */
async function stopChild(child: ChildProcess): Promise<void> {
  child.kill('SIGINT')
  const deadline = performance.now() + STOP_MS_MAX
  while (performance.now() < deadline && !hasEnded(child)) await delay(POLL_MS)
}

const logPath = (home: Home) => join(home.directory, 'postgres.log')

async function openLog(home: Home): Promise<FileHandle> {
  const path = logPath(home)
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  if (bytes > LOG_BYTES_MAX) await rename(path, `${path}.1`)
  const log = await open(path, 'a', 0o600)
  await giveToOwner(path)
  return log
}

async function logTail(home: Home, from: number): Promise<string> {
  const lines = (await readFile(logPath(home))).subarray(from).toString().trimEnd().split('\n')
  return lines.slice(-LOG_TAIL_LINES).join('\n')
}

async function writeOwned(path: string, text: string) {
  await writeFile(path, text, { mode: 0o600 })
  await giveToOwner(path)
}

/** The pid namespace, in which alone pids mean something: containers on one volume have several. */
const thisPlace = () => readlink('/proc/self/ns/pid').catch(() => 'this machine')

const readPlace = (home: Home) =>
  readFile(join(home.directory, 'place'), 'utf8').catch(() => 'unknown')

const lastPort = async (home: Home) =>
  Number(await readFile(join(home.directory, 'port'), 'utf8').catch(() => '0'))

/** `wanted` if it is free, so that a restarted server keeps its address, else another port. */
async function freePort(wanted: number): Promise<number> {
  const port = (await listenOnce(wanted)) ?? (await listenOnce(0))
  if (port) return port
  throw new Error('no port is free on 127.0.0.1 for the embedded database')
}

function listenOnce(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const taken = typeof address === 'object' && address ? address.port : null
      server.close(() => resolve(taken))
    })
  })
}
