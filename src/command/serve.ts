import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { requireRights } from '~/store/rights.ts'
import { abandoned, type Hold, Interruption, unlessInterrupted } from './interruption.ts'
import { baseUrl, type Service, startService } from './service.ts'
import { signals } from './signals.ts'
import { closing, configOf, logOf, type Terminal } from './terminal.ts'
import { startWorkers } from './workers.ts'

export function addServe(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('bring the schema up to date, load memory and answer')
    .action(async () => {
      const config = configOf(terminal)
      const log = logOf(config)
      const { databaseUrl, dataDir } = config
      const { say } = terminal
      const { ended } = signals
      const opening = openDatabase({ databaseUrl, dataDir, use: 'service', say, ended })
      const start = async () => {
        const database = await opening
        await requireRights(database.sql, { prunes: config.retentionYears !== null })
        await migrate(database)
        const options = { config, clock: systemClock, log, database, sample: null }
        const isAlone = config.workers === 1
        const begun = isAlone ? startService(options) : startWorkers({ ...options, terminal })
        return { service: await begun, where: database.where }
      }
      const hold = closing(opening)
      const { service, where } = await started(start, hold)
      say(`database: ${where}`)
      terminal.print(`corridor answers at ${baseUrl(service.origin)}`)
      await untilSignal(service, hold)
    })
}

/**
 * What a start comes to, undone where it fails. Being told to stop before that is no failure: it
 * ends the process with 0, as it would a moment later.
 */
export async function started<T>(start: () => Promise<T>, hold: Hold): Promise<T> {
  try {
    return await unlessInterrupted(start, hold)
  } catch (error) {
    if (error instanceof Interruption) process.exit(0)
    throw error
  }
}

/** Orchestrators kill whoever takes ten seconds. */
const STOP_MS_MAX = 9_000
const HUNG_MS_MAX = 900
/** What the database is given where a person asked a second time. */
const ASKED_AGAIN_MS_MAX = 5_000

/**
 * Serves until SIGTERM, SIGINT or SIGHUP, then stops in order. Who asks once more, a second later,
 * has it given up, and so has a hang: only the database is stopped.
 */
export async function untilSignal(service: Service, hold: Hold): Promise<void> {
  const { promise: asked, resolve } = Promise.withResolvers<unknown>()
  const giveUp = (msMax: number) => {
    service.kill?.()
    void abandoned(hold, msMax).then(() => process.exit(1))
  }
  signals.hear({ stop: resolve, giveUp: () => giveUp(ASKED_AGAIN_MS_MAX) })
  await asked
  const timer = setTimeout(giveUp, STOP_MS_MAX, HUNG_MS_MAX)
  await service.drain?.()
  await service.stop()
  clearTimeout(timer)
  process.exit(0)
}
