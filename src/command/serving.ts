import { monotonicMs, msSince } from '~/clock.ts'
import { type Config, misspeltIn } from '~/config.ts'
import { createLog, type OwnLog } from '~/log.ts'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import type { RunningService } from '~/runtime/service.ts'
import { type Database, openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { requireRights } from '~/store/rights.ts'
import { schemaName } from '~/store/schema-version.ts'
import { version } from '../../package.json'
import { abandoned, type Hold, Interruption, unlessInterrupted } from './interruption.ts'
import { signals } from './signals.ts'
import { closing, logOf, secretsOf, type Terminal } from './terminal.ts'

/** Dependencies for starting a service. */
type Beginning = {
  readonly config: Config
  readonly log: OwnLog
  readonly database: Database
}

type Settings = {
  configOf(terminal: Terminal): Config
  /** The number of this worker, if there are several; it is in every line of the log. */
  readonly worker?: number | undefined
}

type Begun = {
  readonly service: RunningService
  /** Lines for the person who started it. */
  readonly lines: readonly string[]
}

/** Opens and migrates the database, and serves until a signal; undoes everything if it cannot. */
export const serveUntilSignal = (
  terminal: Terminal,
  settings: Settings,
  begin: (beginning: Beginning) => Promise<Begun>,
): Promise<void> =>
  startReported(terminal, settings, async (config, log) => {
    const { databaseUrl, dataDir, revision, workers } = config
    log.info({ version, revision, runtime: `bun ${Bun.version}`, workers }, 'corridor starts')
    for (const line of misspeltIn(terminal.env)) log.warn({}, line)
    const say = (line: string) => log.info({}, line)
    const { ended } = signals
    const opening = openDatabase({ databaseUrl, dataDir, use: 'service', say, ended })
    const hold = closing(opening)
    endAtBugs(log, hold)
    const start = async () => {
      const database = await prepared(opening, { config, log })
      return begin({ config, log, database })
    }
    const { service, lines } = await started(start, { hold, log })
    log.info({ url: service.origin }, 'corridor answers')
    for (const line of lines) terminal.print(line)
    await untilSignal(service, { hold, log })
  })

/**
 * Starts something with its settings and a log of its own. A failure is thrown for a person to
 * read; if lines are JSON it becomes one of them, whatever the level, and ends the process.
 */
export async function startReported(
  terminal: Terminal,
  { configOf, worker }: Settings,
  start: (config: Config, log: OwnLog) => Promise<void>,
): Promise<void> {
  let config: Config | null = null
  try {
    config = configOf(terminal)
    await start(config, logOf(config, worker))
  } catch (error) {
    if (isForPeople(terminal, config)) throw error
    const secrets = config ? secretsOf(config) : []
    const log = createLog({ level: 'error', format: 'json', secrets, worker })
    log.error(behind(error as Error), `corridor ends: ${(error as Error).message}`)
    await log.flushed()
    process.exit(1)
  }
}

/** Returns what an error's sentence leaves out; for an error of our own that is its cause. */
function behind(error: Error): { err?: unknown } {
  if (error.cause !== undefined) return { err: error.cause }
  return error.name === 'Error' ? {} : { err: error }
}

/** Reports whether lines are for people, also when the settings could not be read. */
function isForPeople({ env, isTerminal }: Terminal, config: Config | null): boolean {
  const format = config?.logFormat ?? env.LOG_FORMAT?.trim()
  return format ? format === 'pretty' : isTerminal
}

async function prepared(
  opening: Promise<Database>,
  { config, log }: Omit<Beginning, 'database'>,
): Promise<Database> {
  const startMs = monotonicMs()
  const say = (line: string) => log.info({}, line)
  const database = await withHeartbeat({ what: 'opening the database', say }, () => opening)
  await requireRights(database.sql, { prunes: config.retentionYears !== null })
  const upToDate = { what: 'bringing the schema up to date', say }
  const migrations = await withHeartbeat(upToDate, () => migrate(database))
  const { kind, where, sql } = database
  const ms = msSince(startMs)
  const context = { database: kind, where, schema: await schemaName(sql), migrations, ms }
  log.info(context, 'the database is open')
  return database
}

type Ending = { readonly hold: Hold; readonly log: OwnLog }

/** The result of a start, undone if it fails. A signal to stop ends the process with 0. */
async function started<T>(start: () => Promise<T>, { hold, log }: Ending): Promise<T> {
  try {
    return await unlessInterrupted(start, hold)
  } catch (error) {
    if (!(error instanceof Interruption)) throw error
    log.info({}, 'corridor was stopped before it was ready')
    await log.flushed()
    process.exit(0)
  }
}

/** The time that a stop may take; orchestrators kill a process after ten seconds. */
const STOP_MS_MAX = 9_000
const HUNG_MS_MAX = 900
/** The time that the database gets to stop after a second signal. */
const ASKED_AGAIN_MS_MAX = 5_000

/**
 * Serves until SIGTERM, SIGINT or SIGHUP, then stops in order. A second signal, at least a second
 * later, makes it give up, and so does a hang: then only the database is stopped.
 */
export async function untilSignal(service: RunningService, { hold, log }: Ending): Promise<void> {
  const { promise: asked, resolve } = Promise.withResolvers<string>()
  const giveUp = async (msMax: number) => {
    log.error({}, 'corridor stops at once, without finishing in order')
    service.kill?.()
    await Promise.all([abandoned(hold, msMax), log.flushed()])
    process.exit(1)
  }
  signals.listen({ stop: resolve, giveUp: () => void giveUp(ASKED_AGAIN_MS_MAX) })
  const signal = await asked
  const startMs = monotonicMs()
  log.info({ signal }, 'corridor stops')
  const timer = setTimeout(giveUp, STOP_MS_MAX, HUNG_MS_MAX)
  await service.drain?.()
  await service.stop()
  clearTimeout(timer)
  await endInOrder(log, startMs)
}

/** Ends the process once the last line is written. */
export async function endInOrder(log: OwnLog, startMs: number): Promise<never> {
  log.info({ ms: msSince(startMs) }, 'corridor has stopped')
  await log.flushed()
  process.exit(0)
}

/** Logs an uncaught error and ends the process with 1, once all that is held is released. */
export function endAtBugs(log: OwnLog, hold: Pick<Hold, 'abandon'>): void {
  const crash = async (error: unknown) => {
    log.error({ err: error }, 'corridor ends after an uncaught error')
    await Promise.all([abandoned(hold, ASKED_AGAIN_MS_MAX), log.flushed()])
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}
