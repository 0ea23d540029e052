import { type App, BASE_PATH, createApp } from '~/app.ts'
import { type Clock, monotonicMs, msSince } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { noState } from '~/domain/feed/state.ts'
import { Addresses } from '~/http/edge/address.ts'
import { limitingFailures } from '~/http/edge/auth-failures.ts'
import { Door } from '~/http/edge/door.ts'
import { Draining } from '~/http/edge/draining.ts'
import type { Fetch } from '~/http/handler.ts'
import type { HealthDeps } from '~/http/health.ts'
import { recheck } from '~/jobs/recheck.ts'
import { Refresher, type Sources } from '~/jobs/refresh.ts'
import { type Job, startSchedule } from '~/jobs/schedule.ts'
import { UsageExchange } from '~/jobs/usage-exchange.ts'
import { RollupVerifier } from '~/jobs/verify-rollups.ts'
import { SilenceWatch } from '~/jobs/watch-providers.ts'
import type { Log } from '~/log.ts'
import { ToolServer } from '~/mcp/endpoint.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { UsageShares } from '~/memory/usage-shares.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { withHeartbeat } from '~/runtime/heartbeat.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createMeterStore, LEASE_TRUST_MS } from '~/store/access/share-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { once } from '~/store/once.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { memorySizes } from '~/telemetry/memory-metrics.ts'
import { ChangeListener } from './change-listener.ts'
import { FeedService, type Pace } from './feeds.ts'
import { type Listener, listen } from './listener.ts'
import { newKeysOf } from './new-keys.ts'
import { pastOf } from './past.ts'
import { type Deterrents, People } from './people.ts'
import { portalOptions } from './portal.ts'
import { reachability } from './reachability.ts'
import { ReadReplicas } from './read-replicas.ts'
import { recorderOf } from './recorder.ts'
import { retentionJobs } from './retention.ts'
import { type ShareMetrics, Telemetry } from './telemetry.ts'
import { toolServerOptions } from './tool-server.ts'
import { stopOnFailure } from './undo-on-failure.ts'

export type ServiceOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Open and migrated; closed by `stop`. */
  readonly database: Database
  /** What a demonstration says of its data; null for real data. */
  readonly sample: string | null
  /** How feeds are asked; where it is not given, as the real world goes. */
  readonly pace?: Pace
  /** What holds up who guesses passwords; where it is not given, what a service needs. */
  readonly deterrents?: Deterrents
  /** Makes of a process's own metrics those that a scrape is told. */
  readonly shareMetrics?: ShareMetrics
}

export type Service = {
  readonly origin: string
  /** Says that it stops, and resolves when whoever sends requests had the time to notice. */
  drain?(): Promise<void>
  /** Stops accepting, finishes what is in flight, writes the usage and closes the database. */
  stop(): Promise<void>
  /** Ends at once what processes of its own it has. */
  kill?(): void
}

/** Loads memory, listens, and starts the jobs; answers when it does. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, clock, log, database } = options
  const telemetry = await Telemetry.start(options)
  const readReplicas = new ReadReplicas(options)
  const [draining, door] = [new Draining(config.shutdownDelayMs), new Door(log)]
  const [windows, addresses] = [new WindowCache(), new Addresses(config.trustedProxies)]
  const memory: Memory = new Memory((news) => {
    windows.note(news)
    readReplicas.note(news)
    feeds.note(news)
    telemetry.notePublication()
  })
  const feeds = new FeedService({ ...options, memory, watch: telemetry.feed })
  const counting = countingOf(options)
  const loading = { memory, telemetry, readReplicas, ...counting }
  const { refresher, news, newKeys } = await loaded(options, loading)
  const past = pastOf(readReplicas, windows, telemetry.tracing)
  const metering = { meter: counting.meter, limits: config.quotas }
  const reading = { memory, newKeys, clock, log, metering, ageLimits: config, past }
  const tools = new ToolServer({ ...reading, options: toolServerOptions(config) })
  const people = new People({ ...options, ...reading, addresses, listensAt: () => listener.origin })
  const observations = createObservationStore(database)
  const recording = { observations, changes: news, tracing: telemetry.tracing, work: config.work }
  const store = recorderOf(recording)
  const health = healthOf(database, { draining, refresher })
  const watched = { ...counting, database, memory, windows, readReplicas }
  const silence = new SilenceWatch({ store: createSendingStore(database), memory, clock })
  const app = createApp({
    ...reading,
    tools,
    store,
    feedTimes: (nowMs) => feeds.nextMs(nowMs),
    sample: options.sample,
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl,
    portal: portalOptions({ ...options, addresses, people }),
    ...telemetry.shown({ ...watched, tools, store, health, silence, door }),
    ...health,
  })
  const sides = { news, refresher, telemetry, readReplicas, people }
  const listener = await opened(options, { app, addresses, draining, sides, door })
  const jobs = jobsOf({ ...options, ...counting, memory, refresher, observations, tools })
  const pruning = retentionJobs({ ...options, memory })
  const others = [people.job, news.job, ...readReplicas.jobs, ...feeds.jobs, ...pruning]
  const all = [...jobs, ...others, silence.job, verification(options, memory)]
  const schedule = startSchedule(all.map(telemetry.job), log)
  feeds.start(schedule)
  schedule.runNow(silence.job.name)
  const parts = { tools, feeds, listener, schedule, ...counting, ...sides }
  const stop = () => stopped(parts, options)
  return { origin: listener.origin, drain: () => draining.begin(), stop }
}

type Moods = { readonly draining: Draining; readonly refresher: Refresher }

const healthOf = (database: Database, { draining, refresher }: Moods): HealthDeps => ({
  isStopping: () => draining.isBegun,
  isBehind: () => refresher.isBehind,
  isDatabaseReachable: reachability(() => database.sql`select 1`),
})

/** What counts usage, and takes shares of budgets for it. */
function countingOf({ database, clock }: ServiceOptions) {
  const shares = new UsageShares(clock, LEASE_TRUST_MS)
  const meter = new UsageMeter(shares)
  const [usage, meters] = [createUsageStore(database), createMeterStore(database)]
  return { meter, exchange: new UsageExchange({ meter, shares, usage, meters, clock }) }
}

