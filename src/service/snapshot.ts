import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import type { Place } from '~/domain/history.ts'
import { crossMid, type Mid, type Reference } from '~/domain/mid.ts'
import { ALWAYS_MS } from '~/domain/period.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { vsMidBps } from '~/domain/spread.ts'
import { corridorView } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import type { Source, WindowCache } from '~/memory/window-cache.ts'
import type { Rates } from './rates.ts'
import { supportedCorridor } from './supported.ts'

export type SnapshotStore = {
  /** The latest quote of every provider of a corridor before `place`, in no particular order. */
  latestBefore(corridor: Corridor, place: Place): Promise<readonly Quote[]>
  /**
   * The latest reference of each of `currencies` before `beforeMs`; currencies without one are left
   * out.
   */
  referencesBefore(currencies: readonly string[], beforeMs: number): Promise<readonly Reference[]>
}

export type SnapshotDeps = { readonly store: SnapshotStore; readonly windows: WindowCache }

/** A corridor in the past; `asOfMs` is the moment it shows. */
export type Snapshot = Rates & { readonly asOfMs: number }

/**
 * The latest quote of every provider on or before a UTC date, ranked as live ones are.
 *
 * It has the providers that were active then, whether or not they are now, and a mid that was
 * recent then. The moment is the start of the following day, exclusive; while that lies in the
 * future the hourly tier sees up to and including its cutoff instead. Throws
 * `unsupported_currency`, `same_currency`, and `invalid_parameter` for a future date.
 */
export async function snapshotOf(
  deps: SnapshotDeps,
  view: View,
  asked: Corridor & { readonly dateMs: number },
): Promise<Snapshot> {
  const corridor = supportedCorridor(view.catalogue, asked)
  const { nowMs, cutoffMs } = view.freshness
  if (asked.dateMs > nowMs)
    throw invalidParameter({
      name: 'date',
      fault: 'it lies in the future; take today or an earlier UTC date',
    })
  const dayEndMs = asked.dateMs + DAY_MS
  const asOfMs = Math.min(dayEndMs, cutoffMs)
  const beforeMs = Math.min(dayEndMs, cutoffMs + 1)
  const then = { beforeMs, thenMs: Math.min(dayEndMs, nowMs), isLasting: true }
  const [quotes, mid] = await Promise.all([
    quotesBefore(deps, corridor, then),
    midBefore(deps, view, { ...then, corridor }),
  ])
  const counted = quotes.filter(({ providerId }) => view.wasActive(providerId, beforeMs - 1))
  const mids = { midAtQuote: null, feeMidAtQuote: null }
  const ranked = corridorView(
    counted.map((quote) => ({ quote, provider: whoSaid(view, quote), ...mids })),
    view.staleBeforeMs(asOfMs),
  )
  return {
    corridor,
    mid,
    asOfMs,
    quotes: ranked.quotes.map((entry) => ({
      ranked: entry,
      vsMidBps: mid && vsMidBps(entry.quote.rate, mid.rate),
    })),
  }
}

/** The end of a stretch of the past; `isLasting` says whether others may ask for it again. */
type PastMoment = { readonly beforeMs: number; readonly isLasting: boolean }

/** The latest quote of every provider that ever quoted a corridor. */
export function quotesBefore(
  { store, windows }: SnapshotDeps,
  corridor: Corridor,
  { beforeMs, isLasting }: PastMoment,
): Promise<readonly Quote[]> {
  const ask = () => store.latestBefore(corridor, { atMs: beforeMs, id: 0 })
  if (!isLasting) return ask()
  const name = corridorKey(corridor)
  return windows.answer({
    key: `quotes ${name} ${beforeMs}`,
    sources: [{ of: name, fromMs: ALWAYS_MS, beforeMs }],
    ask,
    bytesOf: quotesBytes,
  })
}

/** The mid, if there was a recent one at `thenMs`; else null. */
export async function midBefore(
  { store, windows }: SnapshotDeps,
  view: View,
  { corridor, beforeMs, thenMs, isLasting }: PastMoment & { corridor: Corridor; thenMs: number },
): Promise<Mid | null> {
  const legs = legsOf(view, corridor)
  if (legs.length === 0) return null
  const ask = () => store.referencesBefore(legs, beforeMs)
  const references = await (isLasting
    ? windows.answer({
        key: `references ${legs.join()} ${beforeMs}`,
        sources: referenceSources(legs, beforeMs),
        ask,
        bytesOf: (rows) => rows.length * REFERENCE_BYTES,
      })
    : ask())
  if (references.length < legs.length) return null
  const leg = (code: string) => references.find(({ currency }) => currency === code) ?? DOLLAR
  const mid = crossMid(leg(corridor.from), leg(corridor.to))
  return view.isRecent(mid.atMs, thenMs) ? mid : null
}

/** The currencies that a corridor's mid is crossed from; none where the feed does not cover it. */
export function legsOf(view: View, { from, to }: Corridor): string[] {
  if (!view.isFiat(from) || !view.isFiat(to)) return []
  return [from, to].filter((code) => code !== USD)
}

/** The references of `legs` at any time before `beforeMs`, as cache sources. */
export const referenceSources = (legs: readonly string[], beforeMs: number): Source[] =>
  legs.map((of) => ({ of, fromMs: ALWAYS_MS, beforeMs }))

/** Roughly how many bytes a quote takes in memory. */
const QUOTE_BYTES = 250
const REFERENCE_BYTES = 150

export const quotesBytes = (quotes: readonly Quote[]): number => quotes.length * QUOTE_BYTES

/** Stands for the leg that needs no reference; none of it is ever shown. */
const DOLLAR: Reference = { id: 0, atMs: 0, currency: USD, perUsd: 1, source: '' }

/** The provider of a quote; one that memory does not know yet is named by its id alone. */
export function whoSaid(view: View, { providerId, rateType }: Quote): Provider {
  return (
    view.catalogue.anyProvider(providerId) ?? {
      ...UNHEARD,
      id: providerId,
      name: providerId,
      rateType,
    }
  )
}

const UNHEARD: Omit<Provider, 'id' | 'name' | 'rateType'> = {
  logoUrl: null,
  websiteUrl: null,
  providerType: null,
  region: null,
  transferTime: null,
  paymentMethods: null,
  isActive: true,
}
