import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '~/runtime/listener.ts'
import { spawnOptions } from '~/store/embedded/run.ts'
import type { SystemUser } from '~/store/embedded/user.ts'

const START_MS_MAX = 30_000
const POLL_MS = 20
export const CONNECTIONS_MAX = 60

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  `max_connections=${CONNECTIONS_MAX}`,
  'shared_buffers=16MB',
  'wal_level=replica',
  'max_wal_senders=4',
  'max_wal_size=64MB',
  'min_wal_size=32MB',
  'fsync=off',
  'timezone=UTC',
]

/** End of a server: `fast` rolls back and closes, `immediate` is a crash. */
export type End = 'fast' | 'immediate'

const SIGNALS: Readonly<Record<End, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' }

export type ServerOptions = {
  readonly postgres: string
  readonly data: string
  readonly user: SystemUser | null
  readonly logPath: string
  readonly settings?: readonly string[]
}

/** A PostgreSQL for the test alone, which can be crashed, frozen and restarted on its port. */
export class Server {
  readonly port = freePort('127.0.0.1')
  #child: ChildProcess | null = null

  constructor(private readonly options: ServerOptions) {}

  get data(): string {
    return this.options.data
  }

  /** Reports whether its process runs. */
  get isRunning(): boolean {
    const child = this.#child
    return child !== null && child.exitCode === null && child.signalCode === null
  }

  async start(): Promise<void> {
    const { postgres, data, user, logPath, settings = [] } = this.options
    const args = ['-D', data, '-p', String(this.port)]
    for (const setting of [...SETTINGS, ...settings]) args.push('-c', setting)
    const log = openSync(logPath, 'a')
    const child = spawn(postgres, args, { ...spawnOptions(user), stdio: ['ignore', log, log] })
    this.#child = child
    const deadline = performance.now() + START_MS_MAX
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`PostgreSQL does not start: ${await readFile(logPath, 'utf8')}`)
      await delay(POLL_MS)
    }
  }

  async stop(end: End): Promise<void> {
    const child = this.#child
    if (!child || !this.isRunning) return
    this.thaw()
    const ended = once(child, 'exit')
    child.kill(SIGNALS[end])
    await ended
  }

  /** Pauses every process of it: connections stay open and get no response. */
  freeze(): void {
    this.#signal('SIGSTOP')
  }

  thaw(): void {
    this.#signal('SIGCONT')
  }

  /** Ends its recovery: a standby becomes a primary. */
  async promote(): Promise<void> {
    await writeFile(join(this.data, 'promote'), '')
    this.#child!.kill('SIGUSR1')
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child!
    for (const id of [pid!, ...childrenOf(pid!)])
      try {
        process.kill(id, signal)
      } catch {}
  }

  async #isReady(): Promise<boolean> {
    const text = await readFile(join(this.data, 'postmaster.pid'), 'utf8').catch(() => '')
    const lines = text.split('\n')
    return Number(lines[0]) === this.#child?.pid && /^(ready|standby)/.test(lines[7] ?? '')
  }
}

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return listed.split(' ').filter(Boolean).map(Number)
}
