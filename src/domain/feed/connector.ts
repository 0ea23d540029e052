import { type Attempts, NO_ATTEMPTS } from './attempts.ts'

/** What is known about one connector over all runs, as plain JSON. */
export type ConnectorRecord = Attempts & {
  readonly id: string
  /** How often it failed without a success in between. */
  readonly failures: number
  /** How many rows its last good run gave, or each file of that run; null before the first. */
  readonly rows: number | null
  /** How many prices its last good run recorded. */
  readonly recorded: number
  /** How many rows of its last good run were refused. */
  readonly refused: number
  /** How the last answer or file begins, for an operator alone. */
  readonly excerpt: string | null
}

export const untriedConnector = (id: string): ConnectorRecord => ({
  ...NO_ATTEMPTS,
  ...{ id, failures: 0, rows: null, recorded: 0, refused: 0, excerpt: null },
})

/** What a connector read before, so that nothing is recorded twice. */
export type Seen = {
  /** The files that were processed, by name, size and digest; the newest at the end. */
  readonly files: readonly string[]
  /** The last recorded price of each offer, both as digests, and from when it holds. */
  readonly prices: Readonly<Record<string, readonly [price: string, atMs: number]>>
}

export const NOTHING_SEEN: Seen = { files: [], prices: {} }
