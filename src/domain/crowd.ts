import { type Activity, wasActive } from './activity.ts'
import type { RateType } from './provider.ts'
import type { Quote } from './quote.ts'

/** The latest quotes of one corridor's providers while time goes on. Mutable. */
export class Crowd {
  readonly #latest = new Map<string, Quote>()
  /** The best rate of a kind, where it is known for this instant. */
  readonly #best = new Map<RateType, number>()
  readonly #turnsMs: readonly number[]
  #turns = 0
  #atMs = Number.NEGATIVE_INFINITY

  constructor(
    providerIds: Iterable<string>,
    private readonly activityOf: (providerId: string) => Activity,
  ) {
    this.#turnsMs = [...new Set(providerIds)]
      .flatMap((id) => activityOf(id).changes.map(({ sinceMs }) => sinceMs))
      .sort((a, b) => a - b)
  }

  /** Goes on to an instant and takes all that was said at it, in the order it was recorded. */
  hear(said: readonly Quote[], atMs: number): void {
    this.#atMs = atMs
    this.#turn()
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
    return wasActive(this.activityOf(providerId), this.#atMs)
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

  /** Forgets what is best once somebody was switched on or off. */
  #turn(): void {
    const turns = this.#turns
    while (this.#turnsMs[this.#turns]! <= this.#atMs) this.#turns++
    if (this.#turns > turns) this.#best.clear()
  }
}
