import { type Checkpoint, checkpointIn, type Sealed, type SealPass } from '~/evidence/checkpoint.ts'
import type { Log } from '~/log.ts'
import { cosigned, type Witness, type WitnessCounts, type WitnessDeps } from './cosign.ts'
import type { Job } from './schedule.ts'

/** The maximum number of leaves of a checkpoint. */
const LEAVES_MAX = 20_000

/** The verifiable log, as it is written. */
type LogStore = WitnessDeps['store'] & {
  /** Seals some of the committed rows; null if nothing is new. */
  seal(pass: SealPass): Promise<Sealed | null>
  head(): Promise<{ readonly note: string } | null>
}

type Deps = {
  readonly store: LogStore
  /** Runs the work unless another process does it; null then. */
  alone<T>(work: () => Promise<T>): Promise<T | null>
  /** The newest checkpoint that this process has seen, stored beyond its end. */
  readonly published: { read(): Promise<string | null>; write(note: string): Promise<void> }
  readonly signed: SealPass['signed']
  readonly witnesses: readonly Witness[]
  readonly post: WitnessDeps['post']
  readonly origin: string
  /** Interval of seals; null for never. */
  readonly everyMs: number | null
  readonly clock: { now(): number }
  readonly log: Log
}

/**
 * Seals committed rows, on one replica at a time, and knows the newest checkpoint on all of them. A
 * failure is retried the next time.
 */
export class Sealer {
  readonly job: Job = { name: 'seal-log', pattern: '* * * * * *', run: () => this.#runDue() }
  #dueMs = Number.NEGATIVE_INFINITY
  #head: Checkpoint | null = null
  #isBehind = false
  readonly #ending = new AbortController()
  readonly #cosignedSizes = new Map<string, number>()
  /** Cosignatures of this process, by the names of witnesses. */
  readonly witnessCounts: WitnessCounts

  constructor(private readonly deps: Deps) {
    const names = deps.witnesses.map(({ key }) => key.name)
    this.witnessCounts = new Map(names.map((name) => [name, { signed: 0, failed: 0 }]))
  }

  /** The newest checkpoint that this process has seen; null before the first. */
  get head(): Checkpoint | null {
    return this.#head
  }

  /** The time when the present new rows will be sealed; null if sealing is off. */
  get nextMs(): number | null {
    const { everyMs, clock } = this.deps
    return everyMs === null ? null : Math.max(this.#dueMs, clock.now())
  }

  /** Ends a run after the rows that it is reading, which it still seals. */
  stop(): void {
    this.#ending.abort()
  }

  /** Seals all that is new, unless another process does, and reads the newest checkpoint. */
  async run(): Promise<void> {
    await this.deps.alone(async () => {
      let sealed: Sealed | null = null
      do {
        sealed = await this.#seal()
        await this.#look()
      } while (sealed?.isMore && !this.#ending.signal.aborted)
      if (this.deps.witnesses.length > 0) await this.#cosign()
    })
    await this.#look()
  }

  async #runDue(): Promise<void> {
    const { everyMs, clock } = this.deps
    const nowMs = clock.now()
    if (everyMs === null || (nowMs < this.#dueMs && this.#dueMs <= nowMs + everyMs)) return
    this.#dueMs = nowMs + everyMs
    await this.run()
  }

  async #seal(): Promise<Sealed | null> {
    const { store, origin, signed, clock, log } = this.deps
    const published = this.#head ?? checkpointIn(await this.deps.published.read())
    const sealed = await store.seal({
      ...{ leavesMax: LEAVES_MAX, nowMs: clock.now(), origin, published, signed },
      ...{ isBehind: this.#isBehind, ending: this.#ending.signal },
    })
    this.#isBehind = false
    if (sealed?.abandoned)
      log.warn(
        { abandoned: sealed.abandoned },
        'the log goes on under another origin: the database may lack leaves that were published',
      )
    return sealed
  }

  async #look(): Promise<void> {
    const head = await this.deps.store.head()
    const checkpoint = checkpointIn(head?.note ?? null)
    if (!head || !checkpoint) return
    const isNew = checkpoint.size !== this.#head?.size || checkpoint.origin !== this.#head.origin
    const isOlder = checkpoint.origin === this.#head?.origin && checkpoint.size < this.#head.size
    if (!isNew || isOlder) return
    await this.deps.published.write(head.note)
    this.#head = checkpoint
  }

  async #cosign(): Promise<void> {
    const { store, witnesses, post, log } = this.deps
    const head = await store.head()
    if (!head) return
    const known = this.#cosignedSizes
    const counts = this.witnessCounts
    const deps = { store, witnesses, post, known, counts, log }
    const { note, isBehind } = await cosigned(head.note, deps)
    this.#isBehind = isBehind
    if (note !== head.note) await store.cosign(head.note, note)
  }
}
