import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import type { View } from '~/memory/view.ts'
import { type SeriesDeps, seriesOf } from './series.ts'

/** The days that a trend covers, including the present one. */
const TREND_DAYS = 30
/** The number of corridors that are read at once, so that a list leaves room for other queries. */
const LANES = 4

/** One value a day, oldest first; null for a day without one. */
export type Trend = {
  readonly mid: readonly (number | null)[]
  readonly best: readonly (number | null)[]
}

/** The last thirty days of some corridors, by their keys. Rejects as `seriesOf` does. */
export async function trendsOf(
  deps: SeriesDeps,
  view: View,
  corridors: readonly Corridor[],
): Promise<ReadonlyMap<string, Trend>> {
  const trends = new Map<string, Trend>()
  const waiting = corridors.values()
  const lane = async () => {
    for (const { from, to } of waiting) {
      const question = { from, to, interval: 'P1D', period: '30d' } as const
      const series = await seriesOf(deps, view, { ...question, startMs: null, endMs: null })
      const days = series.points.slice(-TREND_DAYS)
      const trend = { mid: days.map(({ mid }) => mid), best: days.map(({ best }) => best) }
      trends.set(corridorKey({ from, to }), trend)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return trends
}
