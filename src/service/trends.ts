import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Anchors } from '~/domain/price/anchors.ts'
import { legsOf } from '~/domain/price/day-mids.ts'
import type { BestOfDay, TrendWindow, WorthOfDay } from '~/domain/trend.ts'
import type { View } from '~/memory/view.ts'

/** The days that a trend covers, the present one included. */
const TREND_DAYS = 30

export type TrendStore = {
  /** The best executable rate of every corridor and day that has one, in any order. */
  bestByDay(window: TrendWindow): Promise<readonly BestOfDay[]>
  /** What a US dollar was last worth in each currency at the end of each day, in any order. */
  worthByDay(currencies: readonly string[], window: TrendWindow): Promise<readonly WorthOfDay[]>
}

/** One value a day, oldest first; null for a day without one. */
export type Trend = {
  readonly mid: readonly (number | null)[]
  readonly best: readonly (number | null)[]
}

type Trends = {
  readonly best: ReadonlyMap<string, readonly (number | null)[]>
  readonly worth: ReadonlyMap<string, readonly (number | null)[]>
}

type Asked = { readonly cutoffMs: number; readonly trends: Promise<Trends> }

/**
 * The last thirty days of every corridor at once, as the hourly tier sees them: two queries an
 * hour, however many corridors there are and however often a trend is asked for.
 */
export class TrendBoard {
  #asked: Asked | null = null

  constructor(private readonly store: TrendStore) {}

  /**
   * A function that gives each corridor's trend until the hour turns; backfill shows after that.
   *
   * Rejects when the store does; the next call asks it again.
   */
  async of(view: View): Promise<(corridor: Corridor) => Trend> {
    const { cutoffMs } = view.freshness
    if (this.#asked?.cutoffMs !== cutoffMs) {
      const asked = { cutoffMs, trends: this.#load(view) }
      this.#asked = asked
      asked.trends.catch(() => {
        if (this.#asked === asked) this.#asked = null
      })
    }
    const trends = await this.#asked.trends
    const { anchors } = view.catalogue
    return (corridor) => trendOf(trends, corridor, anchors)
  }

  async #load({ catalogue, freshness }: View): Promise<Trends> {
    const window = trendWindow(freshness.cutoffMs)
    const codes = catalogue.currencies.map(({ code }) => code)
    const [best, worth] = await Promise.all([
      this.store.bestByDay(window),
      this.store.worthByDay(legsOf(codes, catalogue.anchors), window),
    ])
    const series = new Map(worth.map(({ currency }) => [currency, empty()]))
    for (const { currency, day, perUsd } of worth) series.get(currency)![day] = perUsd
    const bests = new Map(best.map((said) => [corridorKey(said), empty()]))
    for (const said of best) bests.get(corridorKey(said))![said.day] = said.best
    return { best: bests, worth: series }
  }
}

const empty = (): (number | null)[] => Array<number | null>(TREND_DAYS).fill(null)
const NONE: readonly null[] = Array<null>(TREND_DAYS).fill(null)
/** The dollar where it is itself a leg, which needs no reference. */
const DOLLAR: readonly number[] = Array<number>(TREND_DAYS).fill(1)

function trendWindow(cutoffMs: number): TrendWindow {
  const dayMs = Math.floor(cutoffMs / DAY_MS) * DAY_MS
  return { fromMs: dayMs - (TREND_DAYS - 1) * DAY_MS, beforeMs: cutoffMs + 1, days: TREND_DAYS }
}

function trendOf({ best, worth }: Trends, corridor: Corridor, anchors: Anchors): Trend {
  const worthOf = (code: string): readonly (number | null)[] => {
    if (anchors.of(code) === USD) return DOLLAR.map((perUsd) => anchors.worth(code, perUsd))
    const said = worth.get(anchors.of(code) ?? '') ?? NONE
    return said.map((perUsd) => perUsd && anchors.worth(code, perUsd))
  }
  const [source, target] = [worthOf(corridor.from), worthOf(corridor.to)]
  return {
    mid: target.map((perUsd, day) => (perUsd && source[day] ? perUsd / source[day] : null)),
    best: best.get(corridorKey(corridor)) ?? NONE,
  }
}
