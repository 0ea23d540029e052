import { createHash } from 'node:crypto'

/** Response of a feed at a time of its own, as a fingerprint. Plain data, saved between runs. */
export type Said = { readonly atMs: number; readonly digest: string }

type Rates = { readonly upstreamMs: number; readonly perUsd: ReadonlyMap<string, string> }

/** The maximum number of different responses that are remembered of a feed: over a week of days. */
const SAID_MAX = 10
/** The number of currencies below which two responses may well be equal by chance. */
const CURRENCIES_MIN = 5

/**
 * The time of the earlier response that a feed repeats under a newer date, after another one in
 * between; null for none. Values unchanged since the last response are not a repetition: feeds have
 * weekends.
 */
export function repeatedMs(rates: Rates, said: readonly Said[]): number | null {
  if (rates.perUsd.size < CURRENCIES_MIN) return null
  const digest = digestOf(rates)
  const earlier = said.slice(0, -1).findLast((one) => one.digest === digest)
  if (!earlier || said.at(-1)!.digest === digest) return null
  return rates.upstreamMs > earlier.atMs ? earlier.atMs : null
}

/** Remembered responses of a feed after one more, oldest first. */
export function saidAfter(rates: Rates, said: readonly Said[]): readonly Said[] {
  const digest = digestOf(rates)
  if (said.at(-1)?.digest === digest) return said
  return [...said, { atMs: rates.upstreamMs, digest }].slice(-SAID_MAX)
}

const digestOf = ({ perUsd }: Rates): string =>
  createHash('sha256')
    .update(JSON.stringify([...perUsd].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64url')
    .slice(0, 16)
