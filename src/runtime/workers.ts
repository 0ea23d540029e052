import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE_MS } from '~/domain/duration.ts'
import { portOf, serverUrlOf } from '~/store/server-address.ts'
import { originAt, unsharedPort } from './listener.ts'
import type { RunningService } from './service.ts'
import type { ServiceOptions } from './service-options.ts'
import { MetricsOfAll, READY } from './worker-metrics.ts'

const RESTART_MS_MIN = 250
const RESTART_MS_MAX = 30_000
/** How long a worker has to live to be restarted without a noticeable pause. */
const STEADY_MS = MINUTE_MS
/** How often an embedded database that moved is looked for. */
const PORT_MS = 1000
/**
 * How long workers may take to stop before they are killed, in time for the stop to stay orderly.
 */
const STOP_MS_MAX = 8_000

type Deps = Pick<ServiceOptions, 'config' | 'clock' | 'log' | 'database'> & {
  /** The base of the workers' environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Starts `config.workers` processes that answer on one port, each with a memory of its own, like
 * replicas on one machine. Resolves when all of them answer.
 *
 * This process itself answers no requests. It keeps the database open and restarts workers that
 * end. Workers end when it is gone, for whatever reason.
 */
export async function startWorkers(deps: Deps): Promise<RunningService> {
  const { config, database } = deps
  if (process.platform !== 'linux')
    throw new Error('WORKERS above 1 needs Linux, where processes can share a port')
  const port = unsharedPort(config)
  const workers = new Workers(deps, port)
  try {
    await workers.start()
  } catch (error) {
    await workers.stop()
    throw error
  }
  return {
    origin: originAt({ host: config.host, port }),
    async stop() {
      await workers.stop()
      await database.close()
    },
    kill: () => workers.kill(),
  }
}

/** The pause before a restart, after a number of early ends in a row. */
export const restartWaitMs = (failures: number): number =>
  Math.min(RESTART_MS_MIN * 2 ** failures, RESTART_MS_MAX)

type Worker = { readonly child: Bun.Subprocess; readonly ready: Promise<void> }

class Workers {
  /** The running workers, by the number of their place. */
  readonly #running = new Map<string, Bun.Subprocess>()
  readonly #metrics = new MetricsOfAll(() => this.#running)
  readonly #stopping = new AbortController()

  constructor(
    private readonly deps: Deps,
    private readonly port: number,
  ) {}

  /** Resolves when all workers answer; rejects when one of them ends before. */
  async start(): Promise<void> {
    const places = Array.from({ length: this.deps.config.workers }, (_, place) => String(place))
    const first = places.map((place) => this.#begin(place))
    await Promise.all(first.map(({ ready }) => ready))
    this.#tellPort()
    for (const [i, { child }] of first.entries()) void this.#keep(places[i]!, child)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const running = [...this.#running.values()]
    for (const child of running) child.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), STOP_MS_MAX)
    await Promise.all(running.map(({ exited }) => exited))
    clearTimeout(timer)
  }

  /** Kills the workers that are still running. */
  kill(): void {
    this.#stopping.abort()
    for (const child of this.#running.values()) child.kill('SIGKILL')
  }

  /** Tells the workers the database's port whenever it changes, until the stop. */
  #tellPort(): void {
    const { sql } = this.deps.database
    let told = portOf(sql)
    const timer = setInterval(() => {
      const port = portOf(sql)
      if (port === told) return
      told = port
      for (const child of this.#running.values()) child.send({ say: 'port', port })
    }, PORT_MS)
    this.#stopping.signal.addEventListener('abort', () => clearInterval(timer))
  }

  #begin(place: string): Worker {
    const { config, database, env } = this.deps
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    const child = Bun.spawn([process.execPath, Bun.main, 'worker', place], {
      env: {
        ...env,
        DATABASE_URL: config.databaseUrl ?? serverUrlOf(database.sql),
        PORT: String(this.port),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (message, from) => {
        if (message === READY) resolve()
        else this.#metrics.hear(message, from)
      },
    })
    this.#running.set(place, child)
    void child.exited.then(() => {
      if (this.#running.get(place) === child) this.#running.delete(place)
      reject(new Error('a worker ended before it answered; its own lines are above'))
    })
    return { child, ready }
  }

  /** Keeps a worker running in this place until the stop. */
  async #keep(place: string, first: Bun.Subprocess): Promise<void> {
    const { clock, log } = this.deps
    const { signal } = this.#stopping
    let child = first
    for (let failures = 0; ; ) {
      const sinceMs = clock.now()
      await child.exited
      if (signal.aborted) return
      failures = clock.now() - sinceMs < STEADY_MS ? failures + 1 : 0
      const waitMs = restartWaitMs(failures)
      const { pid, exitCode: status, signalCode } = child
      const about = { worker: Number(place), pid, status, signal: signalCode, wait_ms: waitMs }
      log.error(about, 'a worker ended')
      await delay(waitMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const next = this.#begin(place)
      next.ready.then(
        () =>
          log.info({ worker: Number(place), pid: next.child.pid }, 'a worker answers in its place'),
        () => {},
      )
      child = next.child
    }
  }
}
