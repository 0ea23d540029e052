import type { Load, Rules } from './load.ts'
import type { Scene, SceneOptions } from './scene.ts'

/** Stage on which a failure is played. */
export type Stage = {
  readonly scene: Scene
  readonly load: Load
  readonly isSmall: boolean
  /** Waits so many seconds: fewer where all is small. */
  last(seconds: { readonly small: number; readonly full: number }): Promise<void>
  /**
   * Waits until everything works on every replica, and keeps the longest time that took; resolves to
   * the milliseconds it took, Infinity when it took too long.
   */
  heal(): Promise<number>
  /** Asserts a condition; otherwise the failure counts as not survived, for the given reason. */
  must(holds: boolean, reason: string): void
  /** A figure of this fault's own. */
  note(what: string, value: string | number): void
}

export type Fault = {
  /** As the table shows it. */
  readonly name: string
  /** Without one it is played on the scene of the fault before. */
  readonly scene?: SceneOptions
  readonly rules: Rules
  /** Not played where all is small, unless it is asked for by name. */
  readonly isLong?: boolean
  /** From the beginning of the fault to its end; the service is then given time to heal. */
  play(stage: Stage): Promise<void>
}

/** While the database is away: recording and history say so, and nothing else fails. */
export const DATABASE_AWAY: Rules = {
  allowed: { write: [503], past: [503] },
  lagging: ['a', 'b', 'c'],
}

/** Nobody may notice. */
export const UNNOTICED: Rules = { allowed: {}, lagging: [] }
