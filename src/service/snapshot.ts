import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Standing } from '~/domain/history.ts'
import type { Mid } from '~/domain/mid.ts'
import { askedOf, unspecifiedOf } from '~/domain/offer/filter.ts'
import { heldAt } from '~/domain/offer/held.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
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
import type { Quote, StoredQuote } from '~/domain/quote.ts'
import { vsMidBps } from '~/domain/spread.ts'
import { corridorView, selectedView } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import type { Source, WindowCache } from '~/memory/window-cache.ts'
import { isUnfit } from './absence.ts'
import type { Rates } from './rates.ts'
import { supportedCorridor } from './supported.ts'

export type SnapshotStore = {
  /**
   * The quotes of a corridor from before a time that hold at `sinceMs` or later, unless superseded:
   * of each offer the newest one, and each older one that is valid for longer than all newer ones.
   * In no particular order.
   */
  standing(corridor: Corridor, standing: Standing): Promise<readonly StoredQuote[]>
  /** What official providers ever quoted with a currency on either side, in any order. */
  bankSeries(currency: string): Promise<readonly (Corridor & { readonly providerId: string })[]>
  /** Returns the result of each probe, in any order. */
  referencesAt(probes: readonly Probe[]): Promise<readonly ProbeAnswer[]>
}

export type SnapshotDeps = {
  readonly store: SnapshotStore
  readonly windows: WindowCache
  /** Says whether the store is of one time, so that its results never change. */
  readonly isOfOneTime?: boolean
}

/** A corridor in the past; `asOfMs` is the time it shows. */
export type Snapshot = Rates & { readonly asOfMs: number }

/**
 * The latest quotes on or before a UTC date, chosen among those selected and ranked as live ones
 * are.
 *
 * It has the providers that were active then, whether or not they are now, the offers that were
 * valid then, and a mid that was recent then. The time is the start of the following day,
 * exclusive; while that lies in the future the hourly tier sees up to and including its cutoff
 * instead. Throws `unsupported_currency`, `same_currency`, and `invalid_parameter` for a future
 * date.
 */
export async function snapshotOf(
  deps: SnapshotDeps,
  view: View,
  asked: Corridor & { readonly dateMs: number; readonly selection?: Selection },
): Promise<Snapshot> {
  const { dateMs, selection = UNSELECTED } = asked
  const corridor = supportedCorridor(view.catalogue, asked, selection.filters)
  return snapshotIn(deps, view, { corridor, dateMs, selection })
}

type Asked = {
  readonly corridor: Corridor
  readonly dateMs: number
  readonly selection: Selection
}

/** As `snapshotOf`, for a corridor that is known to be supported. */
export async function snapshotIn(
  deps: SnapshotDeps,
  view: View,
  { corridor, dateMs, selection }: Asked,
): Promise<Snapshot> {
  const { filters } = selection
  const then = endOfDay(view, dateMs)
  const [held, mid] = await Promise.all([
    heldThen(deps, view, { ...then, corridor }),
    midBefore(deps, view, { ...then, corridor }),
  ])
  const fitting = held.filter(
    (quote) => unspecifiedOf({ quote, provider: whoSaid(view, quote) }, filters) !== null,
  )
  const priced = await withDayMids(deps, view, { quotes: fitting, mid })
  const quoted = priced.map((one) => ({ ...one, provider: whoSaid(view, one.quote) }))
  const all = corridorView(quoted, view.staleBeforeMs(then.asOfMs))
  const reverse = { from: corridor.to, to: corridor.from }
  const isReverseQuoted =
    held.length === 0 && (await heldThen(deps, view, { ...then, corridor: reverse })).length > 0
  const unfit = held.length > 0 ? askedOf(filters) : []
  const { quotes } = selectedView(all, selection, ALWAYS_MS)
  const isAbsent = isUnfit(quotes, () => held.map((quote) => ({ quote })))
  return {
    corridor,
    mid,
    absence: isAbsent ? { corridor, newestMs: null, unfit, isReverseQuoted } : null,
    asOfMs: then.asOfMs,
    quotes: quotes.map((entry) => ({
      ranked: entry,
      vsMidBps: mid && vsMidBps(entry.quote.rate, mid.rate),
    })),
  }
}

