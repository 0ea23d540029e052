import { type App, createApp } from '~/app.ts'
import { SAMPLE_NOTICE } from '~/domain/sample.ts'
import { Addresses } from '~/http/edge/address.ts'
import { limitingFailures } from '~/http/edge/auth-failures.ts'
import { Door } from '~/http/edge/door.ts'
import { Draining } from '~/http/edge/draining.ts'
import type { Fetch } from '~/http/handler.ts'
import type { HealthDeps } from '~/http/health.ts'
import { type Job, startSchedule } from '~/jobs/schedule.ts'
import { SilenceWatch } from '~/jobs/watch-providers.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { createReferenceStore, holdsSample } from '~/store/reference-store.ts'
import { createStorageStore } from '~/store/storage/storage-store.ts'
import { RowFigures } from '~/telemetry/row-figures.ts'
import { accessTokensOf } from './access-tokens.ts'
import { type Alerting, alertingOf } from './alert/alerting.ts'
import { type Core, openCore } from './core.ts'
import { Evidence } from './evidence/evidence.ts'
import { fileJob, filesOf } from './file/files.ts'
import { monthWriter } from './file/month-writer.ts'
import { knownOf } from './known/known.ts'
import { type Listener, listen } from './listener.ts'
import { Opened } from './opened.ts'
import { pastOf } from './past.ts'
import { People } from './people.ts'
import { portalOptions } from './portal.ts'
import { reachability } from './reachability.ts'
import { recorderOf } from './recorder.ts'
import { retentionJobs } from './retention.ts'
import { serviceJobs } from './service-jobs.ts'
import type { ServiceOptions } from './service-options.ts'
import { type SharedSecret, sharedSecretOf } from './shared-secret.ts'
import { Backups } from './storage/backups.ts'
import { StorageWatch } from './storage/storage-watch.ts'
import { workOf } from './storage/work.ts'
import { Streams } from './stream/streams.ts'
import { Tools, toolServerPlaces } from './tool-server.ts'
import { undoOnFailure } from './undo-on-failure.ts'
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

/** Everything that is there once memory is loaded, and before anybody is answered. */
type Parts = {
  readonly core: Core
  readonly people: People
  readonly alerts: Alerting
  readonly observations: ReturnType<typeof createObservationStore>
  readonly silence: SilenceWatch
  readonly storage: StorageWatch
  readonly backups: Backups
  readonly fileJob: Job
  readonly evidence: Evidence
  readonly sources: SourceService
  readonly connectors: ConnectorService
  readonly streams: Streams
  readonly app: Pick<App, 'fetch' | 'exact'>
}

/** One process of the service. `open` comes first, then `start`; each undoes all where it fails. */
export class Service implements RunningService {
  readonly #opened = new Opened()
  readonly #draining: Draining
  readonly #door: Door
  readonly #addresses: Addresses
  readonly #secret: SharedSecret
  #parts: Parts | null = null
  #listener: Listener | null = null

  constructor(private readonly options: ServiceOptions) {
    const { config, log, database } = options
    this.#draining = new Draining(config.shutdownDelayMs)
    this.#door = new Door(log)
    this.#addresses = new Addresses(config.trustedProxies)
    this.#secret = sharedSecretOf(config, database)
  }

