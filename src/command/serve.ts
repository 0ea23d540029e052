import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { orUndo } from './or-undo.ts'
import { baseUrl, type Service, startService } from './service.ts'
import { configOf, logOf, type Terminal } from './terminal.ts'
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
      const database = await openDatabase({ databaseUrl, dataDir, use: 'service', say })
      const options = { config, clock: systemClock, log, database, sample: null }
      const start = async () => {
        await migrate(database)
        if (config.workers > 1) return startWorkers({ ...options, terminal })
        return startService(options)
      }
      const service = await orUndo(start, () => database.close())
      say(`database: ${database.where}`)
      terminal.print(`corridor answers at ${baseUrl(service.origin)}`)
      await untilSignal(service)
    })
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
