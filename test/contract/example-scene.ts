import { loadConfig } from '~/config.ts'
import { startService } from '~/runtime/service.ts'
import { clockAt } from '../support/clock.ts'
import { freshDatabase } from '../support/postgres.ts'
import { ExampleAccounts } from './example-accounts.ts'
import { loadExampleSample } from './example-sample.ts'

const NOW = '2026-03-05T14:25:30.500Z'
const SETTINGS = {
  PORT: '0',
  REFERENCE_FEED: 'none',
  LOG_LEVEL: 'silent',
  AUTH_FAILURES_PER_MINUTE: '3',
  HISTORY_WORK_MAX: '1',
  INGEST_WORK_MAX: '1',
  WORK_WAITING_MAX: '8',
  STREAMS_MAX: '4',
  LOG_SEAL_EVERY: 'off',
}

/**
 * The service that returns the document's examples, as `serve` starts it, on part of the sample, at
 * a fixed time.
 */
export async function exampleScene() {
  const database = await freshDatabase()
  const clock = clockAt(NOW)
  await loadExampleSample(database, clock.now())
  const accounts = await ExampleAccounts.in(database, clock.now())
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const addressesOf = async () => ['93.184.215.14']
  const config = loadConfig(SETTINGS)
  const options = { config, clock, log, database, sample: null, addressesOf }
  const service = await startService(options)
  const end = async () => {
    await service.stop()
    await database.close()
  }
  return { database, clock, accounts, origin: service.origin, end }
}
