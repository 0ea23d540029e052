import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect, type Sql } from '~/store/database.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { runningPostmaster } from '~/store/embedded/postmaster.ts'
import { run } from '~/store/embedded/run.ts'
import { migrate } from '~/store/migrate.ts'
import { scratchFolder } from './scratch.ts'
import { until } from './until.ts'

const CHILD = join(import.meta.dir, 'embedded-child.ts')

const children: ChildProcess[] = []
const homes: string[] = []
const clients: Sql[] = []
let prepared: Promise<string> | null = null

/** Variable by which `bun run test` gives its workers the data directory that they copy. */
export const PREPARED_VARIABLE = 'CORRIDOR_TEST_DATA_DIR'

type Said = { url?: string; error?: string; say?: string; closed?: boolean }

/** A corridor process that has joined a data directory, or was refused. */
export type Joined = { pid: number; url: string; error: string; close(): Promise<void> }

/** A corridor process from its start; `kill` is `kill -9`. */
export type Launched = { pid: number; joined: Promise<Joined>; kill(): Promise<void> }

/** Starts a process that joins `dataDir`. */
export function launch(dataDir: string, use: 'service' | 'command'): Launched {
  const child = spawn(process.execPath, [CHILD, dataDir, use], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const answer = new Promise<Said>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Said
      if (said.url || said.error) resolve(said)
    })
    void ended.then(() => resolve({ error: 'ended without a word' }))
  })
  const pid = child.pid ?? 0
  const close = async () => {
    child.stdin.write('close\n')
    await ended
  }
  return {
    pid,
    joined: answer.then(({ url = '', error = '' }) => ({ pid, url, error, close })),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A process on a data directory, once it has joined or been refused. */
export const joinAs = (dataDir: string, use: 'service' | 'command') => launch(dataDir, use).joined

/** A path for DATA_DIR that does not exist yet, several folders below one that does. */
export async function newDataDir(): Promise<string> {
  const base = await scratchFolder()
  homes.push(base)
  return join(base, 'not', 'there', 'yet')
}

/**
 * A path for DATA_DIR with a stopped, migrated database in it, which is quicker than creating one.
 */
export async function preparedDataDir(): Promise<string> {
  prepared ??= prepare()
  const dataDir = await newDataDir()
  await mkdir(dataDir, { recursive: true })
  await run('/bin/cp', ['-a', join(await prepared, 'postgres'), dataDir], null)
  return dataDir
}

async function prepare(): Promise<string> {
  const shared = process.env[PREPARED_VARIABLE]
  if (shared) return shared
  const dataDir = await scratchFolder()
  await fillDataDir(dataDir)
  return dataDir
}

/** Creates a migrated database in a data directory, and stops it. */
export async function fillDataDir(dataDir: string): Promise<void> {
  const embedded = await openEmbedded({ dataDir, use: 'command', say: () => {}, durable: false })
  const sql = connect(embedded.url)
  await migrate({ sql })
  await sql.end()
  await embedded.close()
}

/** A client that is closed with the test. */
export function clientOf(url: string): Sql {
  const sql = connect(url, { connectionsMax: 1 })
  clients.push(sql)
  return sql
}

export const clusterOf = (dataDir: string) => join(dataDir, 'postgres', 'data')

export const serverPid = async (dataDir: string) =>
  (await runningPostmaster(clusterOf(dataDir)))?.pid ?? null

/** Sends a signal to the running server of `dataDir`, and waits for its end. */
export async function endServer(dataDir: string, signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
  const pid = await serverPid(dataDir)
  if (!pid) throw new Error(`no server runs on ${dataDir}`)
  process.kill(pid, signal)
  await until('the end of the server', async () => (await serverPid(dataDir)) !== pid)
}

/** The addresses a process listens on, as /proc writes them: hex address, colon, hex port. */
export async function listeningAddresses(port: number): Promise<string[]> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const found: string[] = []
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of (await readFile(table, 'utf8').catch(() => '')).split('\n')) {
      const [, local, , state] = line.trim().split(/\s+/)
      if (state === '0A' && local?.endsWith(suffix)) found.push(local.slice(0, -suffix.length))
    }
  return found
}

/** Ends every process and server of a test; its data directories stay for the next test. */
export async function endProcesses(): Promise<void> {
  for (const sql of clients.splice(0)) await sql.end({ timeout: 1 })
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const base of homes) await endServersIn(base)
}

/** Ends every process and server of a test, and removes its files. */
export async function cleanUp(): Promise<void> {
  await endProcesses()
  for (const base of homes.splice(0)) await rm(base, { recursive: true, force: true })
}

/** Ends every server that still runs on data below `base`. */
export async function endServersIn(base: string): Promise<void> {
  if (!existsSync(base)) return
  for (const path of new Bun.Glob('**/postgres/data/postmaster.pid').scanSync(base)) {
    const dataDir = join(base, path, '..', '..', '..')
    if (await serverPid(dataDir)) await endServer(dataDir, 'SIGQUIT')
  }
}