/** The end of a UTC day, as far as it has come and may be seen. Throws for a future day. */
export function endOfDay({ freshness: { nowMs, cutoffMs } }: View, dateMs: number) {
  if (dateMs > nowMs)
    throw invalidParameter({
      name: 'date',
      fault: 'it is in the future; use today or an earlier UTC date',
    })
  const dayEndMs = dateMs + DAY_MS
  const beforeMs = Math.min(dayEndMs, cutoffMs + 1)
  return {
    beforeMs,
    sinceMs: Math.min(beforeMs - 1, nowMs),
    asOfMs: Math.min(dayEndMs, cutoffMs),
    thenMs: Math.min(dayEndMs, nowMs),
    isLasting: true,
  }
}

/** Quotes in force at a time, of every offer of the providers that were active then. */
async function heldThen(
  deps: SnapshotDeps,
  view: View,
  { corridor, ...then }: PastMoment & { readonly corridor: Corridor },
): Promise<Quote[]> {
  const quotes = heldAt(await quotesBefore(deps, corridor, then), then.sinceMs)
  return quotes.filter(({ providerId }) => view.wasActive(providerId, then.beforeMs - 1))
}

/** A time in the past and the end of what counts then. */
type PastMoment = Standing & {
  /** Says whether others may ask for it again. */
  readonly isLasting: boolean
}

/**
 * Quotes in force at a time in a corridor, and those that apply again later: see `heldAt`. Cached
 * ones are those since the hour of that time, which is the same for others who ask.
 */
export function quotesBefore(
  { store, windows, isOfOneTime }: SnapshotDeps,
  corridor: Corridor,
  { sinceMs, beforeMs, isLasting }: PastMoment,
): Promise<readonly StoredQuote[]> {
  if (!isLasting && !isOfOneTime) return store.standing(corridor, { sinceMs, beforeMs })
  const hourMs = hourStartMs(sinceMs)
  const ask = () => store.standing(corridor, { sinceMs: hourMs, beforeMs })
  const name = corridorKey(corridor)
  return windows.answer<readonly StoredQuote[]>({
    key: `quotes ${name} ${hourMs} ${beforeMs}`,
    sources: [{ of: name, fromMs: ALWAYS_MS, beforeMs }],
    ask,
    bytesOf: quotesBytes,
  })
}

type Held = {
  readonly quotes: readonly Quote[]
  /** The mid of the time that is shown, for quotes without one of their own day. */
  readonly mid: Mid | null
}

/** Each quote with the mids of the time it took effect, and whether it was suspect by them. */
export async function withDayMids(deps: SnapshotDeps, view: View, { quotes, mid }: Held) {
  const { anchors } = view.catalogue
  const referenceAt = await referencesAt(deps, probesOf(momentsOf(quotes, anchors)), true)
  const day = { anchors, referenceAt, maxAgeMs: view.midMaxAgeMs }
  return quotes.map((quote) => {
    const mids = dayMidsOf(quote, day)
    const { midAtQuote } = mids
    return { quote, ...mids, suspect: view.suspicionOf(quote, { midAtQuote, mid }) }
  })
}

type LastingThen = Pick<Standing, 'beforeMs'> &
  Partial<Pick<PastMoment, 'isLasting'>> & { readonly corridor: Corridor; readonly thenMs: number }

/** The mid, if there was a recent one at `thenMs`; else null. */
export async function midBefore(
  deps: SnapshotDeps,
  view: View,
  { corridor, beforeMs, thenMs, isLasting = true }: LastingThen,
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

/** Results of the probes, cached if other requests may need the same. */
async function referencesAt(
  { store, windows, isOfOneTime }: SnapshotDeps,
  probes: readonly Probe[],
  isLasting: boolean,
) {
  const ask = () => store.referencesAt(probes)
  const names = probes.map(nameOf)
  const answers = await ((isLasting || isOfOneTime) && probes.length > 0
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
      ...UNKNOWN_FIELDS,
      id: providerId,
      name: providerId,
      rateType,
    }
  )
}

const UNKNOWN_FIELDS: Omit<Provider, 'id' | 'name' | 'rateType'> = {
  logoUrl: null,
  websiteUrl: null,
  providerType: null,
  region: null,
  transferTime: null,
  paymentMethods: null,
  isActive: true,
}
