import type { Corridor } from '~/domain/corridor.ts'
import type { Provider } from '~/domain/provider.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { View } from '~/memory/view.ts'
import { liveCorridors } from './corridors.ts'

/** A corridor whose best executable price is stale. */
export type StaleBest = Corridor & {
  readonly provider: Provider
  readonly atMs: number
  /** Distance of the price above the mid of its own day; null if there was no recent one. */
  readonly vsMidAtQuoteBps: number | null
}

/** The corridors that are led by a stale price, the oldest first. */
export const staleBestsOf = (view: View): StaleBest[] =>
  liveCorridors(view)
    .flatMap(({ from, to, view: { best } }) => {
      if (!best?.isStale) return []
      const { quote, provider, midAtQuote } = best
      const vsMidAtQuoteBps = midAtQuote && vsMidBps(quote.rate, midAtQuote.rate)
      return [{ from, to, provider, atMs: quote.atMs, vsMidAtQuoteBps }]
    })
    .sort((a, b) => a.atMs - b.atMs)
