import type { Corridor } from '~/domain/corridor.ts'
import { concerns } from '~/domain/offer/concern.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { compareText } from '~/domain/rank.ts'
import type { CorridorView } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Emptiness, emptinessOf } from './absence.ts'
import { isSupported } from './supported.ts'

export type LiveCorridor = Corridor & {
  /** The corridor's quotes; never empty. */
  readonly view: CorridorView
  /** The countries that all of them name; absent if they may name any or none. */
  readonly countries?: CountryOffers
}

/** Two countries, and how many offers name them that differ in more than their amounts. */
export type CountryOffers = {
  readonly sourceCountry: string
  readonly targetCountry: string
  readonly offerCount: number
}

export type Corridors = {
  readonly corridors: readonly LiveCorridor[]
  /** The number of corridors, listed or not. */
  readonly count: number
  /** Reason why there are none; null if there are some. */
  readonly absence: Emptiness | null
}

/** The corridors that have prices of those selected, as `liveCorridors` lists them. */
export function corridorsOf(view: View, selection: Selection): Corridors {
  const corridors = liveCorridors(view, selection)
  const count = corridors.length
  if (count > 0) return { corridors, count, absence: null }
  const newestMsOf = (other: Selection) => newestOf(liveCorridors(view, other))
  return { corridors, count, absence: emptinessOf(selection, newestMsOf) }
}

/** The time of the newest price of corridors; null without one. */
export const newestOf = (corridors: readonly LiveCorridor[]): number | null =>
  corridors.reduce<number | null>(
    (newest, { view: { lastUpdatedMs } }) => Math.max(newest ?? 0, lastUpdatedMs ?? 0),
    null,
  )

/**
 * Every corridor that an active provider quotes between active currencies at selected prices, by
 * source, then target. Transfers between two countries in one currency are a corridor if both
 * countries are requested.
 */
export const liveCorridors = (view: View, selection: Selection = UNSELECTED): LiveCorridor[] =>
  everyCorridor(view, selection).filter((corridor) =>
    isSupported(view.catalogue, corridor, selection.filters),
  )

/** As `liveCorridors`, with all same-currency transfers, whatever is requested. */
export function everyCorridor(view: View, selection: Selection): LiveCorridor[] {
  const live: LiveCorridor[] = []
  for (const book of view.generation.quotes.allBooks()) {
    const { from, to } = book
    if (!view.catalogue.currency(from) || !view.catalogue.currency(to)) continue
    const seen = view.viewOf(book, selection)
    if (seen.quotes.length > 0 && concerns(book, selection.filters, seen.quotes))
      live.push({ from, to, view: seen })
  }
  return live
}

/** Codes that any live corridor begins or ends with, in alphabetical order. */
export function quotedCodes(view: View): string[] {
  const codes = new Set(liveCorridors(view).flatMap(({ from, to }) => [from, to]))
  return [...codes].sort(compareText)
}