/** Memory as the database has it, and from here on in step with it. */
async function loaded(options: ServiceOptions, loading: Loading) {
  const { memory, meter, exchange, telemetry, readReplicas } = loading
  const { clock, log } = options
  const refreshing = { sources: sourcesOf(options), memory, meter, clock, log }
  const refresher = new Refresher({ ...refreshing, onCaughtUp: telemetry.onCaughtUp })
  const news = new ChangeListener({ ...options, meter, refresher: telemetry.follow(refresher) })
  const startMs = monotonicMs()
  const say = (line: string) => log.info({}, line)
  const start = async () => {
    await news.start()
    await exchange.start()
    await withHeartbeat({ what: 'loading memory', say }, () => refresher.reload())
  }
  await stopOnFailure(start, [news, refresher, telemetry, readReplicas])
  log.info({ ...memorySizes(memory), ms: msSince(startMs) }, 'memory is loaded')
  return { refresher, news, newKeys: newKeysOf(options, refresher) }
}

type Loading = {
  readonly memory: Memory
  readonly meter: UsageMeter
  readonly exchange: UsageExchange
  readonly telemetry: Telemetry
  readonly readReplicas: ReadReplicas
}

type Front = {
  readonly app: Pick<App, 'fetch' | 'exact'>
  readonly addresses: Addresses
  readonly draining: Draining
  readonly door: Door
  /** What has begun already. */
  readonly sides: Readonly<Record<string, { stop(): unknown }>>
}

/** Where requests come in. */
function opened({ config, clock, log }: ServiceOptions, front: Front): Promise<Listener> {
  const { app, addresses, draining, door, sides } = front
  const perMinute = config.authFailuresPerMinute
  const limits = { perMinute, addressOf: addresses.of, clock, log }
  const watched = (handle: Fetch) => draining.over(limitingFailures(handle, limits))
  const exact = Object.fromEntries(
    Object.entries(app.exact).map(([path, handle]) => [path, watched(handle)]),
  )
  const open = () => listen(config, { handle: watched(app.fetch), exact, log, addresses, door })
  return stopOnFailure(open, Object.values(sides))
}

type Stoppable = { stop(): Promise<void> }

type Parts = {
  readonly tools: ToolServer
  readonly feeds: FeedService
  readonly listener: Stoppable
  readonly people: Stoppable
  readonly schedule: Stoppable
  readonly news: ChangeListener
  readonly refresher: Refresher
  readonly exchange: UsageExchange
  readonly telemetry: Stoppable
  readonly readReplicas: Stoppable
}

/** Requests end before the jobs, and what they were counted as is written last. */
async function stopped(parts: Parts, { database, log }: ServiceOptions): Promise<void> {
  const { tools, feeds, listener, people, schedule, exchange, telemetry, readReplicas } = parts
  tools.close()
  feeds.stop()
  await listener.stop()
  await schedule.stop()
  parts.news.stop()
  parts.refresher.stop()
  await exchange.stop().catch((err) => log.error({ err }, 'usage was not written'))
  await people.stop()
  await telemetry.stop()
  await readReplicas.stop()
  await database.close()
}

/** What other processes know of feeds is nothing to one that asks none. */
function sourcesOf({ database, config }: ServiceOptions): Sources {
  return {
    catalogue: createCatalogueStore(database),
    quotes: createQuoteStore(database),
    references: createReferenceStore(database),
    feeds: config.feeds.length > 0 ? createFeedStateStore(database) : { load: async () => noState },
    access: createAccountStore(database),
    usage: createUsageStore(database),
  }
}

type JobDeps = {
  memory: Memory
  meter: UsageMeter
  clock: Clock
  log: Log
  refresher: Refresher
  exchange: UsageExchange
  observations: ReturnType<typeof createObservationStore>
  tools: ToolServer
  database: Database
}

const jobsOf = ({
  memory,
  meter,
  clock,
  log,
  refresher,
  exchange,
  observations,
  tools,
  database,
}: JobDeps): Job[] => [
  { name: 'flush-usage', pattern: '* * * * * *', run: () => exchange.run() },
  { name: 'prune-sessions', pattern: '30 * * * * *', run: async () => tools.prune() },
  {
    name: 'prune',
    pattern: '1 * * * *',
    async run() {
      memory.prune(clock.now())
      meter.prune(clock.now())
      await exchange.prune()
      await once(database, 'corridor prune', () => observations.pruneIdempotency(clock.now()))
    },
  },
  { name: 'catch-up', pattern: '*/2 * * * * *', run: () => refresher.retry() },
  {
    name: 'recheck',
    pattern: '*/10 * * * *',
    run: () => recheck(refresher, log),
  },
]

function verification({ database, clock, log }: ServiceOptions, memory: Memory): Job {
  const verifier = new RollupVerifier({ store: createRollupStore(database), memory, clock, log })
  return {
    name: 'verify-rollups',
    pattern: '5-59/10 * * * *',
    async run() {
      await once(database, 'corridor verify rollups', () => verifier.run())
    },
  }
}

export const baseUrl = (origin: string): string => `${origin}${BASE_PATH}`
