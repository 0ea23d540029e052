import type { Reference } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Generation } from '~/memory/memory.ts'

export type StepKind = 'observations' | 'references' | 'catalogue' | 'tick' | 'hour'

/**
 * One applied row of the log of changes; every process gets the same step from it.
 *
 * Time moves by ticks alone: for every other kind `beforeMs` and `atMs` are the same, so that
 * changes by time are reported in ticks and nowhere else. While anything is watched, in any
 * process, a tick follows within a second or two of such a change, and there is one each minute at
 * least. After minutes without a tick nothing is watched, and commits may be an unreported gap.
 */
export type Step = {
  /** The position of the commit in the order of all commits; the same in every process. */
  readonly position: number
  readonly kind: StepKind
  /** The time at which to look at `after`; never before `beforeMs`. */
  readonly atMs: number
  /** The time at which to look at `before`: `atMs` of the previous step. */
  readonly beforeMs: number
  /** The time when the writer says that it committed, to show; never much after our clock. */
  readonly committedMs: number
  /** The rows of the commit by id; empty for other kinds. */
  readonly quotes: readonly Quote[]
  /**
   * The observations that the commit withdrew, by id; then `quotes` are the prices of their offers
   * that hold from there on, even if already live before.
   */
  readonly withdrawn: readonly Quote[]
  readonly references: readonly Reference[]
  readonly before: Generation
  readonly after: Generation
  /**
   * For `hour`: the hour that it opens, and the previous one that this process applied, which is an
   * hour earlier; null if it knows none. `previousMs` is the time of an hourly view before the
   * step, and `ms` of one after it.
   */
  readonly hour: { readonly ms: number; readonly previousMs: number | null } | null
}

export type StepSubscriber = {
  /** Receives each step once it is `current`; returns soon and throws nothing. */
  onStep(step: Step): void
  /**
   * Called when everything may be new as of `position`: no step says what changed. Positions of
   * later steps are greater, and time may have been set back.
   */
  onGap(position: number): void
}
