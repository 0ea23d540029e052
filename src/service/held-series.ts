import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { ALWAYS_MS, type Window } from '~/domain/period.ts'
import { isExecutable, type RateType } from '~/domain/provider.ts'
import { INTERVAL_MS } from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import {
  type Series,
  type SeriesDeps,
  type SeriesPoint,
  type SeriesQuestion,
  seriesOf,
} from './series.ts'

/** What a provider said last in one of the stretches of time asked for. */
type SaidRate = {
  readonly providerId: string
  /** The number of the stretch, from 0. */
  readonly stretch: number
  readonly atMs: number
  readonly rate: number
  readonly rateType: RateType
}

export type HeldStore = {
  /** The last observation of every provider of a corridor in each of `stretches`, in any order. */
  lastIn(corridor: Corridor, stretches: readonly Window[]): Promise<readonly SaidRate[]>
}

export type HeldSeriesDeps = {
  readonly store: SeriesDeps['store'] & HeldStore
  readonly windows: WindowCache
}

export type HeldPoint = SeriesPoint & {
  /** The best executable rate that stood at the bucket's end; null where none did. */
  readonly standing: number | null
}

export type HeldSeries = Omit<Series, 'points'> & { readonly points: readonly HeldPoint[] }

export type HeldSeriesQuestion = SeriesQuestion & {
  /** How long a price stands unless its provider gives another; null for good. */
  readonly heldMs: number | null
}

/**
 * The series of a corridor with the best rate that stood at the end of each bucket: among the last
 * ones of the providers active then, none older than `heldMs`.
 *
 * Where the observations behind a bucket have been pruned, its best stands for them. Throws as
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
  const endsMs = points.map(({ startMs }) => Math.min(startMs + INTERVAL_MS[interval], reachMs))
  const stretches = stretchesOf({ points, endsMs }, question.heldMs)
  const said = byEnd(
    await lastIn(deps, { corridor, stretches, samples: samplesIn(points) }),
    stretches,
  )
  const earlier = said.get(series.window.fromMs) ?? []
  const standing = standingAt(view, { earlier, said, endsMs, heldMs: question.heldMs })
  return {
    ...series,
    points: points.map((point, i) => ({ ...point, standing: standing[i] ?? point.best })),
  }
}

type Buckets = { readonly points: readonly SeriesPoint[]; readonly endsMs: readonly number[] }

/** The time before the first bucket that a price may still stand from, and each busy bucket. */
function stretchesOf({ points, endsMs }: Buckets, heldMs: number | null): Window[] {
  const [first] = points
  if (!first) return []
  const sinceMs = heldMs === null ? ALWAYS_MS : first.startMs - heldMs
  const busy = points.flatMap(({ startMs, samples }, i) =>
    samples > 0 ? [{ fromMs: startMs, beforeMs: endsMs[i]! }] : [],
  )
  return [{ fromMs: sinceMs, beforeMs: first.startMs }, ...busy]
}

const samplesIn = (points: readonly SeriesPoint[]): number =>
  points.reduce((sum, { samples }) => sum + samples, 0)

type Ask = {
  readonly corridor: Corridor
  readonly stretches: readonly Window[]
  /** How many observations the buckets hold: more of them make another question. */
  readonly samples: number
}

async function lastIn({ store, windows }: HeldSeriesDeps, ask: Ask): Promise<readonly SaidRate[]> {
  const { corridor, stretches, samples } = ask
  const [first] = stretches
  if (!first) return []
  const name = corridorKey(corridor)
  const { beforeMs } = stretches.at(-1)!
  return windows.answer({
    key: `said ${name} ${first.fromMs} ${beforeMs} ${stretches.length} ${samples}`,
    sources: [{ of: name, fromMs: first.fromMs, beforeMs }],
    ask: () => store.lastIn(corridor, stretches),
    bytesOf: (rows) => rows.length * SAID_BYTES,
  })
}

/** Roughly how many bytes a rate takes in memory. */
const SAID_BYTES = 120

/** What was said in each stretch, by the stretch's end. */
function byEnd(said: readonly SaidRate[], stretches: readonly Window[]) {
  const ends = new Map<number, SaidRate[]>()
  for (const rate of said) {
    const { beforeMs } = stretches[rate.stretch]!
    const others = ends.get(beforeMs)
    if (others) others.push(rate)
    else ends.set(beforeMs, [rate])
  }
  return ends
}

type Heard = {
  readonly earlier: readonly SaidRate[]
  readonly said: ReadonlyMap<number, readonly SaidRate[]>
  readonly endsMs: readonly number[]
  readonly heldMs: number | null
}

function standingAt(view: View, { earlier, said, endsMs, heldMs }: Heard): (number | null)[] {
  const latest = new Map(earlier.map((rate) => [rate.providerId, rate]))
  return endsMs.map((endMs) => {
    for (const rate of said.get(endMs) ?? []) latest.set(rate.providerId, rate)
    const lastMs = Math.min(endMs - 1, view.freshness.nowMs)
    const stands = ({ providerId, rateType, atMs }: SaidRate) =>
      isExecutable(rateType) &&
      (heldMs === null || lastMs - atMs <= heldMs) &&
      view.wasActive(providerId, lastMs)
    const rates = [...latest.values()].filter(stands).map(({ rate }) => rate)
    return rates.length === 0 ? null : Math.max(...rates)
  })
}
