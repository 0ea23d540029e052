import { type App, createApp } from '~/app.ts'
import { SAMPLE_NOTICE } from '~/domain/sample.ts'
import { Addresses } from '~/http/edge/address.ts'
import { limitingFailures } from '~/http/edge/auth-failures.ts'
import { ConnectionLimiter } from '~/http/edge/connection-limiter.ts'
import { Draining } from '~/http/edge/draining.ts'
import type { Fetch } from '~/http/handler.ts'
import type { HealthDeps } from '~/http/health.ts'
import { type Job, startSchedule } from '~/jobs/schedule.ts'
import { SilenceWatch } from '~/jobs/watch-providers.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { holdsSample } from '~/store/reference-store.ts'
import { createStorageStore } from '~/store/storage/storage-store.ts'
import { RowFigures } from '~/telemetry/row-figures.ts'
import { alertingOf } from './alert/alerting.ts'
import { type Core, openCore } from './core.ts'
import { Evidence } from './evidence/evidence.ts'
import { fileJob, filesOf } from './file/files.ts'
import { monthWriter } from './file/month-writer.ts'
import { accessTokensOf } from './late-keys.ts'
import { type Listener, listen } from './listener.ts'
import { Opened, type Part, undoOnFailure } from './opened.ts'
import { knownOf, pastOf } from './past.ts'
import { People } from './people/people.ts'
import { portalOptions } from './portal.ts'
import { reachability } from './reachability.ts'
import { type Recorder, recorderOf } from './recorder.ts'
import { retentionJobs, serviceJobs } from './service-jobs.ts'
import type { ServiceOptions } from './service-options.ts'
import { type SharedSecret, sharedSecretOf } from './shared-secret.ts'
import { Backups } from './storage/backups.ts'
import { StorageWatch } from './storage/storage-watch.ts'
import { workOf } from './storage/work.ts'
import { Streams } from './stream/streams.ts'
import { Tools, toolServerPlaces } from './tool-server.ts'
import { ConnectorService } from './upstream/connectors.ts'
import { SourceService } from './upstream/sources.ts'

/** A running service: one process, or several on one port. */
export type RunningService = {
  readonly origin: string
  /** Announces the stop, and resolves when senders of requests had the time to notice. */
  drain?(): Promise<void>
  /** Stops accepting, finishes requests in flight, writes the usage and closes the database. */
  stop(): Promise<void>
  /** Kills the service's own processes, if it has any. */
  kill?(): void
}

/** The parts that exist once memory is loaded, and before the first response. */
type Parts = Pick<Core, 'telemetry' | 'follower'> & {
  readonly app: Pick<App, 'fetch' | 'exact'>
  readonly streams: Streams
  readonly jobs: readonly Job[]
  /** Parts that begin after the listener, and end before it. */
  readonly late: readonly Part[]
}

/** One process of the service. `open` comes first, then `start`; each undoes all if it fails. */
export class Service implements RunningService {
  readonly #opened = new Opened()
  readonly #draining: Draining
  readonly #limiter: ConnectionLimiter
  readonly #addresses: Addresses
  readonly #secret: SharedSecret
  #parts: Parts | null = null
  #listener: Listener | null = null

  constructor(private readonly options: ServiceOptions) {
    const { config, log, database } = options
    this.#draining = new Draining(config.shutdownDelayMs)
    this.#limiter = new ConnectionLimiter(log)
    this.#addresses = new Addresses(config.trustedProxies)
    this.#secret = sharedSecretOf(config, database)
  }

