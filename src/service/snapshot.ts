import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import type { Place } from '~/domain/history.ts'
import type { Mid } from '~/domain/mid.ts'
import { ALWAYS_MS } from '~/domain/period.ts'
import {
  dayMidsOf,
  legsOf,
  midAt,
  momentsOf,
  type Probe,
  type ProbeAnswer,
  probesOf,
} from '~/domain/price/day-mids.ts'
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
  /** What each probe finds, in any order. */
  referencesAt(probes: readonly Probe[]): Promise<readonly ProbeAnswer[]>
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
  const isCounted = ({ providerId }: Quote) => view.wasActive(providerId, beforeMs - 1)
  const counted = quotes.filter(isCounted)
  const isEmpty = counted.length === 0
  const reverse = { from: corridor.to, to: corridor.from }
  const isReverseQuoted = isEmpty && (await quotesBefore(deps, reverse, then)).some(isCounted)
  const priced = await withDayMids(deps, view, counted)
  const ranked = corridorView(
    priced.map((one) => ({ ...one, provider: whoSaid(view, one.quote) })),
    view.staleBeforeMs(asOfMs),
  )
  return {
    corridor,
    mid,
    absence: isEmpty ? { corridor, newestMs: null, unfit: [], isReverseQuoted } : null,
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

/** Each quote with the mids of the moment it took effect. */
async function withDayMids(deps: SnapshotDeps, view: View, quotes: readonly Quote[]) {
  const { anchors } = view.catalogue
  const referenceAt = await referencesAt(deps, probesOf(momentsOf(quotes, anchors)), true)
  const day = { anchors, referenceAt, maxAgeMs: view.midMaxAgeMs }
  return quotes.map((quote) => ({ quote, ...dayMidsOf(quote, day) }))
}

/** The mid, if there was a recent one at `thenMs`; else null. */
export async function midBefore(
  deps: SnapshotDeps,
  view: View,
  { corridor, beforeMs, thenMs, isLasting }: PastMoment & { corridor: Corridor; thenMs: number },
): Promise<Mid | null> {
  const { from, to } = corridor
  if (!view.isFiat(from) || !view.isFiat(to)) return null
  const { anchors } = view.catalogue
  const atMs = beforeMs - 1
  const probes = legsOf([from, to], anchors).map((currency) => ({ currency, atMs }))
  const referenceAt = await referencesAt(deps, probes, isLasting)
  const mid = midAt(atMs, [from, to], { anchors, referenceAt, maxAgeMs: Number.POSITIVE_INFINITY })
  return mid && view.isRecent(mid.atMs, thenMs) ? mid : null
}

/** What the probes find; the answer is kept where others may ask for the same. */
async function referencesAt(
  { store, windows }: SnapshotDeps,
  probes: readonly Probe[],
  isLasting: boolean,
) {
  const ask = () => store.referencesAt(probes)
  const names = probes.map(nameOf)
  const answers = await (isLasting && probes.length > 0
    ? windows.answer({
        key: `references ${names.join()}`,
        sources: probes.map(({ currency: of, atMs }) => ({
          of,
          fromMs: ALWAYS_MS,
          beforeMs: atMs + 1,
        })),
        ask,
        bytesOf: (rows) => rows.length * REFERENCE_BYTES,
      })
    : ask())
  const found = new Map(answers.map((answer) => [nameOf(answer), answer.reference]))
  return (probe: Probe) => found.get(nameOf(probe)) ?? undefined
}

const nameOf = ({ currency, atMs }: Probe): string => `${currency}@${atMs}`

/** The references of `legs` at any time before `beforeMs`, as cache sources. */
export const referenceSources = (legs: readonly string[], beforeMs: number): Source[] =>
  legs.map((of) => ({ of, fromMs: ALWAYS_MS, beforeMs }))

/** Roughly how many bytes a quote takes in memory. */
const QUOTE_BYTES = 250
const REFERENCE_BYTES = 150

export const quotesBytes = (quotes: readonly Quote[]): number => quotes.length * QUOTE_BYTES

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
