import { corridorKey } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { crossMid, type Mid, type Reference } from '~/domain/mid.ts'
import { Anchors, DOLLAR } from '~/domain/price/anchors.ts'
import { pruned, type Trail, trailWith, valueAt } from './trail.ts'

/** The freshest USD reference of every currency. Immutable like the quotes. */
export class ReferenceIndex {
  /**
   * The mids crossed from these references, at most one for each pair. They are cached, as they
   * follow from the references and the pegs alone.
   *
   * Cache 6 of a read, see docs/architecture.md.
   */
  readonly #live = new Map<string, Mid | undefined>()
  #hourly = { cutoffMs: Number.NaN, mids: new Map<string, Mid | undefined>() }

  private constructor(
    private readonly trails: ReadonlyMap<string, Trail<Reference>>,
    /** The newest reference of any currency at each boundary: the feed's latest as a whole. */
    private readonly feed: Trail<Reference>,
    private readonly anchors: Anchors,
  ) {}

  static readonly empty = new ReferenceIndex(new Map(), [], new Anchors([]))

  /** An index with `references` added. */
  with(references: readonly Reference[], ...timesMs: readonly number[]): ReferenceIndex {
    const trails = new Map(this.trails)
    let newestInFeed: Trail<Reference> = this.feed
    let isChanged = false
    for (const reference of references) {
      const trail = trails.get(reference.currency) ?? []
      const next = trailWith(trail, reference, ...timesMs)
      if (next === trail) continue
      trails.set(reference.currency, next)
      newestInFeed = trailWith(newestInFeed, reference, ...timesMs)
      isChanged = true
    }
    return isChanged ? new ReferenceIndex(trails, newestInFeed, this.anchors) : this
  }

  pruned(nowMs: number): ReferenceIndex {
    const trails = new Map([...this.trails].map(([code, trail]) => [code, pruned(trail, nowMs)]))
    return new ReferenceIndex(trails, pruned(this.feed, nowMs), this.anchors)
  }

  /** An index that prices currencies by these anchors; this very one if nothing changes. */
  anchored(anchors: Anchors): ReferenceIndex {
    if (anchors.isSame(this.anchors)) return this
    return new ReferenceIndex(this.trails, this.feed, anchors)
  }

  /**
   * Value of one dollar in `currency` at the cutoff, by its anchor if it is pegged; the dollar
   * itself is always 1. If the pegs lead to the dollar it is of any time: Infinity.
   */
  reference(currency: string, cutoffMs: number): Reference | undefined {
    const constant = this.anchors.constant(currency)
    if (constant) return constant
    const said = this.said(this.anchors.of(currency) ?? currency, cutoffMs)
    return said && this.anchors.reference(currency, said)
  }

  /** The feeds' value of `currency` at the cutoff, pegged or not. */
  said(currency: string, cutoffMs: number): Reference | undefined {
    if (currency !== USD) return valueAt(this.trails.get(currency) ?? [], cutoffMs)
    const newest = this.newest(cutoffMs)
    return newest && { ...newest, currency: USD, perUsd: 1 }
  }

  /** The newest reference of any currency at the cutoff. */
  newest(cutoffMs: number): Reference | undefined {
    return valueAt(this.feed, cutoffMs)
  }

  /**
   * The mid of a pair at the cutoff, however old, and of any time (Infinity) if it follows from
   * pegs alone; undefined if a leg has no reference.
   */
  mid(from: string, to: string, cutoffMs: number): Mid | undefined {
    const known = this.#midsAt(cutoffMs)
    const pair = corridorKey({ from, to })
    const mid = known.get(pair)
    if (mid || known.has(pair)) return mid
    const crossed = this.#crossed(from, to, cutoffMs)
    known.set(pair, crossed)
    return crossed
  }

  /** The mids crossed before: at the end of time, and at the last other cutoff. */
  #midsAt(cutoffMs: number): Map<string, Mid | undefined> {
    if (cutoffMs === Number.POSITIVE_INFINITY) return this.#live
    if (this.#hourly.cutoffMs !== cutoffMs) this.#hourly = { cutoffMs, mids: new Map() }
    return this.#hourly.mids
  }

  #crossed(from: string, to: string, cutoffMs: number): Mid | undefined {
    const leg = (code: string, other: string) =>
      code === USD && other !== USD ? DOLLAR : this.reference(code, cutoffMs)
    const [source, target] = [leg(from, to), leg(to, from)]
    return source && target && crossMid(source, target)
  }

  get size(): number {
    return this.trails.size
  }
}
