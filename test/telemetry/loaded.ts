import { systemClock } from '~/clock.ts'
import { createLog } from '~/log.ts'

/** Prints which packages a service has loaded once it tells of itself, with an address or none. */
await import('~/command/serve.ts')
await import('~/runtime/service.ts')
const { loadConfig } = await import('~/config.ts')
const { Telemetry } = await import('~/runtime/telemetry.ts')
const [, , tracesUrl = null] = process.argv
const log = createLog({ level: 'silent', format: 'json' })
const config = { ...loadConfig({}), tracesUrl }
const telemetry = await Telemetry.start({ config, clock: systemClock, log })
await telemetry.stop()

const packages = Object.keys(require.cache).flatMap((path) => {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path) ?? []
  return name ?? []
})
process.stdout.write(JSON.stringify([...new Set(packages)].sort()))
