import type { Alert, Standing } from './alert.ts'

/** A change of an alert's state at a position of the log. */
export type Transition = {
  readonly alert: Alert
  readonly position: number
  readonly was: Standing
  readonly now: Standing
  /** The value that caused it; null for one that is not a number. */
  readonly value: number | null
  readonly atMs: number
  /** Message to send; null if the condition only became false, or a base was found. */
  readonly body: string | null
}
