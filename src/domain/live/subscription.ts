import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { compareText } from '~/domain/rank.ts'

/** The corridors whose changes a reader receives. */
export type Subscription = {
  /** By source, then target, each once; null for every corridor. */
  readonly corridors: readonly Corridor[] | null
  /** The names of these corridors; null for every corridor. */
  readonly names: ReadonlySet<string> | null
}

/** Reports whether a subscription covers any of these corridors; true for null. */
export function concerns(touched: ReadonlySet<string> | null, { names }: Subscription): boolean {
  if (touched === null || names === null) return true
  for (const name of touched) if (names.has(name)) return true
  return false
}

export const EVERYWHERE: Subscription = { corridors: null, names: null }

/** A reader of these corridors, each of which counts once. */
export function subscriptionTo(corridors: readonly Corridor[]): Subscription {
  const byName = new Map(corridors.map((corridor) => [corridorKey(corridor), corridor]))
  const sorted = [...byName].sort(([a], [b]) => compareText(a, b))
  return { corridors: sorted.map(([, one]) => one), names: new Set(byName.keys()) }
}
