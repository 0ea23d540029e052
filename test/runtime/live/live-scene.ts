import { loadConfig } from '~/config.ts'
import type { Observation } from '~/domain/observation.ts'
import { watchTime } from '~/jobs/watch-time.ts'
import type { Step, StepSubscriber } from '~/memory/live/step.ts'
import { type Core, openCore } from '~/runtime/core.ts'
import { Opened } from '~/runtime/opened.ts'
import { ingest } from '~/service/recording/ingest.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import type { Database } from '~/store/database.ts'
import { clockAt, type HandClock } from '../../support/clock.ts'
import { recorderOn } from '../../support/followed.ts'
import { KeptLog } from '../../support/log.ts'
import { until } from '../../support/until.ts'

export const AT = '2026-03-05T14:25:30.500Z'

/** A corridor without quotes. */
const QUIET = { from: 'XOF', to: 'UGX' }

/** One process of several on a database, without a server: memory and its synchronisation. */
export class LiveReplica implements StepSubscriber {
  readonly steps: Step[] = []
  readonly gaps: number[] = []

  private constructor(
    readonly core: Core,
    readonly database: Database,
    readonly clock: HandClock,
    readonly log: KeptLog,
    private readonly opened: Opened,
  ) {
    core.live.subscribe(this)
  }

  static async start(
    database: Database,
    { clock = clockAt(AT), isWatched = true }: { clock?: HandClock; isWatched?: boolean } = {},
  ): Promise<LiveReplica> {
    const config = loadConfig({ PORT: '0', REFERENCE_FEED: 'none' })
    const [log, opened] = [new KeptLog(), new Opened()]
    const core = await openCore({ config, clock, log, database, sample: null }, opened)
    if (isWatched) core.live.watch(QUIET)
    return new LiveReplica(core, database, clock, log, opened)
  }

  onStep(step: Step): void {
    this.steps.push(step)
  }

  onGap(position: number): void {
    this.gaps.push(position)
  }

  /** Records and serves, as a request does. */
  async record(...observations: Observation[]): Promise<void> {
    const store = recorderOn(this.database, { follower: this.core.follower, clock: this.clock })
    await ingest({ store }, { observations, idempotency: null })
  }

  /** Runs the work of each second. */
  watchTime(): Promise<void> {
    const changes = createChangeStore(this.database)
    return watchTime({ ...this.core, changes, clock: this.clock })
  }

  /** Resolves when everything logged so far is applied. */
  async caughtUp(): Promise<void> {
    const { position } = await createChangeStore(this.database).end()
    await until('the end of the log', async () => this.core.live.position >= position)
    await this.core.follower.settled()
  }

  /** Events that it received, which every other process must have received too. */
  get received() {
    return this.steps.map(({ position, kind, quotes, references, committedMs, hour, after }) => ({
      ...{ position, kind, quotes, references, committedMs, hour },
      known: [...after.quotes.allBooks()].map((book) => [
        ...[book.from, book.to],
        [...book.allQuotes()].map(({ id }) => id).sort((a, b) => a - b),
      ]),
    }))
  }

  /** The ids of all quotes known in order, ascending. */
  get knownIds(): number[] {
    return [...this.core.live.current.quotes.allQuotes()].map(({ id }) => id).sort((a, b) => a - b)
  }

  async stop(): Promise<void> {
    await this.opened.abandon()
    await this.database.close()
  }
}
