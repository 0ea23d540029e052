import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { baseUrl } from '~/http/path.ts'
import type { RunningService } from '~/runtime/service.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import { startWorkers } from '~/runtime/workers.ts'
import { serveUntilSignal } from './serving.ts'
import { configOf, type Terminal } from './terminal.ts'

export function addServe(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('bring the schema up to date, load memory and answer')
    .action(() =>
      serveUntilSignal(terminal, { configOf }, async (beginning) => {
        const options = { ...beginning, clock: systemClock, sample: null }
        const service = await (beginning.config.workers === 1
          ? serveAlone(options)
          : startWorkers({ ...options, env: terminal.env }))
        return { service, lines: [`corridor answers at ${baseUrl(service.origin)}`] }
      }),
    )
}

/** Loads what a service needs, which a process that only keeps workers has no use for. */
async function serveAlone(options: ServiceOptions): Promise<RunningService> {
  const { startService } = await import('~/runtime/service.ts')
  return startService(options)
}
