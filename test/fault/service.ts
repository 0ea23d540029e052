import { untilSignal } from '~/command/serving.ts'
import { closing } from '~/command/terminal.ts'
import { loadConfig } from '~/config.ts'
import { baseUrl } from '~/http/path.ts'
import { createLog } from '~/log.ts'
import { undoOnFailure } from '~/runtime/opened.ts'
import { startService } from '~/runtime/service.ts'
import { openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { SharedClock } from './shared-clock.ts'

/** `corridor serve` with a clock that the test sets; it ends with the process that started it. */
const config = loadConfig(process.env)
const log = createLog({ level: config.logLevel, format: config.logFormat })
const clock = new SharedClock(process.env.CLOCK_FILE!)
const { databaseUrl, dataDir } = config
process.stdin.on('end', () => process.exit(3)).resume()
const say = (line: string) => log.info({}, line)
const database = await openDatabase({ databaseUrl, dataDir, use: 'service', say })
const start = async () => {
  await migrate(database)
  return startService({ config, clock, log, database, sample: null })
}
const service = await undoOnFailure(start, () => database.close())
console.log(`corridor answers at ${baseUrl(service.origin)}`)
await untilSignal(service, { hold: closing(Promise.resolve(database)), log })
