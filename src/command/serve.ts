import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { Interruption, unlessInterrupted } from './interruption.ts'
import { baseUrl, type Service, startService } from './service.ts'
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
      const opening = openDatabase({ databaseUrl, dataDir, use: 'service', say })
      const start = async () => {
        const database = await opening
        await migrate(database)
        const options = { config, clock: systemClock, log, database, sample: null }
        const isAlone = config.workers === 1
        const begun = isAlone ? startService(options) : startWorkers({ ...options, terminal })
        return { service: await begun, where: database.where }
      }
      const { service, where } = await started(start, closing(opening))
      say(`database: ${where}`)
      terminal.print(`corridor answers at ${baseUrl(service.origin)}`)
      await untilSignal(service)
    })
}

/**
 * What a start comes to, undone where it fails. Being told to stop before that is no failure: it
 * ends the process with 0, as it would a moment later.
 */
export async function started<T>(start: () => Promise<T>, undo: () => Promise<void>): Promise<T> {
  try {
    return await unlessInterrupted(start, undo)
  } catch (error) {
    if (error instanceof Interruption) process.exit(0)
    throw error
  }
}

const STOP_SECONDS_MAX = 9

/**
 * Serves until SIGTERM or SIGINT, then stops in order; a second signal, or a hang, ends at once.
 */
export async function untilSignal(service: Service): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  const giveUp = () => process.exit(1)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, giveUp)
  const timer = setTimeout(giveUp, STOP_SECONDS_MAX * 1000)
  await service.drain?.()
  await service.stop()
  clearTimeout(timer)
  process.exit(0)
}
