import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { ALWAYS_MS, type Window } from '~/domain/period.ts'
import { legsOf } from '~/domain/price/day-mids.ts'
import { isDoubtful } from '~/domain/price/mid-range.ts'
import { isExecutable, type RateType } from '~/domain/provider.ts'
import { type Dated, newestFirst } from '~/domain/quote.ts'
import { bucketEndMs } from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { foundSuspects } from './past-suspects.ts'
import {
  type Series,
  type SeriesDeps,
  type SeriesPoint,
  type SeriesQuestion,
  seriesOf,
} from './series.ts'
import { referenceSources, type SnapshotDeps } from './snapshot.ts'

/** A rate stated in one of the requested stretches of time, or valid at its end. */
type SaidRate = Dated & {
  readonly providerId: string
  /** Identifies an offer of the corridor. */
  readonly offer: string
  /** The number of the stretch, from 0. */
  readonly stretch: number
  readonly rate: number
  readonly rateType: RateType
  /** The last time at which it is valid; Infinity without one. */
  readonly untilMs: number
}

/** A rate, and whether it was suspect by the mid of its own time. */
type EvaluatedRate = SaidRate & { readonly isSuspect: boolean }

/** A stretch of time, and the last time of it that has come. */
type Stretch = Window & { readonly lastMs: number }

export type HeldStore = {
  /**
   * For each of `stretches`, in any order, of every offer of a corridor: the last observation in it
   * that never expires, and all expiring ones that are valid at its last time or later, unless
   * superseded.
   */
  lastIn(corridor: Corridor, stretches: readonly Stretch[]): Promise<readonly SaidRate[]>
}

export type HeldSeriesDeps = {
  readonly store: SeriesDeps['store'] & SnapshotDeps['store'] & HeldStore
  readonly windows: WindowCache
}

export type HeldPoint = SeriesPoint & {
  /** The best executable rate in force at the bucket's end; null without one. */
  readonly standing: number | null
}

export type HeldSeries = Omit<Series, 'points'> & { readonly points: readonly HeldPoint[] }

export type HeldSeriesQuestion = SeriesQuestion & {
  /** The time for which a price applies unless its provider gives another; null for good. */
  readonly heldMs: number | null
}

/**
 * The series of a corridor with the best rate in force at the end of each bucket: among the last
 * ones of the offers of providers active then, valid then, believed and none older than `heldMs`.
 *
 * If the observations behind a bucket have been pruned, its best replaces them. Throws as
 * `seriesOf` does.
 */
export async function heldSeriesOf(
  deps: HeldSeriesDeps,
  view: View,
  question: HeldSeriesQuestion,
): Promise<HeldSeries> {
  const series = await seriesOf(deps, view, question)
  const { points, interval, corridor } = series
  const reachMs = view.freshness.cutoffMs + 1
  const endsMs = points.map(({ startMs }) => Math.min(bucketEndMs(startMs, interval), reachMs))
  const stretches = stretchesOf({ points, endsMs }, question.heldMs).map((stretch) => ({
    ...stretch,
    lastMs: Math.min(stretch.beforeMs - 1, view.freshness.nowMs),
  }))
  const said = byEnd(await lastIn(deps, view, { corridor, stretches, points }), stretches)
  const earlier = said.get(series.window.fromMs) ?? []
  const standing = standingAt(view, { earlier, said, endsMs, heldMs: question.heldMs })
  return {
    ...series,
    points: points.map((point, i) => ({ ...point, standing: standing[i] ?? point.best })),
  }
}

type Buckets = { readonly points: readonly SeriesPoint[]; readonly endsMs: readonly number[] }

/** The time before the first bucket in which a live price may start, and each busy bucket. */
function stretchesOf({ points, endsMs }: Buckets, heldMs: number | null): Window[] {
  const [first] = points
  if (!first) return []
  const sinceMs = heldMs === null ? ALWAYS_MS : first.startMs - heldMs
  const busy = points.flatMap(({ startMs, samples }, i) =>
    samples > 0 ? [{ fromMs: startMs, beforeMs: endsMs[i]! }] : [],
  )
  return [{ fromMs: sinceMs, beforeMs: first.startMs }, ...busy]
}

type Ask = {
  readonly corridor: Corridor
  readonly stretches: readonly Stretch[]
  readonly points: readonly SeriesPoint[]
}

