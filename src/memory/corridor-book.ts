import { isSameOffer, isSameTerms } from '~/domain/offer/terms.ts'
import { dayMidsOf } from '~/domain/price/day-mids.ts'
import { suspicionOf } from '~/domain/price/suspect.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import { type CorridorView, corridorView, type Quoted } from './corridor-view.ts'
import type { DayReferences } from './day-references.ts'
import { pruned, type Trail, trailWith, valueAt } from './trail.ts'

export type ViewRules = {
  readonly catalogue: CatalogueIndex
  readonly cutoffMs: number
  /** The time at which a quote must still be valid by its own terms. */
  readonly validMs: number
  /** The references of the days of every quote that is looked at. */
  readonly days: DayReferences
  /** The age up to which a reference counted as recent on its day. */
  readonly midMaxAgeMs: number
  /** Quotes from before this time are left out; -Infinity leaves none out. */
  readonly oldestMs: number
  /** Quotes from before this time are stale; -Infinity for none. */
  readonly staleBeforeMs: number
  /** Distance above its mid from which an executable rate is suspect, in percent; null for none. */
  readonly suspectPct: number | null
  /** The current mid of a pair; undefined without a recent one. */
  readonly midOf: (from: string, to: string) => { readonly rate: number } | undefined
}

/** A view and its rules, except the parts that change at each publication. */
type Remembered = Omit<ViewRules, 'days' | 'midOf'> & {
  readonly daysSerial: number
  /**
   * The current mid that quotes without one of their own day were compared with: null if there
   * was none, and undefined if no quote needed one.
   */
  readonly midRate: number | null | undefined
  readonly view: CorridorView
}

/** All live quotes of one corridor: a trail for every offer of every provider that quotes it. */
export class CorridorBook {
  /**
   * The last realtime and the last hourly view, cached with their inputs other than the book.
   *
   * Cache 5 of a read, see docs/architecture.md.
   */
  #realtime: Remembered | null = null
  #hourly: Remembered | null = null

  private constructor(
    readonly from: string,
    readonly to: string,
    private readonly trails: readonly Trail<Quote>[],
  ) {}

  static empty(from: string, to: string): CorridorBook {
    return new CorridorBook(from, to, [])
  }

  /** A book with the quotes added; this very one when they add nothing. */
  with(quotes: readonly Quote[], ...timesMs: readonly number[]): CorridorBook {
    const trails = [...this.trails]
    let isChanged = false
    for (const quote of quotes) {
      const known = trails.findIndex(([first]) => isOfOneOffer(first!, quote))
      const trail = known < 0 ? NOTHING : trails[known]!
      const next = trailWith(trail, sharing(quote, trail[0]), ...timesMs)
      if (next === trail) continue
      if (next.length === 0) trails.splice(known, 1)
      else trails[known < 0 ? trails.length : known] = next
      isChanged = true
    }
    return isChanged ? new CorridorBook(this.from, this.to, trails) : this
  }

  /** A book without the quotes of these ids; this very one when it has none of them. */
  without(ids: ReadonlySet<number>): CorridorBook {
    const trails = this.trails.map((trail) =>
      trail.some(({ id }) => ids.has(id)) ? trail.filter(({ id }) => !ids.has(id)) : trail,
    )
    if (trails.every((trail, i) => trail === this.trails[i])) return this
    const kept = trails.filter((trail) => trail.length > 0)
    return new CorridorBook(this.from, this.to, kept)
  }

  /** A book without the quotes that can no longer be requested. */
  pruned(nowMs: number): CorridorBook {
    const trails = this.trails.map((trail) => pruned(trail, nowMs))
    if (trails.every((trail, i) => trail === this.trails[i])) return this
    const kept = trails.filter((trail) => trail.length > 0)
    return new CorridorBook(this.from, this.to, kept)
  }

  /** Every quote held, including those retained for a boundary only. */
  *allQuotes(): Generator<Quote> {
    for (const trail of this.trails) yield* trail
  }

  /** The number of quotes held, including those retained for a boundary only. */
  get size(): number {
    let size = 0
    for (const trail of this.trails) size += trail.length
    return size
  }

