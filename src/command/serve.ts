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
    .description('migrate the schema, load memory and serve requests')
    .action(() =>
      serveUntilSignal(terminal, { configOf }, async (beginning) => {
        warnOfNoAddress(beginning)
        const options = { ...beginning, clock: systemClock, sample: null, env: terminal.env }
        const service = await (beginning.config.workers === 1
          ? serveAlone(options)
          : startWorkers(options))
        return { service, lines: [`corridor answers at ${baseUrl(service.origin)}`] }
      }),
    )
}

/** Warns once if the service can only guess its address: a proxy hides the requested one. */
function warnOfNoAddress({ config, log }: Pick<ServiceOptions, 'config' | 'log'>): void {
  if (config.publicUrl !== null) return
  const reason = 'links and the sign-in of applications follow the Host of each request'
  log.warn({ reason }, 'PUBLIC_URL is not set; behind a proxy, sign-in needs it')
}

/** Loads a service's dependencies, which a process that only supervises workers does not need. */
async function serveAlone(options: ServiceOptions): Promise<RunningService> {
  const { startService } = await import('~/runtime/service.ts')
  return startService(options)
}
