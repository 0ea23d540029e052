import { HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { joinedSources, type Mid } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import type { View } from '~/memory/view.ts'
import { supportedCode } from './supported.ts'

export type Pair = {
  /** Null where the reference feed does not cover the pair; 1 for a currency against itself. */
  readonly mid: number | null
  readonly best: Quote | null
}

export type Matrix = {
  readonly bases: readonly string[]
  readonly quotes: readonly string[]
  /** `pairs[i][j]` is bases[i] against quotes[j]. */
  readonly pairs: readonly (readonly Pair[])[]
  /** The feed or feeds behind the mids and the time of their stalest leg; null without any mid. */
  readonly reference: { readonly source: string; readonly atMs: number } | null
}

/** When the feeds are asked next, in epoch ms; null where none is. */
export type FeedTimes = (nowMs: number) => number | null

/**
 * Mid and best executable quote of every base against every quote currency.
 *
 * Currencies named twice count once, in order of appearance. Throws `unsupported_currency`, and
 * `mid_unavailable` when a pair that the feed covers has no recent mid; by `feedTimes` it says how
 * long to wait for one.
 */
export function fetchMatrix(
  view: View,
  asked: { from: readonly string[]; to: readonly string[] },
  feedTimes: FeedTimes = () => null,
): Matrix {
  const codes = (texts: readonly string[], parameter: string) => [
    ...new Set(texts.map((text) => supportedCode(view.catalogue, text, parameter))),
  ]
  const bases = codes(asked.from, 'from')
  const quotes = codes(asked.to, 'to')
  const mids: Mid[] = []
  const own: Mid[] = []
  const pairs = bases.map((base) =>
    quotes.map((quote): Pair => {
      const mid = midOrFailure(view, { base, quote, feedTimes })
      if (mid) (base === quote ? own : mids).push(mid)
      const best = base === quote ? null : view.corridor(base, quote).best
      return { mid: base === quote ? 1 : (mid?.rate ?? null), best }
    }),
  )
  return { bases, quotes, pairs, reference: referenceOf(mids.length > 0 ? mids : own) }
}

function referenceOf(mids: readonly Mid[]): Matrix['reference'] {
  if (mids.length === 0) return null
  return {
    source: joinedSources(mids.map(({ source }) => source)),
    atMs: mids.reduce((stalest, { atMs }) => Math.min(stalest, atMs), Number.POSITIVE_INFINITY),
  }
}

/**
 * The recent mid; undefined where the feed does not cover the pair. A feed that has nothing recent,
 * or has gone silent on one leg, is a failure for now. A currency against itself needs no feed.
 */
function midOrFailure(view: View, pair: Wanted): Mid | undefined {
  const { base, quote } = pair
  const mid = view.mid(base, quote)
  if (mid || base === quote || !view.isFiat(base) || !view.isFiat(quote)) return mid
  const { references } = view.generation
  const { cutoffMs } = view.freshness
  const newest = references.newest(cutoffMs)
  const isFeedAlive = newest !== undefined && view.isRecent(newest.atMs)
  const isCovered = references.mid(base, quote, cutoffMs) !== undefined
  if (isFeedAlive && !isCovered) return undefined
  throw new ServiceError(
    'mid_unavailable',
    `the mid-market reference for ${base}/${quote} is temporarily unavailable; retry shortly`,
    {},
    waitSeconds(view, pair),
  )
}

type Wanted = { readonly base: string; readonly quote: string; readonly feedTimes: FeedTimes }

/** A run is over by then, if its feeds answer at all. */
const RUN_MS = 30_000

/**
 * How long until the tier can see a mid: one that is here already waits for the top of the hour.
 */
function waitSeconds(view: View, { base, quote, feedTimes }: Wanted): number | null {
  const { nowMs, tier } = view.freshness
  const live = view.generation.references.mid(base, quote, Number.POSITIVE_INFINITY)
  const isHere = live !== undefined && view.isRecent(live.atMs)
  const askedMs = isHere ? null : feedTimes(nowMs)
  if (!isHere && askedMs === null) return null
  const readyMs = askedMs === null ? nowMs : askedMs + RUN_MS
  const seenMs = tier === 'hourly' ? hourStartMs(readyMs) + HOUR_MS : readyMs
  return Math.ceil((seenMs - nowMs) / 1000)
}
