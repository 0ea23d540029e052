import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Provider } from '~/domain/provider.ts'
import { provider } from '../../support/catalogue.ts'
import { type Pair, wander } from '../dataset.ts'

/** The number of providers that quote the first corridor of a market. */
export const QUOTERS = 12
const PROVIDERS = 60
/** The time over which observations are spread, so that live quotes are of the last days. */
export const SPAN_MS = 8 * DAY_MS

export type Market = {
  readonly providers: readonly Provider[]
  /** The first has exactly `QUOTERS` quotes, the others share the rest evenly. */
  readonly corridors: readonly Corridor[]
  /** One for each live quote. */
  readonly pairs: readonly Pair[]
  rows(): Generator<Observation[]>
}

/** `liveQuotes` live quotes of generated providers in the corridors; the same for the same input. */
export function market(
  corridors: readonly Corridor[],
  { liveQuotes, depth, nowMs, perUsd }: MarketOptions,
): Market {
  const providers = Array.from({ length: PROVIDERS }, (_, i) => provider(`bench-${i}`))
  const others = corridors.length - 1
  const pairs = corridors.flatMap((corridor, i): Pair[] => {
    const quoters = i === 0 ? QUOTERS : share(liveQuotes - QUOTERS, { of: others, at: i - 1 })
    return Array.from({ length: quoters }, (_, j) => ({
      ...corridor,
      providerId: providers[(i * 7 + j) % PROVIDERS]!.id,
    }))
  })
  return {
    providers,
    corridors,
    pairs,
    rows: () => wander(pairs, { count: pairs.length * depth, nowMs, perUsd, spanMs: SPAN_MS }),
  }
}

export type MarketOptions = {
  readonly liveQuotes: number
  /** Observations of each live quote, the live one included. */
  readonly depth: number
  readonly nowMs: number
  /** Units of each currency per US dollar. */
  readonly perUsd: Readonly<Record<string, number>>
}

/** One part's share of a whole number, as even as possible. */
function share(total: number, { of, at }: { of: number; at: number }): number {
  return Math.floor(((at + 1) * total) / of) - Math.floor((at * total) / of)
}
