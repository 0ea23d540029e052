import { dayMidsOf } from '~/domain/price/day-mids.ts'
import type { Quote } from '~/domain/quote.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import { type CorridorView, corridorView, type Quoted } from './corridor-view.ts'
import type { DayReferences } from './day-references.ts'
import { pruned, type Trail, trailWith, valueAt } from './trail.ts'

/** When and by which rules a book is looked at. */
export type ViewRules = {
  readonly catalogue: CatalogueIndex
  readonly cutoffMs: number
  /** The references of the days of every quote that is looked at. */
  readonly days: DayReferences
  /** The age up to which a reference counted as recent on its day. */
  readonly midMaxAgeMs: number
  /** Quotes from before this moment are left out; -Infinity keeps all. */
  readonly oldestMs: number
  /** Quotes from before this moment are stale; -Infinity for none. */
  readonly staleBeforeMs: number
}

/** A view and its rules, but for the days themselves: each publication has others. */
type Remembered = Omit<ViewRules, 'days'> & {
  readonly daysSerial: number
  readonly view: CorridorView
}

/** Everything live in one corridor: a trail of quotes for every provider that ever quoted it. */
export class CorridorBook {
  /**
   * The last realtime and the last hourly view, kept with what they follow from beside the book.
   *
   * Cache 5 of a read, see docs/architecture.md.
   */
  #realtime: Remembered | null = null
  #hourly: Remembered | null = null

  private constructor(
    readonly from: string,
    readonly to: string,
    private readonly trails: ReadonlyMap<string, Trail<Quote>>,
  ) {}

  static empty(from: string, to: string): CorridorBook {
    return new CorridorBook(from, to, new Map())
  }

  /** A book with the quotes added; this very one when they add nothing. */
  with(quotes: readonly Quote[], nowMs: number): CorridorBook {
    const trails = new Map(this.trails)
    let isChanged = false
    for (const quote of quotes) {
      const trail = trails.get(quote.providerId) ?? []
      const next = trailWith(trail, quote, nowMs)
      if (next === trail) continue
      trails.set(quote.providerId, next)
      isChanged = true
    }
    return isChanged ? new CorridorBook(this.from, this.to, trails) : this
  }

  /** A book without the quotes that nobody can ask for any more. */
  pruned(nowMs: number): CorridorBook {
    let isChanged = false
    const trails = new Map<string, Trail<Quote>>()
    for (const [providerId, trail] of this.trails) {
      const kept = pruned(trail, nowMs)
      if (kept !== trail) isChanged = true
      trails.set(providerId, kept)
    }
    return isChanged ? new CorridorBook(this.from, this.to, trails) : this
  }

  /** Every quote held, including those kept for a boundary only. */
  *allQuotes(): Generator<Quote> {
    for (const trail of this.trails.values()) yield* trail
  }

  /** How many quotes are held, including those kept for a boundary only. */
  get size(): number {
    let size = 0
    for (const trail of this.trails.values()) size += trail.length
    return size
  }

  /** One provider's quote, whether or not the provider is active. */
  quoteOf(providerId: string, cutoffMs: number): Quote | undefined {
    return valueAt(this.trails.get(providerId) ?? [], cutoffMs)
  }

  /** The latest quote of every provider at a moment, active or not, in no particular order. */
  quotesAt(cutoffMs: number): Quote[] {
    return [...this.trails.values()].flatMap((trail) => valueAt(trail, cutoffMs) ?? [])
  }

  /** The corridor as it is seen, ranked; computed once for as long as the same is seen. */
  view(rules: ViewRules): CorridorView {
    const remembered = rules.cutoffMs === Number.POSITIVE_INFINITY ? this.#realtime : this.#hourly
    if (remembered && isSame(remembered, rules)) return remembered.view
    const fresh = this.#viewed(rules)
    if (rules.cutoffMs === Number.POSITIVE_INFINITY) this.#realtime = fresh
    else this.#hourly = fresh
    return fresh.view
  }

  #viewed(rules: ViewRules): Remembered {
    const { days, ...others } = rules
    const { catalogue, midMaxAgeMs: maxAgeMs } = others
    const day = { anchors: catalogue.anchors, referenceAt: days.reference, maxAgeMs }
    const quoted: Quoted[] = []
    for (const [providerId, trail] of this.trails) {
      const provider = catalogue.provider(providerId)
      const quote = provider && valueAt(trail, rules.cutoffMs)
      if (!provider || !quote || quote.atMs < rules.oldestMs) continue
      quoted.push({ quote, provider, ...dayMidsOf(quote, day) })
    }
    const view = corridorView(quoted, rules.staleBeforeMs)
    return { ...others, daysSerial: days.serial, view }
  }
}

/**
 * Whether a remembered view still holds. Ageing only ever removes quotes and makes them stale, so
 * it holds until its oldest quote expires, or the oldest that is not stale becomes so.
 */
function isSame(remembered: Remembered, rules: ViewRules): boolean {
  return (
    remembered.cutoffMs === rules.cutoffMs &&
    remembered.catalogue === rules.catalogue &&
    remembered.daysSerial === rules.days.serial &&
    remembered.midMaxAgeMs === rules.midMaxAgeMs &&
    remembered.oldestMs <= rules.oldestMs &&
    rules.oldestMs <= remembered.view.oldestMs &&
    remembered.staleBeforeMs <= rules.staleBeforeMs &&
    rules.staleBeforeMs <= remembered.view.oldestFreshMs
  )
}
