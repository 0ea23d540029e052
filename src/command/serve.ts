import type { Command } from 'commander'
import { systemClock } from '~/clock.ts'
import { startWorkers } from '~/runtime/workers.ts'
import { serveUntilSignal } from './serving.ts'
import { configOf, type Terminal } from './terminal.ts'

export function addServe(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('bring the schema up to date, load memory and answer')
    .action(() =>
      serveUntilSignal(terminal, { configOf }, async (beginning) => {
        const { baseUrl, startService } = await import('~/runtime/service.ts')
        const options = { ...beginning, clock: systemClock, sample: null }
        const isAlone = beginning.config.workers === 1
        const service = await (isAlone
          ? startService(options)
          : startWorkers({ ...options, env: terminal.env }))
        return { service, lines: [`corridor answers at ${baseUrl(service.origin)}`] }
      }),
    )
}
