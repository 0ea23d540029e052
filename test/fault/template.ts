import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { connect, type Database } from '~/store/database.ts'
import { embeddedBinaries } from '~/store/embedded/binaries.ts'
import { clusterPassword, createCluster } from '~/store/embedded/cluster.ts'
import { ELSEWHERE, embeddedHome, type Home } from '~/store/embedded/home.ts'
import { migrate } from '~/store/migrate.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { Server } from './server.ts'
import {
  CALLERS,
  type CallerName,
  CORRIDORS,
  catalogue,
  PER_USD,
  PROVIDER,
  SOURCE,
} from './world.ts'

const AGE_MS = 48 * HOUR_MS
const ROLE = 'service'
const ROLE_PASSWORD = 'service'

export type CallerKey = { readonly key: string; readonly accountId: string; readonly keyId: string }

/** A stopped database with the test's world in it, which is copied for each scene. */
export type Template = {
  readonly home: Home
  readonly postgres: string
  readonly keys: Readonly<Record<CallerName, CallerKey>>
  /** The time from which the first quotes and the mids apply. */
  readonly sinceMs: number
  /** The superuser's address of a server on a copy of it, and the service's own. */
  adminUrl(port: number): string
  serviceUrl(port: number): string
}

const say = () => {}

export async function createTemplate(folder: string): Promise<Template> {
  const home = await embeddedHome({ dataDir: join(folder, 'template'), say })
  const shelf = home.user ? ELSEWHERE : home.directory
  const { user } = home
  const binaries = await embeddedBinaries({ user, shelf, say })
  await createCluster(home, binaries, { durable: false })
  const { postgres } = binaries
  const logPath = join(folder, 'template.log')
  const server = new Server({ postgres, data: home.data, user, logPath })
  const password = await clusterPassword(home)
  const adminUrl = (port: number) => `postgres://corridor:${password}@127.0.0.1:${port}/corridor`
  const serviceUrl = (port: number) =>
    `postgres://${ROLE}:${ROLE_PASSWORD}@127.0.0.1:${port}/corridor`
  await server.start()
  await createRole(adminUrl(server.port).replace(/corridor$/, 'postgres'))
  const sinceMs = Date.now() - AGE_MS
  const keys = await fill(serviceUrl(server.port), sinceMs)
  await server.stop('fast')
  return { home, postgres, keys, sinceMs, adminUrl, serviceUrl }
}

/** Creates the service's role, which owns its database and is not a superuser. */
async function createRole(url: string): Promise<void> {
  const sql = connect(url, { connectionsMax: 1 })
  await sql.unsafe(`create role ${ROLE} login password '${ROLE_PASSWORD}'`)
  await sql.unsafe(`create database corridor owner ${ROLE}`)
  await sql.end()
}

/** Opens the database at a URL without any check. */
export function databaseAt(url: string): Database {
  const sql = connect(url, { connectionsMax: 3 })
  const close = () => sql.end({ timeout: 1 })
  return { sql, db: drizzle(sql), kind: 'external', where: 'the test', close }
}

async function fill(url: string, sinceMs: number): Promise<Template['keys']> {
  const database = databaseAt(url)
  await migrate(database)
  await createCatalogueStore(database).apply(catalogue)
  const rates = Object.entries(PER_USD).map(([code, rate]) => ({
    currency: code,
    perUsd: String(rate),
  }))
  await createReferenceStore(database).append({ source: SOURCE, fetchedMs: sinceMs, rates })
  const observations = CORRIDORS.map((corridor) => {
    const [from = '', to = ''] = corridor.split('/')
    const price = { rate: '100', fee: null, feeCurrency: null, rateType: 'retail' as const }
    const said = { effectiveMs: sinceMs, notes: null, evidence: 'observed' as const, offer: null }
    return { providerId: PROVIDER, from, to, ...price, ...said }
  })
  await createObservationStore(database).record({ observations, idempotency: null })
  const keys: Partial<Record<CallerName, CallerKey>> = {}
  for (const name of Object.keys(CALLERS) as CallerName[]) keys[name] = await caller(database, name)
  await database.close()
  return keys as Template['keys']
}

async function caller(database: Database, name: CallerName): Promise<CallerKey> {
  const [plan, role] = CALLERS[name]
  const key = newKey()
  const account = { email: `${name}@example.com`, plan, role, keyName: name }
  const created = await createAccountStore(database).create({ ...account, keyHash: keyHashOf(key) })
  return { key, accountId: created.account.id, keyId: created.key.id }
}

export const newKey = (): string =>
  newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
