import { type Activity, wasActive } from './activity.ts'
import type { RateType } from './provider.ts'
import type { Quote } from './quote.ts'

/** The latest quotes of one corridor's providers while a caller steps forward in time. Mutable. */
export class Crowd {
  readonly #latest = new Map<string, Quote>()
  /** The best rate of a kind, if it has been computed for this instant. */
  readonly #best = new Map<RateType, number>()
  readonly #activities: ReadonlyMap<string, Activity>
  /** Moments at which a provider was switched on or off, those still ahead. */
  readonly #turnsMs: number[]
  /** The ids of the providers that are not active at this instant. */
  #off = new Set<string>()

  /**
   * Starts without quotes. `providerIds` names every provider that will appear, and `activityOf`
   * knows each of them.
   */
  constructor(providerIds: Iterable<string>, activityOf: (providerId: string) => Activity) {
    this.#activities = new Map([...new Set(providerIds)].map((id) => [id, activityOf(id)]))
    this.#turnsMs = [...this.#activities.values()]
      .flatMap(({ changes }) => changes.map(({ sinceMs }) => sinceMs))
      .sort((a, b) => b - a)
    this.#turn(Number.NEGATIVE_INFINITY)
  }

  /** Steps forward to an instant and takes in its quotes, in the order they were recorded. */
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
