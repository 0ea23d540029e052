import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { Observation } from '~/domain/observation.ts'
import type { QuoteSource } from '~/domain/source/source.ts'
import { systemPace } from '~/feed/fetcher.ts'
import type { SourceStore } from '~/jobs/fetch-source.ts'
import { SourceTurns } from '~/jobs/fetch-sources.ts'
import type { Follower } from '~/jobs/follower.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Memory, Publication } from '~/memory/memory.ts'
import { currencyEntry } from '~/sample/currency-entry.ts'
import { type IngestDeps, ingest } from '~/service/recording/ingest.ts'
import { createSources } from '~/source/sources.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { knownPrices } from '~/store/source/known-prices.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'
import { agentOf } from './agent.ts'
import { type Pace, Stopping } from './stopping.ts'

type SourceConfig = Pick<
  Config,
  | 'feeds'
  | 'midMaxAgeMs'
  | 'publicUrl'
  | 'quoteSources'
  | 'quoteSourcesCron'
  | 'quoteSourcesKeys'
  | 'quoteSourcesVia'
>

type SourceServiceDeps = {
  readonly config: SourceConfig
  readonly clock: Clock
  readonly log: Log
  readonly memory: Memory
  readonly database: Database
  readonly store: IngestDeps['store']
  readonly follower: Pick<Follower, 'caughtUp'>
  readonly pace?: Pace
  /** Wraps a source to observe its responses. */
  readonly watch?: (source: QuoteSource) => QuoteSource
}

/** Schedule of looking for banks that are due. */
const LOOKS = '4-59/5 * * * *'

/** Writes that a cancelled run no longer does. */
const WRITES = ['addEntries', 'record', 'saveState'] as const

/** The quote sources of a service; without any configured it does nothing. */
export class SourceService {
  readonly #stopping = new Stopping()
  readonly #turns: SourceTurns | null
  readonly #pattern: string

  constructor({ store, pace = systemPace, watch = (one) => one, ...deps }: SourceServiceDeps) {
    const { config, clock, memory, database, follower } = deps
    const sources = sourcesOf(config, { clock, pace: this.#stopping.paced(pace) })
    const record = async (observations: readonly Observation[], source: string) => {
      const origin = { recorder: null, via: `source:${source}` }
      await ingest({ store }, { observations, origin, idempotency: null })
    }
    const publish = (publication: Publication) => memory.publish(publication, clock.now())
    const effects = { record, publish, served: () => follower.caughtUp() }
    this.#pattern = config.quoteSourcesCron ?? LOOKS
    this.#turns =
      sources.length === 0
        ? null
        : new SourceTurns({
            ...deps,
            sources: sources.map(watch),
            store: this.#stopping.guarded(sourceStoreOf(database, effects), WRITES),
            entryOf: currencyEntry,
            midMaxAgeMs: config.midMaxAgeMs,
            pattern: config.quoteSourcesCron,
            hasFeeds: config.feeds.length > 0,
          })
  }

  get jobs(): Job[] {
    if (!this.#turns) return []
    const run = () => this.run()
    return [{ name: 'fetch-quotes', pattern: this.#pattern, isAtStart: true, run }]
  }

  /** One turn; a stop in the middle of it leaves no trace of unrecorded data. */
  run(): Promise<void> {
    return this.#stopping.run(() => this.#turns?.run() ?? Promise.resolve())
  }

  stop(): void {
    this.#stopping.stop()
  }
}

type Outside = { readonly clock: Clock; readonly pace: Pace }

/** The configured banks; requests name the address of this service, if it has one. */
export function sourcesOf(config: SourceConfig, { clock, pace }: Outside): QuoteSource[] {
  const { quoteSources, quoteSourcesKeys: keys, quoteSourcesVia: via } = config
  const agent = agentOf(config)
  return createSources(quoteSources, { fetcher: { clock, ...pace }, via, keys, agent })
}

type Effects = {
  record(observations: readonly Observation[], source: string): Promise<void>
  publish(publication: Publication): void
  served(): Promise<void>
}

/** The store of the sources, which publishes at once after saving. */
export function sourceStoreOf(
  database: Database,
  { record, publish, served }: Effects,
): SourceStore {
  const states = createSourceStateStore(database)
  const catalogue = createCatalogueStore(database)
  const references = createReferenceStore(database)
  return {
    once: states.once,
    loadStates: () => states.load(),
    async saveState(state) {
      await states.save(state)
      publish({ sources: [state] })
    },
    catalogue: catalogue.load,
    async addEntries(entries) {
      await catalogue.apply(entries)
      await served()
    },
    knownPrices: (providerId, span) => knownPrices(database, providerId, span),
    referencesAt: references.referencesAt,
    record,
  }
}
