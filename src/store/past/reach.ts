import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type Place, rowsOf } from '~/store/corridor-ids.ts'
import type { Database } from '~/store/database.ts'

const REMEMBERED_MAX = 50_000

/** A row of a search that may end too early: without an id, or marked, it says that it did. */
type Found = { readonly id: string | null; readonly at_ms: string; readonly is_far?: boolean }

type Search<T> = {
  readonly database: Database
  readonly corridor: Corridor
  /** Start of the search in the latest months alone. */
  readonly nearMs: number
  ask(place: Place, sinceMs: number): PromiseLike<readonly T[]>
}

/**
 * Reach of the search for the last prices of a corridor's offers: the latest months at first, and
 * all of history if some offer has none there, or nothing at all is found.
 *
 * Every result comes from one statement and so from one time. Corridors in which the latest months
 * did not suffice are remembered, and their whole history is searched at once.
 */
export class Reach {
  readonly #far = new Set<string>()

  /** The rows that `ask` finds, without those that only say that it did not look far enough. */
  async rows<T extends Found>({ database, corridor, nearMs, ask }: Search<T>): Promise<T[]> {
    const key = corridorKey(corridor)
    const rows = await rowsOf(database, corridor, async (place) => {
      if (place.isLong && !this.#far.has(key)) {
        const near = await ask(place, nearMs)
        if (near.length > 0 && near.every(({ id, is_far }) => id !== null && !is_far)) return near
      }
      return ask(place, Number.NEGATIVE_INFINITY)
    })
    this.#note(
      key,
      rows.every(({ id, at_ms }) => id !== null && Number(at_ms) >= nearMs),
    )
    return rows.filter(({ id }) => id !== null)
  }

  #note(key: string, isNear: boolean): void {
    if (isNear) this.#far.delete(key)
    else if (this.#far.size < REMEMBERED_MAX) this.#far.add(key)
  }
}
