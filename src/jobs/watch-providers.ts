import { type Sending, sendingStateOf } from '~/domain/feed/silence.ts'
import type { Memory } from '~/memory/memory.ts'
import type { Job } from './schedule.ts'

type SendingStore = {
  /** How regularly each provider that ever sent has been sending, up to `nowMs`, by provider id. */
  all(nowMs: number): Promise<readonly Sending[]>
}

type SilenceDeps = {
  readonly store: SendingStore
  readonly memory: Memory
  readonly clock: { now(): number }
}

type Silent = { readonly providerId: string; readonly quietMs: number }

/** The most providers that are named: where more are silent, the cause is not theirs. */
const SILENT_MAX = 100

/** Knows which active providers had fallen silent, by their usual intervals, at its last check. */
export class SilenceWatch {
  readonly job: Job = {
    name: 'watch-providers',
    pattern: '8-59/10 * * * *',
    run: () => this.check(),
  }
  #silent: readonly Silent[] = []

  constructor(private readonly deps: SilenceDeps) {}

  /** The silent providers, those that fell silent last first. */
  get silent(): readonly Silent[] {
    return this.#silent
  }

  async check(): Promise<void> {
    const { store, memory, clock } = this.deps
    const nowMs = clock.now()
    const sendings = await store.all(nowMs)
    const { catalogue } = memory.current
    this.#silent = sendings
      .filter(
        (one) => catalogue.provider(one.providerId) && sendingStateOf(one, nowMs) === 'silent',
      )
      .map(({ providerId, newestMs }) => ({ providerId, quietMs: nowMs - newestMs }))
      .sort((a, b) => a.quietMs - b.quietMs)
      .slice(0, SILENT_MAX)
  }
}
