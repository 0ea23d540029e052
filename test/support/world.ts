import { createApp } from '~/app.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Batch, Idempotency, Withdrawal } from '~/domain/observation.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import type { Quote } from '~/domain/quote.ts'
import { homeOf } from '~/http/edge/home.ts'
import type { KnownDeps, PastDeps } from '~/http/known/past.ts'
import type { Log } from '~/log.ts'
import { ToolServer } from '~/mcp/endpoint.ts'
import type { GuardOptions } from '~/mcp/guard.ts'
import { LiveMemory } from '~/memory/live/live.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import type { PortalOptions } from '~/portal/routes.ts'
import type { LogReader } from '~/service/evidence/log.ts'
import type { FeedTimes } from '~/service/fetch.ts'
import type { FileStore } from '~/service/file/kept-file.ts'
import type { IngestDeps } from '~/service/recording/ingest.ts'
import type { WithdrawalStore } from '~/service/recording/withdraw.ts'
import { Exposition } from '~/telemetry/exposition.ts'
import { RequestFigures } from '~/telemetry/request-figures.ts'
import type { Tracing } from '~/telemetry/tracing.ts'
import { heldAlerts } from './alerts.ts'
import { CURRENCIES, PROVIDERS } from './catalogue.ts'
import { clockAt, type HandClock } from './clock.ts'
import { underContract } from './contract.ts'
import { answersOf } from './days.ts'
import { noEvidence, testSigner } from './evidence.ts'
import { countingMonthWriter, noFiles } from './files.ts'
import { nothingKnown } from './known.ts'
import { emptyPast } from './past.ts'
import { quietPortal } from './portal.ts'
import { serving } from './serving.ts'
import { worldStreams } from './streams.ts'

export const ORIGIN = 'http://localhost'
export const API = `${ORIGIN}/api/v1`

export type Logged = { readonly level: string; readonly context: object; readonly message: string }

/** A whole service over memory: real routes, real rules, a clock set by hand, no database. */
export class World {
  readonly memory = new Memory()
  readonly meter = new UsageMeter()
  readonly logged: Logged[] = []
  readonly requests = new RequestFigures()
  readonly clock: HandClock
  readonly tools: ToolServer
  /** Memory in the order of the log, which tests write by hand. */
  readonly live = new LiveMemory(this.memory)
  readonly streams: ReturnType<typeof worldStreams>
  known = nothingKnown
  readonly log: Log = this.#log()
  readonly app: ReturnType<typeof createApp>
  #ids = 0
  readonly #references: Reference[] = []

