import type { Corridor } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import type { Window } from '~/domain/period.ts'
import type { Anchors } from '~/domain/price/anchors.ts'
import { bucketStartsMs, type Candle, type Interval } from '~/domain/series.ts'

/** The turns of a mid in one bucket: its first value there and when that was said, and others. */
type TurnsIn = Candle & { readonly startMs: number; readonly firstMs: number }

type CandlesAsk = Window & {
  readonly interval: Interval
  /** The currencies whose worths are the divisor and the dividend; null for 1. */
  readonly from: string | null
  readonly to: string | null
}

export type MidCandleStore = {
  /**
   * By buckets, oldest first, what one worth of a US dollar came to in terms of another whenever
   * either was said: in the window, and last before it.
   */
  midTurns(ask: CandlesAsk): Promise<readonly TurnsIn[]>
}

type Ask = Window & {
  readonly corridor: Corridor
  readonly interval: Interval
  readonly anchors: Anchors
}

/**
 * The candle of a pair's mid in each bucket, oldest first; null before the mid's history begins. A
 * bucket opens with the mid that was in force at its start, if there was one.
 */
export async function midCandlesOf(
  store: MidCandleStore,
  { corridor, interval, anchors, fromMs, beforeMs }: Ask,
): Promise<(Candle | null)[]> {
  const startsMs = bucketStartsMs({ fromMs, beforeMs }, interval)
  const legOf = (code: string) => {
    const leg = anchors.of(code) ?? code
    return leg === USD ? null : leg
  }
  const [from, to] = [legOf(corridor.from), legOf(corridor.to)]
  const factor = anchors.worth(corridor.to, 1) / anchors.worth(corridor.from, 1)
  if (from === to) return startsMs.map(() => flat(factor))
  const turns = await store.midTurns({ interval, from, to, fromMs, beforeMs })
  const byStart = new Map(turns.map((turn) => [turn.startMs, scaled(turn, factor)]))
  let held = turns.findLast(({ startMs }) => startMs < fromMs)?.close ?? null
  if (held !== null) held *= factor
  return startsMs.map((startMs) => {
    const said = byStart.get(startMs)
    const before = said && said.firstMs === startMs ? null : held
    held = said?.close ?? held
    if (!said) return held === null ? null : flat(held)
    return before === null ? said : { ...widened(said, before), open: before }
  })
}

/** A candle that closes at a mid, which may differ from its own last value by a rounding. */
export const closedAt = (mid: number, candle: Candle | null | undefined): Candle | null =>
  candle ? { ...widened(candle, mid), close: mid } : null

const flat = (rate: number): Candle => ({ open: rate, high: rate, low: rate, close: rate })

const scaled = (turns: TurnsIn, factor: number): TurnsIn => ({
  ...turns,
  open: turns.open * factor,
  high: turns.high * factor,
  low: turns.low * factor,
  close: turns.close * factor,
})

const widened = ({ open, high, low, close }: Candle, rate: number): Candle => ({
  open,
  high: Math.max(high, rate),
  low: Math.min(low, rate),
  close,
})
