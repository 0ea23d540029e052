import type { Corridor } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { type Backing, joinedSources, type Mid, type Reference } from '~/domain/mid.ts'
import { UNSELECTED, upToAge } from '~/domain/offer/selection.ts'
import type { Quote } from '~/domain/quote.ts'
import type { AgedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { requireLoaded } from './absence.ts'
import { supportedCodes } from './supported.ts'

export type Pair = {
  /** The mid; null if no feed covers the pair, 1 for a currency against itself. */
  readonly mid: number | null
  /** The backing of the mid; null without a mid, and for a currency against itself. */
  readonly backing: Backing | null
  readonly best: AgedQuote | null
}

export type Matrix = {
  readonly bases: readonly string[]
  readonly quotes: readonly string[]
  /** `pairs[i][j]` is bases[i] against quotes[j]. */
  readonly pairs: readonly (readonly Pair[])[]
  /** The feed or feeds behind the mids and the time of their stalest leg; null without any mid. */
  readonly reference: { readonly source: string; readonly atMs: number } | null
  /** The currencies that leave pairs without a mid, in the order of those pairs. */
  readonly unpriced: readonly Unpriced[]
  /** The best quotes that are stale, in the order of their pairs. */
  readonly stale: readonly Quote[]
  /** The best quotes of pairs that have none as young as was requested. */
  readonly tooOld: readonly Quote[]
}

/** A currency without a recent reference. */
export type Unpriced = {
  readonly code: string
  /** Says whether the currency is a stablecoin, which no feed covers. */
  readonly isStablecoin: boolean
  /** The time when a feed last gave a reference for it; null if none ever did. */
  readonly lastMs: number | null
}

/** The time of the feeds' next run, in epoch ms; null if they are not run. */
export type FeedTimes = (nowMs: number) => number | null

/** Request: currencies on both sides, and the maximum age of a best quote. */
type Asked = {
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly maxAgeMs?: number | null
  /** Says whether no currency at all may have a recent reference. */
  readonly mayLackAll?: boolean
}

/**
 * Mid and best executable quote of every base against every quote currency.
 *
 * Currencies named twice count once, in order of appearance. A currency without a recent reference
 * takes the mid from its own pairs alone. Throws `unsupported_currency`, and `mid_unavailable` for
 * a pair of fiat currencies while no currency at all has a recent reference; by `feedTimes` it says
 * how long to wait for one. Throws `database_unavailable` for a pair that could not be loaded.
 */
export function fetchMatrix(view: View, asked: Asked, feedTimes: FeedTimes = () => null): Matrix {
  const { from: bases, to: quotes } = supportedCodes(view.catalogue, asked)
  const selection = upToAge(asked.maxAgeMs ?? null)
  const mids: Mid[] = []
  const own: Mid[] = []
  const bare: Corridor[] = []
  const stale: Quote[] = []
  const tooOld: Quote[] = []
  const pairs = bases.map((base) =>
    quotes.map((quote): Pair => {
      const mid = view.mid(base, quote)
      if (base === quote) {
        if (mid) own.push(mid)
        return { mid: 1, backing: null, best: null }
      }
      if (mid) mids.push(mid)
      else bare.push({ from: base, to: quote })
      const { best } = view.corridor(base, quote, selection)
      if (!best) requireLoaded(view, { from: base, to: quote })
      if (best?.isStale) stale.push(best.quote)
      const older = best || selection === UNSELECTED ? null : view.corridor(base, quote).best
      if (older) tooOld.push(older.quote)
      return { mid: mid?.rate ?? null, backing: mid ?? null, best }
    }),
  )
  const reference = referenceOf(mids.length > 0 ? mids : own)
  const unpriced = unpricedOf(view, bare, asked.mayLackAll ? null : feedTimes)
  return { bases, quotes, pairs, reference, unpriced, stale, tooOld }
}

function referenceOf(mids: readonly Mid[]): Matrix['reference'] {
  if (mids.length === 0) return null
  return {
    source: joinedSources(mids.map(({ source }) => source)),
    atMs: mids.reduce((stalest, { atMs }) => Math.min(stalest, atMs), Number.POSITIVE_INFINITY),
  }
}

const NONE: readonly Unpriced[] = []

/**
 * Reasons why `pairs` have no mid; never the dollar, which needs no reference. Throws if the feeds
 * have nothing recent for any currency, which is a temporary failure, unless `feedTimes` is null.
 */
function unpricedOf(view: View, pairs: readonly Corridor[], feedTimes: FeedTimes | null) {
  if (pairs.length === 0) return NONE
  const covered = pairs.find(({ from, to }) => view.isFiat(from) && view.isFiat(to))
  if (feedTimes && covered && !isRecent(view, view.newestReference()))
    throw unavailable(view, covered, feedTimes)
  const codes = new Set(pairs.flatMap(({ from, to }) => [from, to]))
  codes.delete(USD)
  const unpriced: Unpriced[] = []
  for (const code of codes) {
    const isStablecoin = !view.isFiat(code)
    const last = isStablecoin ? undefined : view.reference(code)
    if (!isRecent(view, last)) unpriced.push({ code, isStablecoin, lastMs: last?.atMs ?? null })
  }
  return unpriced
}

const isRecent = (view: View, reference: Reference | undefined): boolean =>
  reference !== undefined && view.isRecent(reference.atMs)

const unavailable = (view: View, { from, to }: Corridor, feedTimes: FeedTimes): ServiceError =>
  new ServiceError(
    'mid_unavailable',
    `the mid-market reference for ${from}/${to} is temporarily unavailable; retry shortly`,
    {},
    waitSeconds(view, feedTimes),
  )

/** The longest time that a run of the feeds takes, if they respond at all. */
const RUN_MS = 30_000

/** The time until the tier can see a reference; one already here shows at the top of the hour. */
function waitSeconds(view: View, feedTimes: FeedTimes): number | null {
  const { nowMs, tier } = view.freshness
  const isHere = isRecent(view, view.newestReference(Number.POSITIVE_INFINITY))
  const askedMs = isHere ? null : feedTimes(nowMs)
  if (!isHere && askedMs === null) return null
  const readyMs = askedMs === null ? nowMs : askedMs + RUN_MS
  const seenMs = tier === 'hourly' ? hourStartMs(readyMs) + HOUR_MS : readyMs
  return Math.ceil((seenMs - nowMs) / 1000)
}
