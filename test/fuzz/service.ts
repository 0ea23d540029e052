import { heapStats } from 'bun:jsc'
import { createInterface } from 'node:readline'
import { systemClock } from '~/clock.ts'
import { loadConfig } from '~/config.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { createLog } from '~/log.ts'
import { undoOnFailure } from '~/runtime/opened.ts'
import { startService } from '~/runtime/service.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { type Database, openDatabase } from '~/store/database.ts'
import { migrate } from '~/store/migrate.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { inArrays, observation } from '../store/samples.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'

/**
 * The whole service on its embedded database, with some data and accounts. Prints its address and
 * keys as JSON; for each line of input it prints its memory after a collection.
 */
const config = loadConfig(process.env)
const log = createLog({ level: config.logLevel, format: config.logFormat })
const { databaseUrl, dataDir } = config
const say = (line: string) => log.info({}, line)
const database = await openDatabase({ databaseUrl, dataDir, use: 'service', say })
/** Resolves every host to this machine, so that no webhook leaves it. */
const addressesOf = async () => ['127.0.0.1']
const start = async () => {
  await migrate(database)
  const made = await stocked(database)
  const options = { config, clock: systemClock, log, database, sample: null, addressesOf }
  const running = await startService(options)
  return { service: running, keys: made }
}
const { service, keys } = await undoOnFailure(start, () => database.close())
const password = decodeURIComponent(String(database.sql.options.pass ?? ''))
console.log(JSON.stringify({ origin: service.origin, keys, secrets: [password] }))

createInterface({ input: process.stdin })
  .on('line', () => {
    Bun.gc(true)
    Bun.gc(true)
    const { heapSize, objectCount } = heapStats()
    console.log(JSON.stringify({ rss: process.memoryUsage().rss, heapSize, objectCount }))
  })
  .on('close', async () => {
    await service.stop()
    process.exit(0)
  })

async function stocked(to: Database): Promise<Record<string, string>> {
  await createCatalogueStore(to).apply({ currencies: CURRENCIES, providers: PROVIDERS })
  const nowMs = systemClock.now()
  const rows = Array.from({ length: 3000 }, (_, i) => {
    const { id, rateType } = PROVIDERS[i % PROVIDERS.length]!
    const rate = String(100 + (i % 13))
    return observation({ providerId: id, rateType, rate, effectiveMs: nowMs - i * 600_000 })
  })
  await importObservations({ database: to, rows: inArrays(rows, 500) })
  const snapshot = await to.sql`
    insert into reference_snapshots (source, fetched_at) values ('feed', now()) returning id`
  await to.sql`
    insert into reference_rates (fetched_at, snapshot_id, currency, per_usd)
    select now(), ${snapshot[0]!.id}, code, 1 + length(code) from currencies where kind = 'fiat'`
  const accounts = createAccountStore(to)
  const made: Record<string, string> = {}
  for (const role of ['member', 'treasury', 'admin'] as const) {
    const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
    const email = `${role}@example.com`
    const plan = role === 'member' ? 'pro' : 'enterprise'
    await accounts.create({ email, plan, role, keyName: role, keyHash: keyHashOf(key) })
    made[role] = key
  }
  return made
}