  /** Reports whether a provider has a quote here, even one retained for a boundary only. */
  has(providerId: string): boolean {
    return this.trails.some(([first]) => first!.providerId === providerId)
  }

  /** Every offer's latest quote at a cutoff, valid at `validMs`, of any provider, in any order. */
  quotesAt(cutoffMs: number, validMs: number): Quote[] {
    return this.trails.flatMap((trail) => valueAt(trail, cutoffMs, validMs) ?? [])
  }

  /** The corridor as it is seen, ranked; computed once for as long as the same is seen. */
  view(rules: ViewRules): CorridorView {
    const remembered = rules.cutoffMs === Number.POSITIVE_INFINITY ? this.#realtime : this.#hourly
    if (remembered && isSame(remembered, rules) && this.#isMidSame(remembered, rules))
      return remembered.view
    const fresh = this.#viewed(rules)
    if (rules.cutoffMs === Number.POSITIVE_INFINITY) this.#realtime = fresh
    else this.#hourly = fresh
    return fresh.view
  }

  #isMidSame({ midRate }: Remembered, rules: ViewRules): boolean {
    return midRate === undefined || midRate === this.#midRate(rules)
  }

  #midRate({ midOf }: ViewRules): number | null {
    return midOf(this.from, this.to)?.rate ?? null
  }

  #viewed(rules: ViewRules): Remembered {
    const { days, midOf, ...others } = rules
    const { catalogue, midMaxAgeMs: maxAgeMs, suspectPct } = others
    const day = { anchors: catalogue.anchors, referenceAt: days.reference, maxAgeMs }
    const quoted: Omit<Quoted, 'suspect'>[] = []
    for (const trail of this.trails) {
      const provider = catalogue.provider(trail[0]!.providerId)
      const quote = provider && valueAt(trail, rules.cutoffMs, rules.validMs)
      if (!provider || !quote || quote.atMs < rules.oldestMs) continue
      quoted.push({ quote, provider, ...dayMidsOf(quote, day) })
    }
    const needsMid = quoted.some(
      ({ quote, midAtQuote }) => !midAtQuote && isExecutable(quote.rateType),
    )
    const midRate = suspectPct !== null && needsMid ? this.#midRate(rules) : undefined
    const mid = midRate ? { rate: midRate } : null
    const evaluated = quoted.map((one) => {
      const { quote, midAtQuote } = one
      return { ...one, suspect: suspicionOf(quote, { midAtQuote, mid }, suspectPct) }
    })
    const view = corridorView(evaluated, rules.staleBeforeMs)
    return { ...others, daysSerial: days.serial, midRate, view }
  }
}

const NOTHING: Trail<Quote> = []

/** The quote with the equal offer of another, so that a repeated offer is held once. */
function sharing(quote: Quote, other: Quote | undefined): Quote {
  const { offer } = quote
  const known = other?.offer
  if (!offer || !known || offer === known || !isSameTerms(offer, known)) return quote
  return { ...quote, offer: known }
}

const isOfOneOffer = (a: Quote, b: Quote): boolean =>
  a.providerId === b.providerId && isSameOffer(a.offer, b.offer)

/**
 * Reports whether a remembered view still holds. Time changes it when its oldest quote is too old,
 * when the oldest that is not stale becomes so, and when the first expires by its own terms.
 */
function isSame(remembered: Remembered, rules: ViewRules): boolean {
  return (
    remembered.cutoffMs === rules.cutoffMs &&
    remembered.catalogue === rules.catalogue &&
    remembered.daysSerial === rules.days.serial &&
    remembered.midMaxAgeMs === rules.midMaxAgeMs &&
    remembered.suspectPct === rules.suspectPct &&
    remembered.validMs <= rules.validMs &&
    rules.validMs <= remembered.view.lastMs &&
    remembered.oldestMs <= rules.oldestMs &&
    rules.oldestMs <= remembered.view.oldestMs &&
    remembered.staleBeforeMs <= rules.staleBeforeMs &&
    rules.staleBeforeMs <= remembered.view.oldestFreshMs
  )
}
