import type { Load, Rules } from './load.ts'
import type { Scene, SceneOptions } from './scene.ts'

/** Stage on which a failure is played. */
export type Stage = {
  readonly scene: Scene
  readonly load: Load
  readonly isSmall: boolean
  /** Waits this many seconds, fewer in a small run. */
  last(seconds: { readonly small: number; readonly full: number }): Promise<void>
  /**
   * Waits until everything works on every replica, and records the longest time that this took;
   * resolves to the milliseconds, Infinity if it took too long.
   */
  heal(): Promise<number>
  /** Asserts a condition; otherwise the failure counts as not survived, for the given reason. */
  must(holds: boolean, reason: string): void
  /** Adds a measurement of this fault. */
  note(what: string, value: string | number): void
}

export type Fault = {
  /** The name in the table. */
  readonly name: string
  /** If absent, the fault uses the scene of the previous one. */
  readonly scene?: SceneOptions
  readonly rules: Rules
  /** Left out of a small run, unless it is requested by name. */
  readonly isLong?: boolean
  /** Plays the fault from beginning to end; the service then gets time to recover. */
  play(stage: Stage): Promise<void>
}

/** While the database is unreachable, recording and history return 503 and nothing else fails. */
export const DATABASE_AWAY: Rules = {
  allowed: { write: [503], past: [503] },
  lagging: ['a', 'b', 'c'],
}

/** No client may notice. */
export const UNNOTICED: Rules = { allowed: {}, lagging: [] }
