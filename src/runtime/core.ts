import { monotonicMs, msSince } from '~/clock.ts'
import { noState } from '~/domain/feed/state.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import { Follower } from '~/jobs/follower.ts'
import { Refresher, type Sources } from '~/jobs/refresh.ts'
import { UsageExchange } from '~/jobs/usage-exchange.ts'
import type { DaySource } from '~/memory/day-publication.ts'
import { LiveMemory } from '~/memory/live/live.ts'
import { Passing } from '~/memory/live/passing.ts'
import { Memory, type Publication } from '~/memory/memory.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { UsageShares } from '~/memory/usage-shares.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { inTime } from '~/service/deadline.ts'
import type { NewKeys } from '~/service/new-keys.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createMeterStore, LEASE_TRUST_MS } from '~/store/access/share-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'
import { memorySizes } from '~/telemetry/memory-metrics.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import { ChangeListener } from './change-listener.ts'
import { Spread } from './distributed/spread.ts'
import { withHeartbeat } from './heartbeat.ts'
import { newKeysOf } from './late-keys.ts'
import type { Opened } from './opened.ts'
import { ReadReplicas } from './read-replicas.ts'
import type { ServiceOptions } from './service-options.ts'
import { Telemetry } from './telemetry.ts'
import { connectorRecords } from './upstream/connectors.ts'
import { FeedService } from './upstream/feeds.ts'

/** The limit on looking up the days of recorded rows, whose sender waits for it. */
const DAYS = { msMax: 2_000, message: 'the references of earlier days took too long to read' }

/** Memory, and the parts that synchronise it with the database. */
export type Core = {
  readonly telemetry: Telemetry
  readonly readReplicas: ReadReplicas
  readonly windows: WindowCache
  readonly memory: Memory
  readonly feeds: FeedService
  readonly meter: UsageMeter
  readonly exchange: UsageExchange
  readonly refresher: Refresher
  readonly changes: ChangeListener
  /** The steps of the log of changes, and the part that applies them. */
  readonly live: LiveMemory
  readonly passing: Passing
  readonly follower: Follower
  /** References of days that memory does not hold, read within a time. */
  readonly days: DaySource
  readonly newKeys: NewKeys
  /** Handling of a database on several servers; null for one PostgreSQL. */
  readonly spread: Spread | null
}

/** Loads memory as the database has it; from here on both are in step. */
export async function openCore(options: ServiceOptions, opened: Opened): Promise<Core> {
  const { clock, log, database } = options
  const readReplicas = opened.add(new ReadReplicas(options))
  const telemetry = opened.add(await Telemetry.start(options))
  const windows = new WindowCache()
  const listeners: ((publication: Publication) => void)[] = []
  const memory = new Memory((publication) => {
    for (const listen of listeners) listen(publication)
  })
  const served = () => follower.caughtUp()
  const feeds = new FeedService({ ...options, memory, served, watch: telemetry.feed })
  listeners.push((publication) => windows.note(publication))
  listeners.push((publication) => readReplicas.note(publication))
  listeners.push((publication) => feeds.note(publication))
  listeners.push(() => telemetry.notePublication())
  const shares = new UsageShares(clock, LEASE_TRUST_MS)
  const meter = new UsageMeter(shares)
  meter.onUsedUp = ({ accountId, keyId, limit }) =>
    log.info(
      { account_id: accountId, key_id: keyId, limit },
      'an account has used its units of today',
    )
  const [usage, meters] = [createUsageStore(database), createMeterStore(database)]
  const exchange = new UsageExchange({ meter, shares, usage, meters, clock })
  const spread = await Spread.of(options)
  const refreshing = { sources: sourcesOf(options), memory, meter, clock, log }
  const refresher = new Refresher({ ...refreshing, onCaughtUp: telemetry.onCaughtUp })
  const live = new LiveMemory(memory)
  const passing = new Passing(live, options.config)
  const logged = loggedOf(options, { spread, tracing: telemetry.tracing })
  const follower = opened.add(new Follower({ ...logged, memory, live, clock, log }))
  memory.positions.onAwaited = () => void follower.caughtUp()
  const watched = telemetry.follow({ refresher, follower })
  const changes = new ChangeListener({ ...options, ...watched, meter })
  const newKeys = newKeysOf({ ...options, refresher })
  const core = { telemetry, readReplicas, windows, memory, feeds, meter, exchange, refresher }
  const followed = { changes, live, passing, follower, days: logged.days }
  const parts = { ...core, ...followed, newKeys, spread }
  await loadMemory(parts, options, opened)
  return parts
}

async function loadMemory(
  { memory, exchange, refresher, changes, follower, spread }: Core,
  { log }: ServiceOptions,
  opened: Opened,
): Promise<void> {
  const startMs = monotonicMs()
  const stop = () => exchange.stop().catch((err) => log.error({ err }, 'usage was not written'))
  opened.add({ stop })
  opened.add(refresher)
  await opened.add(changes).start()
  await exchange.start()
  const say = (line: string) => log.info({}, line)
  await withHeartbeat({ what: 'loading memory', say }, async () => {
    await refresher.reload()
    await follower.begin()
  })
  // Garbage of the load takes more memory than its result, and would stay resident.
  Bun.gc(true)
  spread?.loaded((corridors) => follower.check(corridors))
  const { size: unloaded = 0 } = memory.current.unloaded ?? {}
  if (unloaded > 0) log.warn({ unloaded }, 'prices of corridors are missing until a worker is back')
  log.info({ ...memorySizes(memory), ms: msSince(startMs) }, 'memory is loaded')
}

/** State of feeds and banks of other processes; of no use to a process that requests none. */
function sourcesOf({ database, config, clock }: ServiceOptions) {
  return {
    feeds: config.feeds.length > 0 ? createFeedStateStore(database) : { load: async () => noState },
    quoteSources: { load: () => createSourceStateStore(database).load(config.quoteSources) },
    connectors: { load: () => connectorRecords(config, database, clock.now()) },
    access: createAccountStore(database),
    usage: createUsageStore(database),
  } satisfies Sources
}

/** The log of changes, and the sources of the rows that it names and reports. */
function loggedOf(
  { database }: ServiceOptions,
  { spread, tracing }: { readonly spread: Spread | null; readonly tracing: Tracing | null },
) {
  const references = createReferenceStore(database)
  return {
    changes: createChangeStore(database),
    catalogue: createCatalogueStore(database),
    quotes: { ...createQuoteStore(database), ...spread?.quotes },
    references,
    days: {
      referencesAt: (probes: readonly Probe[]) =>
        inTime(
          traced(tracing, 'database referencesAt', () => references.referencesAt(probes)),
          DAYS,
        ),
    },
    whole: spread?.whole ?? null,
  }
}
