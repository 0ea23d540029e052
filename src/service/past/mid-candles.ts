import type { Corridor } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Window } from '~/domain/period.ts'
import type { Anchors } from '~/domain/price/anchors.ts'
import { bucketEndMs, bucketStartsMs, type Candle, type Interval } from '~/domain/series.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { referenceSources } from '~/service/snapshot.ts'

/** Values of a US dollar, oldest first; of two at one time the later one applies. */
type WorthPath = { readonly timesMs: Float64Array; readonly worths: Float64Array }

export type MidCandleStore = {
  /** Returns the values of a US dollar in a currency: the last before a window, and each in it. */
  worthPath(currency: string, window: Window): Promise<WorthPath>
}

type PathDeps = { readonly store: MidCandleStore; readonly windows: WindowCache }

type Ask = Window & {
  readonly corridor: Corridor
  readonly interval: Interval
  readonly anchors: Anchors
}

/** A dollar that is a leg itself. */
const ONE: WorthPath = {
  timesMs: Float64Array.of(Number.NEGATIVE_INFINITY),
  worths: Float64Array.of(1),
}

/**
 * The candle of a pair's mid in each bucket, oldest first; null before the mid's history begins. A
 * bucket opens with the mid that was in force at its start, if there was one.
 */
export async function midCandlesOf(
  deps: PathDeps,
  { corridor, interval, anchors, ...window }: Ask,
): Promise<(Candle | null)[]> {
  const startsMs = bucketStartsMs(window, interval)
  const anchorOf = (code: string) => anchors.of(code) ?? code
  const [from, to] = [anchorOf(corridor.from), anchorOf(corridor.to)]
  const factor = anchors.worth(corridor.to, 1) / anchors.worth(corridor.from, 1)
  if (from === to) return startsMs.map(() => flat(factor))
  const [source, target] = await Promise.all([pathOf(deps, from, window), pathOf(deps, to, window)])
  const path = new MidPath(source, target, factor)
  return startsMs.map((startMs) => path.candleIn(startMs, bucketEndMs(startMs, interval)))
}

/** The length of the spans of a path that are remembered, whole ones since 1970. */
const SPAN_MS = 64 * DAY_MS
const VALUE_BYTES = 16

/**
 * The value of a dollar in a leg in a window, and before it. Whole spans are cached, shared by
 * every corridor with this leg and by every window; values before the window are skipped. They are
 * read one after the other, so that a long window takes one connection for each leg.
 */
async function pathOf(deps: PathDeps, leg: string, { fromMs, beforeMs }: Window) {
  if (leg === USD) return ONE
  const paths: WorthPath[] = []
  let startMs = fromMs - (fromMs % SPAN_MS)
  for (; startMs + SPAN_MS <= beforeMs; startMs += SPAN_MS)
    paths.push(await spanOf(deps, leg, startMs))
  const restMs = Math.max(fromMs, startMs)
  if (restMs < beforeMs) paths.push(await deps.store.worthPath(leg, { fromMs: restMs, beforeMs }))
  return {
    timesMs: joined(paths.map(({ timesMs }) => timesMs)),
    worths: joined(paths.map(({ worths }) => worths)),
  }
}

const spanOf = ({ store, windows }: PathDeps, leg: string, fromMs: number): Promise<WorthPath> =>
  windows.answer({
    key: `path ${leg} ${fromMs}`,
    sources: referenceSources([leg], fromMs + SPAN_MS),
    ask: () => store.worthPath(leg, { fromMs, beforeMs: fromMs + SPAN_MS }),
    bytesOf: ({ timesMs }) => timesMs.length * VALUE_BYTES,
  })

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** A mid that follows two paths while a caller steps from bucket to bucket. Mutable. */
class MidPath {
  #mid: number | null = null
  #sourceNext = 0
  #targetNext = 0

  constructor(
    private readonly source: WorthPath,
    private readonly target: WorthPath,
    private readonly factor: number,
  ) {}

  candleIn(startMs: number, endMs: number): Candle | null {
    while (this.#nextMs <= startMs) this.#step()
    let candle = this.#mid === null ? null : flat(this.#mid)
    while (this.#nextMs < endMs) {
      const mid = this.#step()
      if (mid !== null) candle = candle ? { ...widened(candle, mid), close: mid } : flat(mid)
    }
    return candle
  }

  /** The time when either leg is said next. */
  get #nextMs(): number {
    const sourceMs = this.source.timesMs[this.#sourceNext] ?? Number.POSITIVE_INFINITY
    const targetMs = this.target.timesMs[this.#targetNext] ?? Number.POSITIVE_INFINITY
    return Math.min(sourceMs, targetMs)
  }

  /** Takes all that is said at the next time; null as long as a leg is unknown. */
  #step(): number | null {
    const atMs = this.#nextMs
    while (this.source.timesMs[this.#sourceNext]! <= atMs) this.#sourceNext++
    while (this.target.timesMs[this.#targetNext]! <= atMs) this.#targetNext++
    const from = this.source.worths[this.#sourceNext - 1]
    const to = this.target.worths[this.#targetNext - 1]
    this.#mid = from === undefined || to === undefined ? null : (to / from) * this.factor
    return this.#mid
  }
}

/** A candle that closes at a mid, which may differ from its own last value by a rounding. */
export const closedAt = (mid: number, candle: Candle | null | undefined): Candle | null =>
  candle ? { ...widened(candle, mid), close: mid } : null

const flat = (rate: number): Candle => ({ open: rate, high: rate, low: rate, close: rate })

const widened = ({ open, high, low, close }: Candle, rate: number): Candle => ({
  open,
  high: Math.max(high, rate),
  low: Math.min(low, rate),
  close,
})
