import { type Activity, wasActive } from './activity.ts'
import type { RateType } from './provider.ts'
import type { Quote } from './quote.ts'

/** The latest quotes of one corridor's providers while time goes on. Mutable. */
export class Crowd {
  readonly #latest = new Map<string, Quote>()
  /** The best rate of a kind, where it is known for this instant. */
  readonly #best = new Map<RateType, number>()
  readonly #activities: ReadonlyMap<string, Activity>
  /** When somebody was switched on or off, what is ahead. */
  readonly #turnsMs: number[]
  /** The ids of those that are not active at this instant. */
  #off = new Set<string>()

  /** Nothing was said yet; `activityOf` knows each of `providerIds`, which are all that speak. */
  constructor(providerIds: Iterable<string>, activityOf: (providerId: string) => Activity) {
    this.#activities = new Map([...new Set(providerIds)].map((id) => [id, activityOf(id)]))
    this.#turnsMs = [...this.#activities.values()]
      .flatMap(({ changes }) => changes.map(({ sinceMs }) => sinceMs))
      .sort((a, b) => b - a)
    this.#turn(Number.NEGATIVE_INFINITY)
  }

  /** Goes on to an instant and takes all that was said at it, in the order it was recorded. */
  hear(said: readonly Quote[], atMs: number): void {
    const turns = this.#turnsMs.length
    while (this.#turnsMs.at(-1)! <= atMs) this.#turnsMs.pop()
    if (this.#turnsMs.length < turns) this.#turn(atMs)
    for (const quote of said) {
      const { rate, rateType, providerId } = quote
      const replaced = this.#latest.get(providerId)
      this.#latest.set(providerId, quote)
      if (replaced && replaced.rate === this.#best.get(replaced.rateType))
        this.#best.delete(replaced.rateType)
      const best = this.#best.get(rateType)
      if (best !== undefined && rate > best && this.counts(quote)) this.#best.set(rateType, rate)
    }
  }

  /** Whether the provider of a quote is active at this instant. */
  counts({ providerId }: Quote): boolean {
    return !this.#off.has(providerId)
  }

  /** The best rate of a kind at this instant; 0 where nobody quotes it. */
  best(kind: RateType): number {
    const known = this.#best.get(kind)
    if (known !== undefined) return known
    let best = 0
    for (const quote of this.#latest.values())
      if (quote.rateType === kind && quote.rate > best && this.counts(quote)) best = quote.rate
    this.#best.set(kind, best)
    return best
  }

  #turn(atMs: number): void {
    const off = [...this.#activities].filter(([, activity]) => !wasActive(activity, atMs))
    this.#off = new Set(off.map(([id]) => id))
    this.#best.clear()
  }
}
