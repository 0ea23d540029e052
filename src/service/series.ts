import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { invalidParameter, type ServiceError } from '~/domain/errors.ts'
import { ALWAYS_MS, type Period, periodStartMs, type Window } from '~/domain/period.ts'
import type { Anchors } from '~/domain/price/anchors.ts'
import { legsOf } from '~/domain/price/day-mids.ts'
import { midRange } from '~/domain/price/mid-range.ts'
import {
  type Bucket,
  type BucketsAsk,
  bucketStartMs,
  bucketStartsMs,
  type Candle,
  type Interval,
  type SeriesWindow,
  seriesWindow,
} from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { type BelievedStore, type Evaluated, withBelievedBests } from './past/believed-bests.ts'
import { type BucketWorth, type WorthStore, worthsOf } from './past/bucket-worths.ts'
import { closedAt, type MidCandleStore, midCandlesOf } from './past/mid-candles.ts'
import { referenceSources } from './snapshot.ts'
import { supportedCorridor } from './supported.ts'

export type SeriesPoint = Evaluated & {
  /** The last mid known at the bucket's end; null before the feed's history begins. */
  readonly mid: number | null
  /** The time of the mid's staler leg: before the bucket if the mid is carried forward. */
  readonly midAtMs: number | null
  /** The candle of the mid; null without a mid, or if not requested. */
  readonly midCandle: Candle | null
}

export type SeriesStore = BelievedStore &
  MidCandleStore &
  WorthStore & {
    /** The buckets of a window, from a bucket's start on, that hold observations, in any order. */
    buckets(ask: BucketsAsk): Promise<readonly Bucket[]>
    /** The time when a corridor's first observation took effect, however long ago; or null. */
    firstObservedMs(corridor: Corridor): Promise<number | null>
  }

export type SeriesDeps = { readonly store: SeriesStore; readonly windows: WindowCache }

export type SeriesQuestion = Corridor & {
  readonly interval: Interval
  readonly period: Period
  readonly startMs: number | null
  readonly endMs: number | null
  /** Says whether points have candles. */
  readonly isOhlc?: boolean
}

export type Series = {
  readonly corridor: Corridor
  readonly interval: Interval
  readonly window: SeriesWindow
  readonly isOhlc: boolean
  /** Says whether any provider has ever quoted the corridor, as the tier sees it. */
  readonly isTracked: boolean
  readonly points: readonly SeriesPoint[]
}

/**
 * Mid, best rate and sample count of a corridor, one point for each bucket, oldest first.
 *
 * Nothing past the tier's cutoff is counted, so the bucket that holds it is partial. Buckets that
 * can only change by backfill are remembered apart from the open one. Throws
 * `unsupported_currency`, `same_currency`, and `invalid_parameter` for a start that lies in the
 * future or after the end.
 */
export async function seriesOf(
  deps: SeriesDeps,
  view: View,
  question: SeriesQuestion,
): Promise<Series> {
  const corridor = supportedCorridor(view.catalogue, question)
  const { interval, isOhlc = false } = question
  const window = seriesWindow(askedWindow(view, question), interval)
  const reachMs = view.freshness.cutoffMs + 1
  const { nowMs, cutoffMs } = view.freshness
  const closedMs = bucketStartMs(Math.min(nowMs, cutoffMs), interval)
  const middleMs = Math.max(window.fromMs, Math.min(window.beforeMs, closedMs))
  const { anchors } = view.catalogue
  const isCovered = view.isFiat(corridor.from) && view.isFiat(corridor.to)
  const legs = isCovered ? legsOf([corridor.from, corridor.to], anchors) : []
  const ask = { corridor, interval, isOhlc, anchors, legs, isCovered, reachMs }
  const [closed, open] = await Promise.all([
    part(deps, view, { ...ask, fromMs: window.fromMs, beforeMs: middleMs }),
    part(deps, view, { ...ask, fromMs: middleMs, beforeMs: window.beforeMs }),
  ])
  const points = [...closed, ...open]
  const isTracked =
    points.some(({ samples }) => samples > 0) || (await wasObserved(deps, corridor, reachMs))
  return { corridor, interval, isOhlc, window, isTracked, points }
}

function askedWindow({ freshness }: View, { startMs, endMs, period }: SeriesQuestion) {
  const { nowMs } = freshness
  const toMs = endMs ?? nowMs + 1
  const fromMs = startMs ?? periodStartMs(period, Math.min(toMs, nowMs))
  if (startMs !== null && startMs > nowMs)
    throw unusableStart('it is in the future; use a time in the past')
  if (fromMs > toMs) throw unusableStart('it is after end; use an earlier start or a later end')
  return { fromMs, toMs, nowMs }
}

const unusableStart = (fault: string): ServiceError => invalidParameter({ name: 'start', fault })