  /** Loads memory and creates the parts that respond from it. */
  open(): Promise<void> {
    return this.#undoneOnFailure(async () => {
      this.#parts = this.#partsOf(await openCore(this.options, this.#opened))
    })
  }

  /**
   * Listens and begins the jobs. Creating the parts takes a second on a busy machine: what was
   * committed meanwhile is served from the first response on.
   */
  start(): Promise<void> {
    return this.#undoneOnFailure(async () => {
      const { config, log } = this.options
      const { telemetry, follower, jobs, late } = this.#parts!
      await follower.caughtUp()
      const schedule = this.#opened.add(startSchedule(jobs.map(telemetry.job), log))
      this.#listener = this.#opened.add(listen(config, this.#served(this.#parts!)))
      for (const part of late) this.#opened.add(part).start?.(schedule)
    })
  }

  /** Address of the listener once it has started. */
  get origin(): string {
    return this.#listener!.origin
  }

  drain(): Promise<void> {
    return this.#draining.begin()
  }

  async stop(): Promise<void> {
    await this.#opened.stop()
    await this.options.database.close()
  }

  #undoneOnFailure(work: () => void | Promise<void>): Promise<void> {
    return undoOnFailure(work, () => this.#opened.abandon())
  }

  #partsOf(core: Core): Parts {
    const { options } = this
    const { config, clock, database, sample } = options
    const { memory, live, telemetry, follower, feeds } = core
    memory.isSample = sample !== null
    const secret = this.#secret
    const reading = this.#readingOf(core)
    const streams = new Streams({ ...options, memory, live, secret })
    const alerts = this.#opened.add(alertingOf(options, { core, past: reading.past, secret }))
    const { alerting, deliveries } = alerts
    const { store, observations, storage, rows } = this.#recordingOf(core)
    const work = workOf({ deliveries, rows, storage, telemetry, database })
    const places = { addresses: this.#addresses, listensAt: () => this.origin }
    const shared = { ...options, ...reading, ...places, alerting, recorder: store, secret, work }
    const people = this.#opened.add(new People(shared))
    const tokens = accessTokensOf({ ...options, memory, refresher: core.refresher, secret })
    const asked = { addressOf: this.#addresses.of, ...toolServerPlaces(config) }
    const tools = new Tools({ ...reading, tokens, streams, alerting, ...asked })
    const silence = new SilenceWatch({ store: createSendingStore(database), memory, clock })
    const evidence = new Evidence({ ...options, secret })
    const health = { ...this.#health(core), isRecording: () => storage.isRecording }
    const watched = { store, health, silence, limiter: this.#limiter, storage, rows, deliveries }
    const app = createApp({
      ...reading,
      ...evidence.routes,
      ...telemetry.shown({ ...core, ...watched, evidence, streams, database, clock }),
      ...health,
      ...{ alerting, streams, tools, store, sample, monthWriter },
      files: filesOf(database),
      feedTimes: (nowMs) => feeds.nextMs(nowMs),
      corsOrigins: config.corsOrigins,
      publicUrl: config.publicUrl,
      isProxied: config.trustedProxies > 0,
      portal: portalOptions({ ...shared, people }),
    })
    const late = [new Backups(options), evidence, streams, ...this.#upstreamOf(core, store)]
    const early = [people, alerts, core.changes, core.readReplicas, silence, storage]
    const jobs = [
      ...serviceJobs(options, { core, observations }),
      ...retentionJobs({ ...options, memory }),
      fileJob({ ...reading, database, monthWriter }),
      ...[...early, ...late].flatMap((part) => part.jobs),
    ]
    return { telemetry, follower, app, streams, jobs, late }
  }

  /** Dependencies of everything that reads prices, now or in the past. */
  #readingOf({ memory, newKeys, meter, readReplicas, windows, telemetry }: Core) {
    const { config, clock, log, database } = this.options
    const metering = { meter, limits: config.quotas }
    const past = pastOf(readReplicas, windows, telemetry.tracing)
    const known = this.#opened.add(knownOf(database, config))
    return { memory, newKeys, clock, log, metering, ageLimits: config, past, known }
  }

  #recordingOf({ follower, telemetry, days }: Core) {
    const { config, database, clock, log } = this.options
    const observations = createObservationStore(database, clock)
    const storage = new StorageWatch({ store: createStorageStore(database), clock, log, ...config })
    const rows = new RowFigures()
    const withdrawals = createWithdrawalStore(database)
    const recording = { observations, withdrawals, days, storage, rows, follower }
    const store = recorderOf({ ...recording, tracing: telemetry.tracing, work: config.work })
    return { store, observations, storage, rows }
  }

  /** The parts that query feeds and banks and run connectors. */
  #upstreamOf({ memory, follower, telemetry, feeds }: Core, store: Recorder) {
    const asking = { ...this.options, memory, store, follower }
    const sources = new SourceService({ ...asking, watch: telemetry.source })
    return [feeds, sources, new ConnectorService(asking)]
  }

  #health({ memory, refresher, follower, spread }: Core): HealthDeps {
    const { sql } = this.options.database
    return {
      isStopping: () => this.#draining.isBegun,
      isBehind: () => refresher.isBehind || follower.isFailing,
      ...(spread && {
        workers: () => ({
          ...spread.workers.figures,
          unloaded: memory.current.unloaded?.size ?? 0,
        }),
      }),
      isDatabaseReachable: reachability(() => sql`select 1`),
    }
  }

  /** Handlers of the listener's requests, and the parts that it watches. */
  #served({ app, streams }: Parts) {
    const { config, clock, log } = this.options
    const { of: addressOf } = this.#addresses
    const limits = { perMinute: config.authFailuresPerMinute, addressOf, clock, log }
    const watched = (handle: Fetch) => this.#draining.over(limitingFailures(handle, limits))
    const exact = Object.fromEntries(
      Object.entries(app.exact).map(([path, handle]) => [path, watched(handle)]),
    )
    const edge = { addresses: this.#addresses, limiter: this.#limiter, patience: streams.patience }
    return { handle: watched(app.fetch), exact, log, ...edge }
  }
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const sample =
    options.sample ?? ((await holdsSample(options.database.sql)) ? SAMPLE_NOTICE : null)
  const service = new Service({ ...options, sample })
  await service.open()
  await service.start()
  return service
}
