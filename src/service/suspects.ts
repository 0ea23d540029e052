import type { Corridor } from '~/domain/corridor.ts'
import type { Suspicion } from '~/domain/price/suspect.ts'
import type { Provider } from '~/domain/provider.ts'
import type { View } from '~/memory/view.ts'
import { liveCorridors } from './corridors.ts'

/** A price that is too far from the mid of its day to be shown as the best. */
export type Suspect = Corridor & {
  readonly provider: Provider
  readonly atMs: number
  readonly suspect: Suspicion
}

/** The suspect prices of all corridors, the newest first. */
export const suspectsOf = (view: View): Suspect[] =>
  liveCorridors(view)
    .flatMap(({ from, to }) =>
      view
        .corridor(from, to)
        .quotes.flatMap(({ quote, provider, suspect }) =>
          suspect ? [{ from, to, provider, atMs: quote.atMs, suspect }] : [],
        ),
    )
    .sort((a, b) => b.atMs - a.atMs)
