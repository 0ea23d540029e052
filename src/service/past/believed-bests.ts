import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import { isDoubtful } from '~/domain/price/mid-range.ts'
import { midStretches } from '~/domain/price/mid-stretches.ts'
import { believedRange, type Range } from '~/domain/price/suspect.ts'
import {
  type BelievedStretch,
  type Bucket,
  bucketEndMs,
  type Candle,
  type Interval,
  type Worth,
} from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'

/** The best of a bucket among believed rates, and its candle if requested. */
type Believed = { readonly best: number; readonly candle: Candle | null }

export type BelievedStore = {
  /**
   * For each of `windows`, in their order, the value of a US dollar in a currency: the value in
   * force at its start, if any, and all later ones in it, oldest first.
   */
  worthsIn(currency: string, windows: readonly Window[]): Promise<readonly (readonly Worth[])[]>
  /**
   * By its start the best of each bucket among the rates that one of `stretches` believes, which
   * are in the order of time and each in one bucket. No entry for a bucket without any. An hour
   * whose observations were pruned has the best of its roll-up if some part of it believes that.
   */
  believedBests(
    corridor: Corridor,
    ask: {
      readonly interval: Interval
      readonly stretches: readonly BelievedStretch[]
      readonly isOhlc?: boolean
    },
  ): Promise<ReadonlyMap<number, Believed>>
}

export type Evaluated = Bucket & {
  /** The range of the pair's mids in the bucket; null without any. */
  readonly mids: Range | null
}

type Points<T> = {
  readonly corridor: Corridor
  readonly interval: Interval
  readonly legs: readonly string[]
  /** The time from which on nothing is visible. */
  readonly reachMs: number
  readonly isOhlc: boolean
  readonly points: readonly T[]
}

/**
 * The points of buckets, with bests that were not suspect by the mids of their own times. Only
 * buckets whose best is doubtful by one of their mids are read again.
 */
export async function withBelievedBests<T extends Evaluated>(
  { store }: { readonly store: BelievedStore },
  view: View,
  { corridor, interval, legs, reachMs, isOhlc, points }: Points<T>,
): Promise<readonly T[]> {
  const { quoteSuspectPct: pct = null } = view.limits
  if (pct === null) return points
  const doubtful = points.filter(
    ({ best, candle, mids }) =>
      mids !== null &&
      [best, candle?.low ?? null].some((rate) => rate !== null && isDoubtful(rate, mids, pct)),
  )
  if (doubtful.length === 0) return points
  const windows = doubtful.map(({ startMs }) => ({
    fromMs: startMs,
    beforeMs: Math.min(bucketEndMs(startMs, interval), reachMs),
  }))
  const said = await Promise.all(legs.map((leg) => store.worthsIn(leg, windows)))
  const day = { anchors: view.catalogue.anchors, maxAgeMs: view.midMaxAgeMs }
  const stretches = windows.flatMap((window, i) => {
    const worths = new Map(legs.map((leg, of) => [leg, said[of]![i]!]))
    const stretched = midStretches(window, [corridor.from, corridor.to], { ...day, worths })
    return stretched.map(({ mid, ...stretch }) => ({
      ...stretch,
      ...(mid === null ? ANY : believedRange(mid, pct)),
    }))
  })
  const bests = await store.believedBests(corridor, { interval, stretches, isOhlc })
  const evaluated = new Set(doubtful.map(({ startMs }) => startMs))
  return points.map((point) =>
    evaluated.has(point.startMs) ? { ...point, ...(bests.get(point.startMs) ?? NO_BEST) } : point,
  )
}

const NO_BEST = { best: null, candle: null }

/** The rates that are believed without a mid. */
const ANY: Range = { least: 0, most: Number.POSITIVE_INFINITY }
