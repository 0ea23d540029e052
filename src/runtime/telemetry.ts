import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { ReferenceFeed } from '~/domain/feed/feed.ts'
import type { QuoteSource } from '~/domain/source/source.ts'
import type { MetricsDeps } from '~/http/metrics.ts'
import type { ObservedDeps } from '~/http/observed.ts'
import type { Follower } from '~/jobs/follower.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import { Exposition } from '~/telemetry/exposition.ts'
import { ageSeconds, counter, gauge } from '~/telemetry/families.ts'
import { type LiveSources, liveMetrics } from '~/telemetry/live-metrics.ts'
import { LoopDelay } from '~/telemetry/loop-delay.ts'
import { memoryMetrics } from '~/telemetry/memory-metrics.ts'
import { processMetrics } from '~/telemetry/process-metrics.ts'
import { ReplicationFigures } from '~/telemetry/replication-figures.ts'
import { RequestFigures } from '~/telemetry/request-figures.ts'
import { RunLedger } from '~/telemetry/run-figures.ts'
import type { SpansOptions } from '~/telemetry/spans.ts'
import { type Tracing, traced } from '~/telemetry/tracing.ts'
import { version } from '../../package.json'
import type { ChangeListenerDeps } from './change-listener.ts'
import { type ResourceSources, resourceMetrics } from './resource-metrics.ts'

/** Turns the metrics of one process into those that a scrape gets. */
export type ShareMetrics = (own: MetricsDeps['metrics']) => MetricsDeps['metrics']

type TelemetryOptions = {
  readonly config: Pick<
    Config,
    'tracesUrl' | 'tracesHeaders' | 'tracesService' | 'tracesSampling' | 'metricsToken' | 'revision'
  >
  readonly clock: Clock
  readonly log: Log
  readonly shareMetrics?: ShareMetrics
}

type ObservedParts = Omit<ObservedDeps, 'log'>

/** The parts that synchronise memory with the database. */
type Followed = { readonly refresher: Refresher; readonly follower: Follower }

/** The most fields of a traced job's pattern: more run every few seconds and drown the rest. */
const TRACED_FIELDS_MAX = 5

/** Reports of a service about itself: metrics of all its work, and traces if they are wanted. */
export class Telemetry {
  readonly #requests = new RequestFigures()
  readonly #replication = new ReplicationFigures()
  readonly #jobs: RunLedger
  readonly #feeds: RunLedger
  readonly #sources: RunLedger
  readonly #loop = new LoopDelay()
  #publications = 0
  #publishedMs: number | null = null

  private constructor(
    private readonly options: TelemetryOptions,
    readonly tracing: Tracing | null,
  ) {
    const { clock } = options
    this.#jobs = new RunLedger(clock)
    this.#feeds = new RunLedger(clock)
    this.#sources = new RunLedger(clock)
    this.#loop.start()
  }

  static async start(options: TelemetryOptions): Promise<Telemetry> {
    const { tracesUrl: url, tracesHeaders: headers } = options.config
    const { tracesService: service, tracesSampling: sampling } = options.config
    const { log } = options
    const tracing = url ? await spansTo({ url, headers, service, sampling, version, log }) : null
    return new Telemetry(options, tracing)
  }

  /** Notes that memory serves something new. */
  notePublication(): void {
    this.#publications++
    this.#publishedMs = this.options.clock.now()
  }

  /** The job, with its runs counted and timed. */
  readonly job = (job: Job): Job => {
    const isTraced = job.pattern.trim().split(/\s+/).length <= TRACED_FIELDS_MAX
    const tracing = isTraced ? this.tracing : null
    const run = () =>
      this.#jobs.entered(job.name, () => traced(tracing, `job ${job.name}`, async () => job.run()))
    return { ...job, run }
  }

  /** The feed, with its responses counted and timed. */
  readonly feed = (feed: ReferenceFeed): ReferenceFeed => ({
    ...feed,
    ask: () =>
      this.#feeds.entered(feed.id, () => traced(this.tracing, `feed ${feed.id}`, () => feed.ask())),
  })

  /** The quote source, with its responses counted and timed. */
  readonly source = (source: QuoteSource): QuoteSource => ({
    ...source,
    ask: (question) =>
      this.#sources.entered(source.id, () =>
        traced(this.tracing, `source ${source.id}`, () => source.ask(question)),
      ),
  })

  /** Passes on announcements of other processes, timed until they are served. */
  follow({ refresher, follower }: Followed): Pick<ChangeListenerDeps, 'refresher' | 'follower'> {
    return {
      refresher: {
        note: (change) => {
          refresher.note(change)
          const served = refresher.settled().then(() => !refresher.isBehind)
          this.#replication.receive(change.kind, served)
        },
      },
      follower: {
        check: () => follower.check(),
        receive: (notification, isOwn) => {
          follower.receive(notification, isOwn)
          if (isOwn || notification.kind === 'tick' || notification.kind === 'hour') return
          const served = follower.settled().then(() => !follower.isFailing)
          this.#replication.receive(notification.kind, served)
        },
      },
    }
  }

  /** Notes that memory has loaded data that it could not load before. */
  readonly onCaughtUp = (): void => this.#replication.caughtUp()

  /** The number of responses, and of those that took longer than some milliseconds. */
  readonly slowerThan = (ms: number) => this.#requests.slowerThan(ms)

  /** Dependencies for observing an app and reporting on it. */
  shown(sources: ResourceSources & LiveSources): ObservedParts & MetricsDeps {
    const { metricsToken } = this.options.config
    const own = this.#exposition(sources)
    const metrics = this.options.shareMetrics?.(own) ?? own
    return { requests: this.#requests, tracing: this.tracing, metrics, metricsToken }
  }

  #exposition(sources: ResourceSources & LiveSources): Exposition {
    const { clock, config } = this.options
    const { revision } = config
    return new Exposition([
      ...this.#requests.metrics,
      ...memoryMetrics(sources.memory, clock),
      counter(
        ['memory_publications_total', 'Generations that memory has served'],
        () => this.#publications,
      ),
      gauge(['memory_generation_age_seconds', 'Age of the generation being served'], () =>
        ageSeconds(clock.now(), this.#publishedMs),
      ),
      ...this.#replication.metrics,
      ...this.#jobs.metrics({ metric: 'job', label: 'task', noun: 'Runs of a job' }),
      ...this.#feeds.metrics({ metric: 'feed', label: 'feed', noun: 'Requests to a feed' }),
      ...this.#sources.metrics({
        metric: 'source',
        label: 'source',
        noun: 'Requests to a quote source',
      }),
      ...liveMetrics(sources, clock),
      ...resourceMetrics(sources),
      ...processMetrics(this.#loop, { version, revision }),
    ])
  }

  async stop(): Promise<void> {
    this.#loop.stop()
    await this.tracing?.stop()
  }
}

/** Loads tracing only here and only if it is used, so that it costs nothing otherwise. */
async function spansTo(options: SpansOptions): Promise<Tracing> {
  const { Spans } = await import('~/telemetry/spans.ts')
  return new Spans(options)
}
