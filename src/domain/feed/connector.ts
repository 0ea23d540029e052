import { type Attempts, NO_ATTEMPTS } from './attempts.ts'

/** State of one connector over all runs, as plain JSON. */
export type ConnectorRecord = Attempts & {
  readonly id: string
  /** Number of failures since the last success. */
  readonly failures: number
  /** The number of rows of its last good run, or of each of its files; null before it. */
  readonly rows: number | null
  /** The number of prices that its last good run recorded. */
  readonly recorded: number
  /** The number of refused rows of its last good run. */
  readonly refused: number
  /** Beginning of the last response or file, for operators only. */
  readonly excerpt: string | null
}

export const untriedConnector = (id: string): ConnectorRecord => ({
  ...NO_ATTEMPTS,
  ...{ id, failures: 0, rows: null, recorded: 0, refused: 0, excerpt: null },
})

/** Files and prices that a connector has read, so that nothing is recorded twice. */
export type Seen = {
  /** The files that were processed, by name, size and digest; the newest at the end. */
  readonly files: readonly string[]
  /** The last recorded price of each offer, both as digests, and from when it holds. */
  readonly prices: Readonly<Record<string, readonly [price: string, atMs: number]>>
}

export const NOTHING_SEEN: Seen = { files: [], prices: {} }
