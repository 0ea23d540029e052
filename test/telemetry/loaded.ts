import { systemClock } from '~/clock.ts'
import { createLog } from '~/log.ts'

/**
 * Prints the packages that the command which starts a service has loaded, and those of a service
 * with telemetry, with an address for its traces or none.
 */
await import('~/command/serve.ts')
const command = packages()
await import('~/runtime/service.ts')
const { loadConfig } = await import('~/config.ts')
const { Telemetry } = await import('~/runtime/telemetry.ts')
const [, , tracesUrl = null] = process.argv
const log = createLog({ level: 'silent', format: 'json' })
const config = { ...loadConfig({}), tracesUrl }
const telemetry = await Telemetry.start({ config, clock: systemClock, log })
await telemetry.stop()
process.stdout.write(JSON.stringify({ command, service: packages() }))

function packages(): string[] {
  const names = Object.keys(require.cache).flatMap((path) => {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path) ?? []
    return name ?? []
  })
  return [...new Set(names)].sort()
}
