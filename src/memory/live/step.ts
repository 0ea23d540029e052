import type { Reference } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Generation } from '~/memory/memory.ts'

export type StepKind = 'observations' | 'references' | 'catalogue' | 'tick' | 'hour'

/**
 * One row of the log of changes, applied; every process makes the same of it.
 *
 * Time moves by ticks alone: of every other kind `beforeMs` and `atMs` are the same, so that what
 * time changes is reported in ticks and nowhere else. While anything is watched, in any process, a
 * tick follows within a second or two of such a change, and there is one each minute at least.
 * If none has come for minutes nothing is watched, and commits may be a gap that is not reported.
 */
export type Step = {
  /** The position of the commit in the order of all commits; the same in every process. */
  readonly position: number
  readonly kind: StepKind
  /** The moment by which `after` is to be looked at; never before `beforeMs`. */
  readonly atMs: number
  /** The moment by which `before` is to be looked at: `atMs` of the step before. */
  readonly beforeMs: number
  /**
   * The time when the writer says that it committed, never much later than our clock: a time to
   * show.
   */
  readonly committedMs: number
  /** The rows of the commit by id; empty for other kinds. */
  readonly quotes: readonly Quote[]
  /**
   * The observations that the commit withdrew, by id; then `quotes` are what holds of their offers
   * from there on, also where it was live before.
   */
  readonly withdrawn: readonly Quote[]
  readonly references: readonly Reference[]
  readonly before: Generation
  readonly after: Generation
  /**
   * For `hour`: the hour that it opens, and the one before that this process applied, which is an
   * hour earlier; null if it knows none. An hourly view before the step has `previousMs` as its
   * moment, and one after it `ms`.
   */
  readonly hour: { readonly ms: number; readonly previousMs: number | null } | null
}

export type StepHearer = {
  /** Hears each step once it is `current`; returns soon and throws nothing. */
  onStep(step: Step): void
  /**
   * Hears that everything may be new as of `position`: no step tells what changed. Positions of
   * later steps are greater, and time may have been set back.
   */
  onGap(position: number): void
}
