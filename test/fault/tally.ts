import type { Answer } from './answer.ts'

const WRONG_SHOWN_MAX = 12

/** Kind of a request; a failure allows other errors for each. */
export type Kind = 'live' | 'write' | 'past' | 'flood'

/** Outcome of a run of the load. */
export class Tally {
  sent = 0
  wrong = 0
  /** The first wrong responses, one sentence each. */
  readonly wrongs: string[] = []
  /** By status and kind of request, such as `503 write`. */
  readonly errors = new Map<string, number>()
  /** Latencies of live reads in milliseconds, before the fault and during it. */
  readonly before: number[] = []
  readonly during: number[] = []

  count({ status }: Answer, kind: Kind): void {
    this.sent += 1
    if (status >= 200 && status < 300) return
    const name = `${status === 0 ? 'cut' : status} ${kind}`
    this.errors.set(name, (this.errors.get(name) ?? 0) + 1)
  }

  blame(what: string): void {
    this.wrong += 1
    if (this.wrongs.length < WRONG_SHOWN_MAX) this.wrongs.push(what)
  }
}

/** The value below which `share` of the values lie; NaN without any. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