  /** Loads memory and makes what answers from it. */
  open(): Promise<void> {
    return this.#undoneOnFailure(async () => {
      this.#parts = this.#partsOf(await openCore(this.options, this.#opened))
    })
  }

  /** Listens and begins the jobs. */
  start(): Promise<void> {
    return this.#undoneOnFailure(() => {
      const { config, log } = this.options
      const { core, silence, storage, sources, connectors, streams, backups } = this.#parts!
      const { telemetry, feeds } = core
      const schedule = this.#opened.add(startSchedule(this.#jobs().map(telemetry.job), log))
      this.#listener = this.#opened.add(listen(config, this.#served(this.#parts!)))
      this.#opened.add(backups)
      this.#opened.add(this.#parts!.evidence)
      this.#opened.add(streams)
      this.#opened.add(feeds)
      this.#opened.add(sources)
      this.#opened.add(connectors)
      feeds.start(schedule)
      sources.start(schedule)
      connectors.start(schedule)
      schedule.runNow(silence.job.name)
      schedule.runNow(storage.job.name)
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
    const { config, clock, log, database, sample } = this.options
    core.memory.isSample = sample !== null
    const { memory, newKeys, meter, readReplicas, windows, telemetry } = core
    const metering = { meter, limits: config.quotas }
    const past = pastOf(readReplicas, windows, telemetry.tracing)
    const known = this.#opened.add(knownOf(this.options.database, config))
    const reading = { memory, newKeys, clock, log, metering, ageLimits: config, past, known }
    const holding = { memory, refresher: core.refresher, secret: this.#secret }
    const tokens = accessTokensOf({ ...this.options, ...holding })
    const streams = new Streams({ ...this.options, memory, live: core.live, secret: this.#secret })
    const asked = { addressOf: this.#addresses.of, ...toolServerPlaces(config) }
    const places = { addresses: this.#addresses, listensAt: () => this.origin }
    const alerts = this.#opened.add(alertingOf(this.options, { core, past, secret: this.#secret }))
    const { alerting, deliveries } = alerts
    const tools = new Tools({ ...reading, tokens, streams, alerting, ...asked })
    const { store, observations, storage, rows } = this.#recordingOf(core)
    const work = workOf({ deliveries, rows, storage, telemetry, database })
    const shared = { ...reading, ...places, alerting, recorder: store, secret: this.#secret, work }
    const people = this.#opened.add(new People({ ...this.options, ...shared }))
    const health = { ...this.#health(core), isRecording: () => storage.isRecording }
    const upstream = { ...this.options, memory, store, follower: core.follower }
    const sources = new SourceService({ ...upstream, watch: telemetry.source })
    const connectors = new ConnectorService(upstream)
    const silence = new SilenceWatch({ store: createSendingStore(database), memory, clock })
    const evidence = new Evidence({ ...this.options, secret: this.#secret })
    const figures = { deliveries, streams, storage, rows, clock }
    const own = { store, health, silence, door: this.#door, database, ...figures }
    const app = createApp({
      ...reading,
      alerting,
      streams,
      tools,
      store,
      ...{ files: filesOf(database), monthWriter },
      ...evidence.routes,
      feedTimes: (nowMs) => core.feeds.nextMs(nowMs),
      sample,
      corsOrigins: config.corsOrigins,
      publicUrl: config.publicUrl,
      isProxied: config.trustedProxies > 0,
      portal: portalOptions({ ...this.options, ...shared, addresses: this.#addresses, people }),
      ...telemetry.shown({ ...core, ...own }),
      ...health,
    })
    const backups = new Backups(this.options)
    const upkeep = { silence, storage, backups, sources, connectors, evidence }
    const served = { people, alerts, observations, ...upkeep, streams, app }
    return { core, ...served, fileJob: fileJob({ ...reading, database, monthWriter }) }
  }

  #recordingOf({ follower, telemetry }: Core) {
    const { config, database, clock, log } = this.options
    const observations = createObservationStore(database, clock)
    const storage = new StorageWatch({ store: createStorageStore(database), clock, log, ...config })
    const rows = new RowFigures()
    const references = createReferenceStore(database, clock)
    const withdrawals = createWithdrawalStore(database)
    const stores = { observations, withdrawals, references }
    const recording = { ...stores, storage, rows, follower }
    const store = recorderOf({ ...recording, tracing: telemetry.tracing, work: config.work })
    return { store, observations, storage, rows }
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

  #jobs(): Job[] {
    const { core, people, alerts, silence, storage, backups, streams, fileJob } = this.#parts!
    const { sources, connectors, evidence } = this.#parts!
    const { memory, changes, readReplicas, feeds } = core
    return [
      ...serviceJobs(this.options, this.#parts!),
      people.job,
      ...alerts.jobs,
      changes.job,
      ...readReplicas.jobs,
      ...feeds.jobs,
      ...sources.jobs,
      ...connectors.jobs,
      ...retentionJobs({ ...this.options, memory }),
      silence.job,
      storage.job,
      ...backups.jobs,
      fileJob,
      evidence.job,
      streams.job,
    ]
  }

  /** Handlers of the listener's requests, and what it watches. */
  #served({ app, streams }: Parts) {
    const { config, clock, log } = this.options
    const { of: addressOf } = this.#addresses
    const limits = { perMinute: config.authFailuresPerMinute, addressOf, clock, log }
    const watched = (handle: Fetch) => this.#draining.over(limitingFailures(handle, limits))
    const exact = Object.fromEntries(
      Object.entries(app.exact).map(([path, handle]) => [path, watched(handle)]),
    )
    const edge = { addresses: this.#addresses, door: this.#door, patience: streams.patience }
    return { handle: watched(app.fetch), exact, log, ...edge }
  }
}

/** A service that answers. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const sample =
    options.sample ?? ((await holdsSample(options.database.sql)) ? SAMPLE_NOTICE : null)
  const service = new Service({ ...options, sample })
  await service.open()
  await service.start()
  return service
}