  constructor(options: WorldOptions = {}) {
    this.clock = clockAt(options.at ?? '2026-03-05T14:25:30.500Z')
    this.memory.publish(
      { catalogue: { currencies: CURRENCIES, providers: PROVIDERS } },
      this.clock.now(),
    )
    const reading = {
      memory: this.memory,
      clock: this.clock,
      log: options.log ?? this.log,
      metering: { meter: this.meter, limits: { free: 50, pro: 250, enterprise: 1000 } },
      ageLimits: {
        midMaxAgeMs: 72 * HOUR_MS,
        quoteMaxAgeMs: options.quoteMaxAgeMs ?? null,
        staleAfterMs: options.staleAfterMs === undefined ? 7 * DAY_MS : options.staleAfterMs,
        quoteSuspectPct: options.quoteSuspectPct === undefined ? 10 : options.quoteSuspectPct,
        quoteImplausibleTimes: 3,
      },
      past: options.past ?? emptyPast(),
      known: { at: ((ms, work) => this.known.at(ms, work)) as KnownDeps['known']['at'] },
    }
    this.live.begin({ position: 1, atMs: this.clock.now(), hourMs: null })
    this.live.settle()
    const { endSeconds } = options
    this.streams = worldStreams({ ...reading, live: this.live, endSeconds })
    const alerting = heldAlerts(reading)
    this.tools = new ToolServer({
      ...reading,
      streams: this.streams,
      addressOf: () => '192.0.2.1',
      alerting,
      homeOf: (request) => homeOf(request, { publicUrl: null, isProxied: false }),
      options: { ...TOOL_OPTIONS, ...options.tools },
    })
    this.app = underContract(
      createApp({
        ...reading,
        alerting,
        tools: this.tools,
        streams: this.streams,
        files: options.files ?? noFiles,
        monthWriter: countingMonthWriter,
        evidence: options.evidence ?? noEvidence,
        signer: testSigner,
        store: serving({ ...storeOf(options.store), referencesAt: this.#referencesAt }, this),
        ...(options.feedTimes && { feedTimes: options.feedTimes }),
        sample: options.sample ?? null,
        corsOrigins: options.corsOrigins ?? [],
        publicUrl: options.publicUrl ?? null,
        isProxied: options.isProxied ?? false,
        portal: quietPortal(options.portal),
        isDatabaseReachable: async () => true,
        requests: this.requests,
        tracing: options.tracing ?? null,
        metrics: new Exposition(this.requests.metrics),
        metricsToken: options.metricsToken ?? null,
      }),
    )
  }

  /** Creates an account with one key and returns the key. */
  key(plan: Plan = 'enterprise', role: Role = 'member'): string {
    return this.account(plan, role).key
  }

  account(plan: Plan, role: Role = 'member'): { id: string; keyId: string; key: string } {
    const id = crypto.randomUUID()
    const account = { id, email: `${id}@example.com`, plan, role }
    const key = this.addKey(id)
    this.memory.publish({ access: { accounts: [account], keys: [] } }, this.clock.now())
    return { id, ...key }
  }

  addKey(
    accountId: string,
    name = 'default',
    dailyBudget: number | null = null,
    origins: readonly string[] | null = null,
  ) {
    const random = (count: number) => crypto.getRandomValues(new Uint8Array(count))
    const key = newApiKey(random, dailyBudget !== null)
    const keyId = crypto.randomUUID()
    const row = {
      id: keyId,
      accountId,
      name,
      hash: keyHashOf(key),
      lastFour: null,
      dailyBudget,
      origins,
      revokedMs: null,
    }
    this.memory.publish({ access: { accounts: [], keys: [row] } }, this.clock.now())
    return { keyId, key }
  }

  /** Publishes quotes; by default a retail quote of USD/KES recorded now, without a fee. */
  quote(...quotes: (Partial<Quote> & { providerId: string; rate: number; at?: string })[]): void {
    const added = {
      quotes: quotes.map(({ at, ...quote }) => ({
        id: ++this.#ids,
        atMs: at ? Date.parse(at) : this.clock.now(),
        from: 'USD',
        to: 'KES',
        fee: null,
        feeCurrency: null,
        evidence: 'observed' as const,
        offer: null,
        rateType: PROVIDERS.find(({ id }) => id === quote.providerId)?.rateType ?? 'retail',
        ...quote,
      })),
    }
    this.memory.learn(answersOf(this.#references, this.memory.expect(added)))
    this.memory.publish(added, this.clock.now())
  }

  /** Publishes one snapshot of the feed: units of each currency per US dollar. */
  reference(perUsd: Record<string, number>, { at, source = 'feed' }: ReferenceOptions = {}): void {
    const atMs = at ? Date.parse(at) : this.clock.now()
    const references: Reference[] = Object.entries(perUsd).map(([code, rate]) => ({
      id: ++this.#ids,
      atMs,
      currency: code,
      perUsd: rate,
      source,
    }))
    this.#references.push(...references)
    this.memory.publish({ references }, this.clock.now())
  }

  #referencesAt = async (probes: readonly Probe[]) => answersOf(this.#references, probes)

  async get(path: string, key?: string, init: RequestInit = {}): Promise<Reply> {
    const headers = new Headers(init.headers)
    if (key !== undefined) headers.set('x-api-key', key)
    return replyOf(await this.app.handle(new Request(`${API}${path}`, { ...init, headers })))
  }

  /** Sends a body as JSON, or none, by any method. */
  async send(method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}) {
    const headers = {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method, headers, ...(body !== undefined && { body: text }) }
    return replyOf(await this.app.handle(new Request(`${API}${path}`, init)))
  }

  async post(
    body: unknown,
    key?: string,
    headers: Record<string, string> = {},
    path = '/rates',
  ): Promise<Reply> {
    const request = new Request(`${API}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { 'x-api-key': key }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return replyOf(await this.app.handle(request))
  }

  #log(): Log {
    const at = (level: string) => (context: object, message: string) =>
      void this.logged.push({ level, context, message })
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  }
}

const TOOL_OPTIONS: GuardOptions = { allowedHosts: [], allowedOrigins: [] }

type WorldOptions = {
  evidence?: LogReader
  files?: FileStore
  endSeconds?: number | undefined
  at?: string
  quoteMaxAgeMs?: number
  /** 7 days by default. */
  staleAfterMs?: number | null
  /** 10 by default. */
  quoteSuspectPct?: number | null
  feedTimes?: FeedTimes
  corsOrigins?: string[]
  publicUrl?: string
  sample?: string
  isProxied?: boolean
  store?: WorldStore
  past?: PastDeps
  portal?: Partial<PortalOptions>
  tools?: Partial<GuardOptions>
  tracing?: Tracing
  metricsToken?: string
  log?: Log
}

type ReferenceOptions = { at?: string; source?: string }

// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
export type Reply = { status: number; headers: Headers; text: string; body: any }

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  const body = isJson && text !== '' ? JSON.parse(text) : null
  return { status: response.status, headers: response.headers, text, body }
}

/** Store of a world's recordings; without `answered` it remembers no earlier response. */
export type WorldStore = Pick<IngestDeps['store'], 'record'> &
  Partial<IngestDeps['store'] & WithdrawalStore>

const refusingStore: WorldStore = {
  record: () => Promise.reject(noDatabase()),
}

const noDatabase = () => new Error('this world has no database')

const storeOf = (store: WorldStore = refusingStore) => ({
  record: (batch: Batch) => store.record(batch),
  answered: async (idempotency: Idempotency) => store.answered?.(idempotency) ?? null,
  named: async (ids: readonly number[]) => store.named?.(ids) ?? [],
  withdraw: async (withdrawal: Withdrawal) =>
    store.withdraw?.(withdrawal) ?? Promise.reject(noDatabase()),
})
