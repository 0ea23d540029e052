import { wasActive } from '~/domain/activity.ts'
import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { atSomeTime, type Mid, type Reference } from '~/domain/mid.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { lastMsOf } from '~/domain/offer/terms.ts'
import { type DayMids, dayMidsOf, type Probe } from '~/domain/price/day-mids.ts'
import { type Against, type Suspicion, suspicionOf } from '~/domain/price/suspect.ts'
import type { Quote } from '~/domain/quote.ts'
import { AnswerBasis } from './answer-basis.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import type { CorridorBook, ViewRules } from './corridor-book.ts'
import { type CorridorView, EMPTY_VIEW, type RankedQuote, selectedView } from './corridor-view.ts'
import type { Generation } from './memory.ts'

/** The age up to which a value is shown, and how far off its mid a rate may be. */
export type AgeLimits = {
  readonly midMaxAgeMs: number
  readonly quoteMaxAgeMs: number | null
  /** The age up to which a quote is current; older ones are shown as stale, and null has none. */
  readonly staleAfterMs: number | null
  /** Percent above the mid of its day from which an executable rate is suspect; null for none. */
  readonly quoteSuspectPct?: number | null
  /** Factor from the mid of its day within which executable rates may be recorded; null for any. */
  readonly quoteImplausibleTimes?: number | null
}

/**
 * One generation as one request may see it, without anything past the tier's cutoff or too old. All
 * queries of a request go through one view, so they agree.
 */
export class View {
  readonly catalogue: CatalogueIndex
  readonly basis: AnswerBasis
  readonly #generation: Generation
  readonly #rules: ViewRules

  constructor(
    generation: Generation,
    readonly freshness: Freshness,
    readonly limits: AgeLimits,
  ) {
    this.catalogue = generation.catalogue
    this.basis = new AnswerBasis(generation, freshness)
    this.#generation = generation
    const oldestMs =
      limits.quoteMaxAgeMs === null
        ? Number.NEGATIVE_INFINITY
        : freshness.nowMs - limits.quoteMaxAgeMs
    const { catalogue, days } = generation
    const { midMaxAgeMs } = limits
    const { cutoffMs } = freshness
    const staleBeforeMs = this.staleBeforeMs(cutoffMs)
    const validMs = Math.min(cutoffMs, freshness.nowMs)
    const suspectPct = limits.quoteSuspectPct ?? null
    const midOf = (from: string, to: string) => this.mid(from, to)
    const ages = { midMaxAgeMs, cutoffMs, validMs, oldestMs, staleBeforeMs }
    this.#rules = { catalogue, days, suspectPct, midOf, ...ages }
  }

  get generation(): Generation {
    this.basis.readAllQuotes()
    return this.#generation
  }

  /** The selected quotes of a corridor; empty without quotes. */
  corridor(from: string, to: string, selection: Selection = UNSELECTED): CorridorView {
    const book = this.#generation.quotes.book(from, to)
    this.basis.readBook(from, to, book)
    return book ? this.viewOf(book, selection) : EMPTY_VIEW
  }

