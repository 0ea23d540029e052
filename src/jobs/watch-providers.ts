import { type Sending, silentApart } from '~/domain/feed/silence.ts'
import { providerStateOf } from '~/domain/source/silence.ts'
import type { Memory } from '~/memory/memory.ts'
import type { Job } from './schedule.ts'

type SendingStore = {
  /** Regularity of each provider that ever sent, up to `nowMs`, by provider id. */
  all(nowMs: number): Promise<readonly Sending[]>
}

type SilenceDeps = {
  readonly store: SendingStore
  readonly memory: Memory
  readonly clock: { now(): number }
}

type Silent = { readonly providerId: string; readonly quietMs: number }
type Partly = { readonly providerId: string; readonly corridors: number }

/** The maximum number of providers that are named: if more are silent, the cause is elsewhere. */
const SILENT_MAX = 100

/**
 * Knows which active providers had fallen silent at its last check, and how many corridors of the
 * others had, each by its own usual interval.
 */
export class SilenceWatch {
  readonly jobs: readonly Job[] = [
    {
      name: 'watch-providers',
      pattern: '8-59/10 * * * *',
      isAtStart: true,
      run: () => this.check(),
    },
  ]
  #silent: readonly Silent[] = []
  #partly: readonly Partly[] = []

  constructor(private readonly deps: SilenceDeps) {}

  /** The silent providers, those that fell silent last first. */
  get silent(): readonly Silent[] {
    return this.#silent
  }

  /** The providers that send, though no longer for all corridors; those that miss most first. */
  get partly(): readonly Partly[] {
    return this.#partly
  }

  async check(): Promise<void> {
    const { store, memory, clock } = this.deps
    const nowMs = clock.now()
    const { catalogue, sources } = memory.current
    const banks = new Map(sources.map((record) => [record.providerId, record]))
    const sendings = (await store.all(nowMs)).filter((one) => catalogue.provider(one.providerId))
    this.#silent = sendings
      .filter((one) => providerStateOf(one, banks.get(one.providerId), nowMs) === 'silent')
      .map(({ providerId, newestMs }) => ({ providerId, quietMs: nowMs - newestMs }))
      .sort((a, b) => a.quietMs - b.quietMs)
      .slice(0, SILENT_MAX)
    this.#partly = sendings
      .map((one) => ({ providerId: one.providerId, corridors: silentApart(one, nowMs) }))
      .filter(({ corridors }) => corridors > 0)
      .sort((a, b) => b.corridors - a.corridors)
      .slice(0, SILENT_MAX)
  }
}
