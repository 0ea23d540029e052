import { createApp } from '~/app.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import type { Currency } from '~/domain/currency.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Follower } from '~/jobs/follower.ts'
import { Refresher } from '~/jobs/refresh.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import type { Spread } from '~/runtime/distributed/spread.ts'
import { monthWriter } from '~/runtime/file/month-writer.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createFileStore } from '~/store/file/file-store.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { readPool } from '~/store/read-pool.ts'
import { switchProvider } from './activity.ts'
import { heldAlerts } from './alerts.ts'
import { clockAt, type HandClock } from './clock.ts'
import { underContract } from './contract.ts'
import { noEvidence, testSigner } from './evidence.ts'
import { followerOn, recorderOn } from './followed.ts'
import { pastOf } from './past.ts'
import { quietPortal } from './portal.ts'
import { sourcesOf } from './sources.ts'
import { worldStreams } from './streams.ts'
import { unwatched } from './unwatched.ts'
import { API, type Reply, replyOf } from './world.ts'

/** Connections of what was known, whose statements are planned for it alone. */
const KNOWN_POOL = { connectionsMax: 2, statementMsMax: 60_000 }

export type Tier = 'hourly' | 'realtime'

/** The service as `serve` composes it over a database, with a clock turned by hand and no jobs. */
export class PastWorld {
  readonly clock: HandClock
  readonly windows = new WindowCache()
  readonly memory = new Memory((publication) => this.windows.note(publication))
  readonly meter = new UsageMeter()
  readonly refresher: Refresher
  readonly follower: Follower
  /** The errors that were logged. */
  readonly errors: string[] = []
  readonly app: ReturnType<typeof createApp>
  #keys: Record<Tier, string> = { hourly: '', realtime: '' }

  constructor(
    readonly database: Database,
    options: {
      at: string
      midMaxAgeMs?: number
      quoteMaxAgeMs?: number | null
      staleAfterMs?: number | null
      quoteSuspectPct?: number | null
      past?: ReturnType<typeof pastOf>
      spread?: Spread | null
    },
  ) {
    this.clock = clockAt(options.at)
    const error = (_: object, message: string) => void this.errors.push(message)
    const log = { debug() {}, info() {}, warn() {}, error }
    const { memory, meter, clock } = this
    this.follower = followerOn(database, { memory, clock, spread: options.spread ?? null })
    this.refresher = new Refresher({ sources: sourcesOf(database), memory, meter, clock, log })
    this.app = underContract(
      createApp({
        memory,
        clock,
        log,
        metering: { meter, limits: { free: 100_000, pro: 100_000, enterprise: 100_000 } },
        ageLimits: {
          midMaxAgeMs: options.midMaxAgeMs ?? 72 * 3_600_000,
          quoteMaxAgeMs: options.quoteMaxAgeMs ?? null,
          staleAfterMs: options.staleAfterMs ?? null,
          quoteSuspectPct: options.quoteSuspectPct ?? null,
        },
        store: recorderOn(database, this),
        alerting: heldAlerts(),
        past: options.past ?? pastOf(database, this.windows),
        known: createKnownStore(readPool(database, KNOWN_POOL)),
        files: createFileStore(database),
        monthWriter,
        evidence: noEvidence,
        signer: testSigner,
        streams: worldStreams({ memory, clock }),
        tools: { handle: async () => new Response(null, { status: 404 }) },
        sample: null,
        corsOrigins: [],
        publicUrl: null,
        isProxied: false,
        portal: quietPortal(),
        isDatabaseReachable: async () => true,
        ...unwatched(),
      }),
    )
  }

  /** Makes an account for each tier and loads memory. */
  async start(): Promise<this> {
    for (const [tier, plan] of [
      ['hourly', 'pro'],
      ['realtime', 'enterprise'],
    ] as const) {
      const key = newApiKey((count) => crypto.getRandomValues(new Uint8Array(count)))
      this.#keys[tier] = key
      await createAccountStore(this.database).create({
        email: `${crypto.randomUUID()}@example.com`,
        plan,
        role: 'treasury',
        keyName: 'default',
        keyHash: keyHashOf(key),
      })
    }
    await this.refresher.reload()
    await this.follower.begin()
    return this
  }

  /** Replaces the catalogue, as an operator does while the service runs. */
  async apply(catalogue: { currencies: readonly Currency[]; providers: readonly Provider[] }) {
    await createCatalogueStore(this.database).apply(catalogue)
    await this.follower.caughtUp()
  }

  /** Records that a provider was switched on or off at a time. */
  async switch(providerId: string, isActive: boolean, at: string) {
    await switchProvider(this.database, { providerId, isActive, atMs: Date.parse(at) })
    await this.follower.check()
  }

  async get(path: string, tier: Tier = 'realtime', init: RequestInit = {}): Promise<Reply> {
    return replyOf(await this.ask(path, tier, init))
  }

  ask(path: string, tier: Tier = 'realtime', init: RequestInit = {}): Promise<Response> {
    const headers = { 'x-api-key': this.#keys[tier], ...(init.headers as object) }
    return this.app.handle(new Request(`${API}${path}`, { ...init, headers }))
  }

  /** The key of the treasury account of the realtime tier. */
  get key(): string {
    return this.#keys.realtime
  }

  post(rows: readonly object[]): Promise<Reply> {
    return this.send('/rates', rows)
  }

  /** Posts a body with the key of a treasury account. */
  async send(path: string, body: unknown): Promise<Reply> {
    const headers = { 'x-api-key': this.#keys.realtime, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return replyOf(await this.app.handle(new Request(`${API}${path}`, init)))
  }
}