  /** The corridor of a book by the quotes selected. */
  viewOf(book: CorridorBook, selection: Selection = UNSELECTED): CorridorView {
    const seen = book.view(this.#rules)
    const { quoteMaxAgeMs, staleAfterMs } = this.limits
    if (quoteMaxAgeMs !== null) this.basis.lastUntil(seen.oldestMs + quoteMaxAgeMs)
    if (this.freshness.tier === 'realtime') {
      if (staleAfterMs !== null) this.basis.lastUntil(seen.oldestFreshMs + staleAfterMs)
      this.basis.lastUntil(seen.lastMs)
    }
    if (selection === UNSELECTED) return seen
    const { maxAgeMs } = selection
    const sinceMs = maxAgeMs === null ? Number.NEGATIVE_INFINITY : this.freshness.nowMs - maxAgeMs
    const selected = selectedView(seen, selection, sinceMs)
    if (maxAgeMs !== null) this.basis.lastUntil(selected.oldestMs + maxAgeMs)
    return selected
  }

  /** Reports whether the prices of a corridor could not be loaded yet and are unknown. */
  lacks(corridor: Corridor): boolean {
    const { unloaded } = this.#generation
    return unloaded !== null && unloaded.size > 0 && unloaded.has(corridorKey(corridor))
  }

  /** Every live offer of a corridor, in no particular order. */
  offers(from: string, to: string): readonly RankedQuote[] {
    return this.corridor(from, to).offers
  }

  /** Every live offer of a book, as `offers` has them. */
  offersOf(book: CorridorBook): readonly RankedQuote[] {
    return this.viewOf(book).offers
  }

  /** The time before which a quote is stale at `thenMs`, but never later than now. */
  staleBeforeMs(thenMs: number): number {
    const { staleAfterMs } = this.limits
    if (staleAfterMs === null) return Number.NEGATIVE_INFINITY
    return Math.min(thenMs, this.freshness.nowMs) - staleAfterMs
  }

  /** The latest quote of every offer of a corridor, inactive and too old ones included. */
  allQuotes(from: string, to: string): Quote[] {
    const book = this.#generation.quotes.book(from, to)
    this.basis.readBook(from, to, book)
    const quotes = book?.quotesAt(this.freshness.cutoffMs, this.#rules.validMs) ?? []
    if (this.freshness.tier === 'realtime')
      for (const quote of quotes) this.basis.lastUntil(lastMsOf(quote))
    return quotes
  }

  /** Reports whether a provider was active at a time; is now, from the request's time on. */
  wasActive(providerId: string, atMs: number): boolean {
    const activity = this.catalogue.activityOf(providerId)
    return atMs >= this.freshness.nowMs ? activity.isActive : wasActive(activity, atMs)
  }

  /** Reports whether a quote was live at a time: its provider active, the quote not too old. */
  wasLive({ providerId, atMs }: Quote, thenMs: number): boolean {
    const { quoteMaxAgeMs } = this.limits
    const isYoung = quoteMaxAgeMs === null || atMs >= thenMs - quoteMaxAgeMs
    return isYoung && this.wasActive(providerId, thenMs)
  }

  /** The mid of a pair of fiat currencies, when both legs are recent, or still were at `thenMs`. */
  mid(from: string, to: string, thenMs = this.freshness.nowMs): Mid | undefined {
    if (!this.isFiat(from) || !this.isFiat(to)) return undefined
    const mid = this.#generation.references.mid(from, to, this.freshness.cutoffMs)
    if (!mid || !this.isRecent(mid.atMs, thenMs)) return undefined
    if (Number.isFinite(mid.atMs)) return mid
    const { cutoffMs, nowMs } = this.freshness
    const dated = atSomeTime(mid, Math.min(cutoffMs, nowMs))
    this.basis.lastUntil(dated.atMs + HOUR_MS - 1)
    return dated
  }

  /** The newest reference of a currency, however old. */
  reference(code: string): Reference | undefined {
    return this.#generation.references.reference(code, this.freshness.cutoffMs)
  }

  /** The newest reference of any currency, as this view sees it or up to another time. */
  newestReference(cutoffMs = this.freshness.cutoffMs): Reference | undefined {
    return this.#generation.references.newest(cutoffMs)
  }

  dayMidsOf(quote: Quote): DayMids {
    const { days, catalogue, midMaxAgeMs: maxAgeMs } = this.#rules
    const { references } = this.#generation
    const referenceAt = (probe: Probe) => {
      const known = days.reference(probe)
      if (known) return known
      const newest = references.said(probe.currency, Number.POSITIVE_INFINITY)
      return newest && newest.atMs <= probe.atMs ? newest : undefined
    }
    return dayMidsOf(quote, { anchors: catalogue.anchors, referenceAt, maxAgeMs })
  }

  /** Reports a quote that lies too far from its mid to be believed, as `suspicionOf` does. */
  suspicionOf(quote: Quote, against: Against): Suspicion | null {
    return suspicionOf(quote, against, this.limits.quoteSuspectPct ?? null)
  }

  /** The age up to which a reference counts as recent. */
  get midMaxAgeMs(): number {
    return this.limits.midMaxAgeMs
  }

  /** Reports whether a reference from `atMs` still counts as recent, or still did at `thenMs`. */
  isRecent(atMs: number, thenMs = this.freshness.nowMs): boolean {
    const untilMs = atMs + this.limits.midMaxAgeMs
    if (thenMs > untilMs) return false
    this.basis.lastUntil(untilMs)
    return true
  }

  /** Reports whether the reference feed covers currencies of this kind at all. */
  isFiat(code: string): boolean {
    return this.catalogue.anyCurrency(code)?.kind === 'fiat'
  }
}
