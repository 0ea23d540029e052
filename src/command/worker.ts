import type { Command } from 'commander'
import { monotonicMs, systemClock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { OwnLog } from '~/log.ts'
import { undoOnFailure } from '~/runtime/opened.ts'
import type { Service } from '~/runtime/service.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import { metricsOfAllBy, READY } from '~/runtime/worker-metrics.ts'
import { DATABASE_AWAY } from '~/runtime/workers.ts'
import { openDatabase } from '~/store/database.ts'
import { isOutage } from '~/store/outage.ts'
import { moveTo } from '~/store/server-address.ts'
import { endAtBugs, endInOrder, startReported } from './serving.ts'
import { CommandFailure, configOf, type Terminal } from './terminal.ts'

const STOP_MS_MAX = 9_000
/** Connections of all workers together, not counting their listening ones. */
const CONNECTIONS_MAX = 48
const CONNECTIONS_EACH_MAX = 10
/** Connections of all workers together for queries of the past, which have their own. */
const HISTORY_CONNECTIONS_MAX = 32

/** One of the processes that `serve` starts with WORKERS; the help leaves it out. */
export function addWorker(program: Command, terminal: Terminal): void {
  program
    .command('worker', { hidden: true })
    .description('one of the processes that serve starts with WORKERS')
    .argument('[place]', 'which of them it is', Number, 0)
    .action((worker: number) => {
      const tell = process.send?.bind(process)
      if (!tell) throw new CommandFailure('workers are started by `corridor serve` with WORKERS')
      return startReported(terminal, { configOf, worker }, (config, log) =>
        work(tell, { config, log, env: terminal.env }),
      )
    })
}

type Tell = NonNullable<typeof process.send>

type Own = { readonly config: Config; readonly log: OwnLog; readonly env: Terminal['env'] }

async function work(tell: Tell, own: Own): Promise<void> {
  const { log } = own
  endAtBugs(log, { abandon: async () => {} })
  const dismissed = dismissal()
  const supervisor = {
    send: tell,
    onMessage: (onMessage: (message: unknown) => void) => void process.on('message', onMessage),
  }
  const service = await startWorker(own, metricsOfAllBy(supervisor)).catch(async (err) => {
    if (!isOutage(err)) throw err
    log.warn({ err }, 'the database became unreachable before this worker was ready')
    await log.flushed()
    process.exit(DATABASE_AWAY)
  })
  tell(READY)
  await dismissed
  const startMs = monotonicMs()
  setTimeout(() => process.exit(1), STOP_MS_MAX)
  await service.drain()
  await service.stop()
  await endInOrder(log, startMs)
}

async function startWorker(
  { config, log, env }: Own,
  shareMetrics: NonNullable<ServiceOptions['shareMetrics']>,
): Promise<Service> {
  const { databaseUrl, dataDir, workers } = config
  const connectionsMax = Math.min(CONNECTIONS_EACH_MAX, Math.floor(CONNECTIONS_MAX / workers))
  const say = (line: string) => log.info({}, line)
  const opening = { databaseUrl, dataDir, connectionsMax, use: 'service', say } as const
  const database = await openDatabase(opening)
  process.on('message', (message) => {
    if (isMove(message)) moveTo(database.sql, message.port)
  })
  const historyMax = Math.min(config.work.historyMax, Math.floor(HISTORY_CONNECTIONS_MAX / workers))
  const own = { ...config, work: { ...config.work, historyMax } }
  const about = { config: own, log, env, clock: systemClock }
  const serving = { ...about, database, sample: null, shareMetrics }
  return undoOnFailure(
    async () => (await import('~/runtime/service.ts')).startService(serving),
    () => database.close(),
  )
}

/** The supervisor's message that its embedded database had to take another port. */
const isMove = (message: unknown): message is { port: number } =>
  typeof message === 'object' && message !== null && 'port' in message

/**
 * Resolves when the supervisor requests the worker's end, once or twice, or is gone. SIGINT and
 * SIGHUP are ignored: a terminal sends them to the supervisor too, which then requests it.
 */
function dismissal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
    process.on('SIGTERM', () => resolve())
    process.once('disconnect', () => resolve())
  })
}
