import { SourceService } from '~/runtime/upstream/sources.ts'
import type { SourceName } from '~/source/sources.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'
import { Pace } from '../feed/upstream.ts'
import type { Replay } from '../source/replay.ts'
import type { HandClock } from '../support/clock.ts'
import { KeptLog } from '../support/log.ts'
import { serving } from '../support/serving.ts'
import { World } from '../support/world.ts'

/** A time after the newest day in the recording of Kenya's central bank was published. */
export const AT = '2026-03-19T12:00:00.000Z'

type Scene = {
  readonly database: Database
  readonly replay: Replay
  readonly sources: readonly SourceName[]
  readonly cron?: string
  readonly keys?: Readonly<Partial<Record<SourceName, string>>>
  readonly publicUrl?: string
  readonly clock?: HandClock
}

/** One replica: the whole service over memory, with banks that return recorded responses. */
export class SourceScene {
  readonly world: World
  readonly service: SourceService
  readonly log = new KeptLog()
  readonly pace: Pace
  readonly key: string

  constructor(private readonly scene: Scene) {
    const { database, replay, sources, cron = null, keys = {}, publicUrl = null } = scene
    this.world = new World({ at: AT })
    const { memory, clock } = this.world
    this.pace = new Pace(clock)
    const config = {
      ...{ feeds: [], midMaxAgeMs: 72 * 3_600_000, publicUrl, quoteSources: sources },
      ...{ quoteSourcesCron: cron, quoteSourcesKeys: keys, quoteSourcesVia: replay.via },
    }
    const { record, answered } = createObservationStore(database)
    const { referencesAt } = createReferenceStore(database)
    const store = serving({ record, answered, referencesAt }, this.world)
    const caughtUp = async () =>
      memory.publish({ catalogue: await createCatalogueStore(database).load() }, clock.now())
    const deps = { config, clock, memory, database, store, follower: { caughtUp } }
    this.service = new SourceService({ ...deps, log: this.log, pace: this.pace })
    this.key = this.world.key('enterprise')
  }

  /** Runs one check for banks that are due. */
  run(): Promise<void> {
    return this.service.run()
  }

  pass(ms: number): void {
    this.world.clock.advance(ms)
  }

  get = (path: string) => this.world.get(path, this.key)

  /** Returns the observations of a provider, in the order of recording. */
  observations(providerId: string) {
    return this.scene.database.sql`
      select c.source, c.target, trim_scale(o.rate) as rate, o.rate_type, o.fee, o.notes, o.evidence,
        o.effective_from
      from observations o join corridors c on c.id = o.corridor_id
      join provider_corridors p on p.id = o.provider_corridor_id
      where p.provider_id = ${providerId} order by o.id`
  }

  async count(): Promise<number> {
    const [row] = await this.scene.database.sql`select count(*)::int as count from observations`
    return row!.count
  }

  /** Returns the state of a bank. */
  async record(id: string) {
    return (await createSourceStateStore(this.scene.database).load([id]))[0]
  }

  catalogue() {
    return createCatalogueStore(this.scene.database).load()
  }

  /** Records the current value of a dollar. */
  async reference(perUsd: Readonly<Record<string, number>>): Promise<void> {
    const rates = Object.entries(perUsd).map(([currency, value]) => ({
      currency,
      perUsd: String(value),
    }))
    const fetchedMs = this.world.clock.now() - 86_400_000
    await createReferenceStore(this.scene.database).append({ source: 'feed', fetchedMs, rates })
  }
}
