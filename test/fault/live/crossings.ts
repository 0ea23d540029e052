import { newest } from './hearing.ts'
import type { Price } from './story.ts'

/**
 * Message that a receiver got: the id that all attempts of one firing share, and the value that
 * crossed.
 */
export type Firing = { readonly id: string; readonly value: number }

type Watched = {
  readonly prices: readonly Price[]
  readonly before: readonly Price[]
  readonly corridor: string
  readonly threshold: number
}

/** The prices by which a corridor's best rose above a threshold, in the order of commits. */
export function crossings({ prices, before, corridor, threshold }: Watched): Price[] {
  const isMine = (price: Price) => price.corridor === corridor
  const first = before.find(isMine)
  let isAbove = first !== undefined && first.rate > threshold
  return newest({ prices, before })
    .filter(isMine)
    .filter(({ rate }) => {
      const wasAbove = isAbove
      isAbove = rate > threshold
      return isAbove && !wasAbove
    })
}

/** The positions between which a sequence restarted: what came after the first was never sent. */
export type Gap = { readonly after: number; readonly upTo: number }

/**
 * The crossings in a gap that are not visible at its end: they were over by then, were not the
 * last, or belong to a price that was above the threshold at the beginning of the gap too.
 */
export function unseen(watched: Watched, gaps: readonly Gap[]): Price[] {
  const { before, corridor, threshold } = watched
  const all = [...before, ...newest(watched)].filter((one) => one.corridor === corridor)
  const isAbove = (at: number) =>
    (all.findLast(({ position }) => position <= at)?.rate ?? threshold) > threshold
  const crossed = crossings(watched)
  return gaps.flatMap(({ after, upTo }) => {
    const inside = crossed.filter(({ position }) => position > after && position <= upTo)
    return !isAbove(after) && isAbove(upTo) ? inside.slice(0, -1) : inside
  })
}

/** Errors in the messages of a receiver for these crossings. */
export function firingFaults(wanted: readonly Price[], got: readonly Firing[]) {
  const ids = new Map<number, Set<string>>()
  for (const { id, value } of got) ids.set(value, (ids.get(value) ?? new Set()).add(id))
  const values = new Set(wanted.map(({ rate }) => rate))
  return {
    lost: [...values].filter((value) => !ids.has(value)),
    doubled: [...ids].filter(([, all]) => all.size > 1).map(([value]) => value),
    strange: [...ids.keys()].filter((value) => !values.has(value)),
  }
}
