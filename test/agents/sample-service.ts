import { preparedDemo } from '~/command/demo-sample.ts'
import { loadConfig } from '~/config.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { startService } from '~/runtime/service.ts'
import { sampleEnd } from '~/sample/sample.ts'
import { clockAt } from '../support/clock.ts'
import { freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

/** A morning of the sample's last day, so that no time has to be shifted. */
export const NOW_MS = Math.floor(Date.parse(sampleEnd) / DAY_MS) * DAY_MS + 9.5 * 3_600_000

const SETTINGS = { PORT: '0', REFERENCE_FEED: 'none', QUOTA_ENTERPRISE: '100000' }
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** The whole sample behind a service as `serve` starts it, its database, and a realtime key. */
export async function sampleService() {
  const clock = clockAt(new Date(NOW_MS).toISOString())
  const database = await freshDatabase()
  const { accounts } = await preparedDemo({
    database,
    config: { dataDir: await scratchFolder(), publicUrl: null, host: '127.0.0.1', port: 3000 },
    clock,
    say() {},
  })
  const service = await startService({
    ...{ config: loadConfig(SETTINGS), clock, log, database, sample: null },
  })
  return { service, database, key: accounts.find(({ plan }) => plan === 'enterprise')!.key }
}