async function lastIn(
  deps: HeldSeriesDeps,
  view: View,
  ask: Ask,
): Promise<readonly EvaluatedRate[]> {
  const { corridor, stretches, points } = ask
  const [first] = stretches
  if (!first) return []
  const name = corridorKey(corridor)
  const { anchors } = view.catalogue
  const { from, to } = corridor
  const { beforeMs } = stretches.at(-1)!
  /** More observations in the buckets need another cache key. */
  const samples = points.reduce((sum, { samples }) => sum + samples, 0)
  return deps.windows.answer({
    key:
      `said ${name} ${anchors.text(from)}/${anchors.text(to)} ` +
      `${first.fromMs} ${beforeMs} ${stretches.length} ${samples}`,
    sources: [
      { of: name, fromMs: first.fromMs, beforeMs },
      ...referenceSources(legsOf([from, to], anchors), beforeMs),
    ],
    ask: async () =>
      evaluated(deps, view, { ...ask, said: await deps.store.lastIn(corridor, stretches) }),
    bytesOf: (rows) => rows.length * SAID_BYTES,
  })
}

/** The rates, of which those of a bucket are looked up only if its mids make them doubtful. */
async function evaluated(
  deps: HeldSeriesDeps,
  view: View,
  { corridor, stretches, points, said }: Ask & { readonly said: readonly SaidRate[] },
): Promise<readonly EvaluatedRate[]> {
  const midsOf = new Map(points.map(({ startMs, mids }) => [startMs, mids]))
  const { quoteSuspectPct: pct = null } = view.limits
  const doubtful = said.filter(({ atMs, stretch, rate, rateType }) => {
    const { fromMs } = stretches[stretch]!
    const mids = atMs < fromMs ? undefined : midsOf.get(fromMs)
    if (pct === null || mids === null || !isExecutable(rateType)) return false
    return mids === undefined || isDoubtful(rate, mids, pct)
  })
  const quotes = doubtful.map((rate) => ({ ...rate, ...corridor, ...BARE }))
  const suspects = await foundSuspects(deps, view, quotes)
  return said.map((rate) => ({ ...rate, isSuspect: suspects.has(rate.id) }))
}

/** A quote's other fields, which its suspicion does not depend on. */
const BARE = { fee: null, feeCurrency: null, evidence: 'observed', offer: null } as const

/** Roughly how many bytes a rate takes in memory. */
const SAID_BYTES = 130

/** Rates of each stretch, by the stretch's end. */
function byEnd(said: readonly EvaluatedRate[], stretches: readonly Window[]) {
  const ends = new Map<number, EvaluatedRate[]>()
  for (const rate of said) ends.getOrInsert(stretches[rate.stretch]!.beforeMs, []).push(rate)
  return ends
}

type ReceivedPrices = {
  readonly earlier: readonly EvaluatedRate[]
  readonly said: ReadonlyMap<number, readonly EvaluatedRate[]>
  readonly endsMs: readonly number[]
  readonly heldMs: number | null
}

function standingAt(
  view: View,
  { earlier, said, endsMs, heldMs }: ReceivedPrices,
): (number | null)[] {
  const received = new ReceivedRates(earlier)
  return endsMs.map((endMs) => {
    const changed = said.get(endMs)
    if (changed) received.receive(changed)
    const lastMs = Math.min(endMs - 1, view.freshness.nowMs)
    const stands = ({ providerId, rateType, atMs, isSuspect }: EvaluatedRate) =>
      !isSuspect &&
      isExecutable(rateType) &&
      (heldMs === null || lastMs - atMs <= heldMs) &&
      view.wasActive(providerId, lastMs)
    const rates = received.validAt(lastMs).filter(stands)
    return rates.length === 0 ? null : Math.max(...rates.map(({ rate }) => rate))
  })
}

/** Last rate of every offer, while a caller steps from one stretch to the next. Mutable. */
class ReceivedRates {
  /** The last rates that never expire, by offer. */
  readonly #endless = new Map<string, EvaluatedRate>()
  /** The expiring rates, as of the end of the last stretch. */
  #ending: readonly EvaluatedRate[] = []

  constructor(said: readonly EvaluatedRate[]) {
    this.receive(said)
  }

  receive(said: readonly EvaluatedRate[]): void {
    for (const rate of said) if (isEndless(rate)) this.#endless.set(rate.offer, rate)
    this.#ending = said.filter((rate) => !isEndless(rate))
  }

  /** The newest rate of each offer that is still valid. */
  validAt(ms: number): EvaluatedRate[] {
    const held = new Map(this.#endless)
    for (const rate of this.#ending) {
      const other = held.get(rate.offer)
      if (rate.untilMs >= ms && (!other || newestFirst(rate, other) < 0)) held.set(rate.offer, rate)
    }
    return [...held.values()]
  }
}

const isEndless = ({ untilMs }: EvaluatedRate): boolean => untilMs === Number.POSITIVE_INFINITY
