import type { Corridor } from '~/domain/corridor.ts'
import type { Selection } from '~/domain/offer/selection.ts'
import type { View } from '~/memory/view.ts'

/** Why a list is empty. */
export type Emptiness = {
  /** The time of the newest price, where all are older than was asked for; else null. */
  readonly newestMs: number | null
}

/** Why the list of a corridor is empty. */
export type Absence = Emptiness & {
  readonly corridor: Corridor
  /** Whether the other way round is quoted, by prices as young as was asked for. */
  readonly isReverseQuoted: boolean
}

/** Why a corridor has no price among those selected. */
export function absenceOf(view: View, corridor: Corridor, selection: Selection): Absence {
  const { from, to } = corridor
  const { lastUpdatedMs } = view.corridor(from, to)
  const isReverseQuoted = view.corridor(to, from, selection).quotes.length > 0
  return { corridor, newestMs: lastUpdatedMs, isReverseQuoted }
}