type Part = Window & {
  readonly corridor: Corridor
  readonly interval: Interval
  readonly isOhlc: boolean
  readonly anchors: Anchors
  /** The currencies whose references the mid is crossed from. */
  readonly legs: readonly string[]
  /** Says whether the corridor has a mid at all. */
  readonly isCovered: boolean
  /** The time from which on nothing is visible. */
  readonly reachMs: number
}

/** Some neighbouring buckets; the earlier result if they were requested before. */
async function part(deps: SeriesDeps, view: View, ask: Part): Promise<readonly SeriesPoint[]> {
  const { corridor, interval, isOhlc, anchors, legs, fromMs } = ask
  if (ask.beforeMs <= fromMs) return []
  const beforeMs = Math.min(ask.beforeMs, ask.reachMs)
  const name = corridorKey(corridor)
  const priced = `${anchors.text(corridor.from)}/${anchors.text(corridor.to)}`
  return deps.windows.answer({
    key: `series ${name} ${interval} ${isOhlc} ${priced} ${fromMs} ${ask.beforeMs} ${beforeMs}`,
    sources: [{ of: name, fromMs, beforeMs }, ...referenceSources(legs, beforeMs)],
    ask: () => pointsOf(deps, view, ask),
    bytesOf: (points) => points.length * (isOhlc ? 2 * POINT_BYTES : POINT_BYTES),
  })
}

/** The points of some buckets; a leg that another corridor has requested is cached. */
async function pointsOf(deps: SeriesDeps, view: View, ask: Part): Promise<readonly SeriesPoint[]> {
  const { corridor, interval, isOhlc, anchors, legs, isCovered, fromMs } = ask
  const beforeMs = Math.min(ask.beforeMs, ask.reachMs)
  const [buckets, candles, ...worths] = await Promise.all([
    deps.store.buckets({ corridor, interval, isOhlc, fromMs, beforeMs }),
    isOhlc && isCovered ? midCandlesOf(deps, { ...ask, beforeMs }) : [],
    ...legs.map((leg) => worthsOf(deps, view, { ...ask, leg })),
  ])
  const byStart = new Map(buckets.map((bucket) => [bucket.startMs, bucket]))
  const worth = (code: string, i: number) =>
    worthOf(anchors, code, (leg) => worths[legs.indexOf(leg)]?.[i] ?? null)
  const points = bucketStartsMs(ask, interval).map((startMs, i) => {
    const { best = null, candle = null, samples = 0 } = byStart.get(startMs) ?? {}
    const legWorths = [worth(corridor.from, i), worth(corridor.to, i)] as const
    const mid = isCovered ? crossed(...legWorths, startMs) : NO_MID
    const midCandle = mid.mid === null ? null : closedAt(mid.mid, candles[i])
    return { startMs, best, candle, samples, ...mid, midCandle }
  })
  return withBelievedBests(deps, view, { ...ask, points })
}

/** Value of a dollar in a currency, by that of the currency that its pegs lead to. */
export function worthOf(
  anchors: Anchors,
  code: string,
  saidOf: (leg: string) => BucketWorth | null,
): BucketWorth | null {
  const anchor = anchors.of(code) ?? code
  const said = anchor === USD ? DOLLAR : saidOf(anchor)
  if (!said) return null
  const [perUsd, least, most] = [said.perUsd, said.least, said.most].map((one) =>
    anchors.worth(code, one),
  )
  return { perUsd: perUsd!, least: least!, most: most!, atMs: said.atMs }
}

/** Roughly how many bytes a point, shown once, takes in memory. */
const POINT_BYTES = 450

/** The dollar if it is a leg itself, which needs no reference. */
const DOLLAR: BucketWorth = { perUsd: 1, least: 1, most: 1, atMs: Number.POSITIVE_INFINITY }

const NO_MID = { mid: null, midAtMs: null, mids: null }

/** Result of `crossMid`, from the value of a dollar in each currency in a bucket. */
function crossed(from: BucketWorth | null, to: BucketWorth | null, startMs: number) {
  if (!from || !to) return NO_MID
  const atMs = Math.min(from.atMs, to.atMs)
  return {
    mid: to.perUsd / from.perUsd,
    midAtMs: Number.isFinite(atMs) ? atMs : startMs,
    mids: midRange(from, to),
  }
}

async function wasObserved(
  { store, windows }: SeriesDeps,
  corridor: Corridor,
  beforeMs: number,
): Promise<boolean> {
  const name = corridorKey(corridor)
  const firstMs = await windows.answer({
    key: `first ${name}`,
    sources: [{ of: name, fromMs: ALWAYS_MS, beforeMs: Number.POSITIVE_INFINITY }],
    ask: () => store.firstObservedMs(corridor),
    bytesOf: () => 0,
  })
  return firstMs !== null && firstMs < beforeMs
}
