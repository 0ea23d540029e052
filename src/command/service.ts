import { type AppDeps, BASE_PATH, createApp } from '~/app.ts'
import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import { noState } from '~/domain/feed-state.ts'
import { Addresses } from '~/http/address.ts'
import { flushUsage } from '~/jobs/flush-usage.ts'
import { recheck } from '~/jobs/recheck.ts'
import { Refresher, type Sources } from '~/jobs/refresh.ts'
import { type Job, startSchedule } from '~/jobs/schedule.ts'
import { RollupVerifier } from '~/jobs/verify-rollups.ts'
import type { Log } from '~/log.ts'
import { ToolServer } from '~/mcp/endpoint.ts'
import { Memory } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { createAccountStore } from '~/store/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createObservationStore, type ObservationStore } from '~/store/observation-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { createRollupStore } from '~/store/rollup-store.ts'
import { createUsageStore } from '~/store/usage-store.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import { FeedService, type Pace } from './feeds.ts'
import { listen } from './listener.ts'
import { NewsFollower } from './news.ts'
import { pastOf } from './past.ts'
import { People } from './people.ts'
import { portalOptions } from './portal.ts'
import { Telemetry } from './telemetry.ts'
import { toolServerOptions } from './tool-server.ts'

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
}

export type Service = {
  readonly origin: string
  /** Stops accepting, finishes what is in flight, writes the usage and closes the database. */
  stop(): Promise<void>
}

/** Loads memory, listens, and starts the jobs; answers when it does. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, clock, log, database } = options
  const telemetry = await Telemetry.start(options)
  const { tracing } = telemetry
  const windows = new WindowCache()
  const memory: Memory = new Memory((news) => {
    windows.note(news)
    feeds.note(news)
    telemetry.notePublication()
  })
  const feeds = new FeedService({ ...options, memory, watch: telemetry.feed })
  const meter = new UsageMeter()
  const observations = createObservationStore(database)
  const usage = createUsageStore(database)
  const sources = sourcesOf(options)
  const refreshing = { sources, memory, meter, clock, log }
  const refresher = new Refresher({ ...refreshing, onCaughtUp: telemetry.onCaughtUp })
  const news = new NewsFollower({ ...options, refresher: telemetry.follow(refresher) })
  await news.start()
  await refresher.reload()
  const metering = { meter, limits: config.quotas }
  const past = pastOf(database, windows, tracing)
  const reading = { memory, clock, log, metering, ageLimits: config, past }
  const tools = new ToolServer({ ...reading, options: toolServerOptions(config) })
  const addresses = new Addresses(config.trustedProxies)
  const listensAt = () => listener.origin
  const people = new People({ ...options, ...reading, addresses, listensAt })
  const app = createApp({
    ...reading,
    tools,
    store: recorderOf(observations, news, tracing),
    feedTimes: (nowMs) => feeds.nextMs(nowMs),
    sample: options.sample,
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl,
    portal: portalOptions({ ...options, addresses, people }),
    ...telemetry.shown({ memory, meter, windows, tools, database }),
    isDatabaseReachable: () => answers(database),
  })
  const listener = listen(config, { handle: app.fetch, log, addresses })
  const jobs = jobsOf({ memory, meter, clock, log, refresher, usage, observations, tools })
  const allJobs = [...jobs, people.job, news.job, ...feeds.jobs, verification(options, memory)]
  const schedule = startSchedule(allJobs.map(telemetry.job), log)
  feeds.start(schedule)
  return {
    origin: listener.origin,
    async stop() {
      tools.close()
      feeds.stop()
      await listener.stop()
      await schedule.stop()
      news.stop()
      await flushUsage(meter, usage).catch((err) => log.error({ err }, 'usage was not written'))
      await people.stop()
      await telemetry.stop()
      await database.close()
    },
  }
}

/** A batch whose answer was lost may be recorded all the same: memory then has to learn of it. */
function recorderOf(
  observations: ObservationStore,
  news: NewsFollower,
  tracing: Tracing | null,
): AppDeps['store'] {
  return {
    answered: (idempotency) => orUnavailable(observations.answered(idempotency)),
    async record(batch) {
      try {
        const recorded = traced(tracing, 'database record', () => observations.record(batch))
        return await orUnavailable(recorded)
      } catch (error) {
        news.doubt()
        throw error
      }
    },
  }
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

async function answers({ sql }: Database): Promise<boolean> {
  const deadline = new Promise<false>((resolve) => {
    setTimeout(() => resolve(false), READY_WAIT_MS)
  })
  const query = sql`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([query, deadline])
}

const READY_WAIT_MS = 1000

type JobDeps = {
  memory: Memory
  meter: UsageMeter
  clock: Clock
  log: Log
  refresher: Refresher
  usage: ReturnType<typeof createUsageStore>
  observations: ReturnType<typeof createObservationStore>
  tools: ToolServer
}

const jobsOf = ({
  memory,
  meter,
  clock,
  log,
  refresher,
  usage,
  observations,
  tools,
}: JobDeps): Job[] => [
  { name: 'flush-usage', pattern: '* * * * * *', run: () => flushUsage(meter, usage) },
  { name: 'prune-sessions', pattern: '30 * * * * *', run: async () => tools.prune() },
  {
    name: 'prune',
    pattern: '1 * * * *',
    async run() {
      memory.prune(clock.now())
      meter.prune(clock.now())
      await observations.pruneIdempotency(clock.now())
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
  return { name: 'verify-rollups', pattern: '5-59/10 * * * *', run: () => verifier.run() }
}

export const baseUrl = (origin: string): string => `${origin}${BASE_PATH}`
