import type { Corridor } from '~/domain/corridor.ts'
import type { CorridorView } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'

export type LiveCorridor = Corridor & {
  /** The corridor's quotes; never empty. */
  readonly view: CorridorView
}

/**
 * Every corridor that an active provider quotes between active currencies, by source, then target.
 */
export function liveCorridors(view: View): LiveCorridor[] {
  const live: LiveCorridor[] = []
  for (const book of view.generation.quotes.allBooks()) {
    const { from, to } = book
    if (!view.catalogue.currency(from) || !view.catalogue.currency(to)) continue
    const seen = view.viewOf(book)
    if (seen.quotes.length > 0) live.push({ from, to, view: seen })
  }
  return live
}
