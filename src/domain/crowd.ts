import { type Activity, wasActive } from './activity.ts'
import { heldKey } from './offer/held.ts'
import { isValidAt, lastMsOf } from './offer/terms.ts'
import type { RateType } from './provider.ts'
import type { Quote } from './quote.ts'

/** The rules that select the quotes of a crowd. */
export type CrowdRules = {
  /** Knows every provider that will appear. */
  activityOf(providerId: string): Activity
  /** Reports whether a quote is one of those requested. */
  fits(quote: Quote): boolean
  /** Reports whether a quote is too far from its mid to be believed. */
  isSuspect(quote: Quote): boolean
}

/** The live quotes of one corridor's offers while a caller steps forward in time. Mutable. */
export class Crowd {
  /**
   * By offer, newest first: the quote that holds, and each older one that will hold again because
   * it stays valid for longer than all newer ones.
   */
  readonly #held = new Map<string, readonly Quote[]>()
  /** The first time at which a held quote expires. */
  #endMs = Number.POSITIVE_INFINITY
  /** The best believed rate of a kind, if it has been computed for this instant; 0 without one. */
  readonly #best = new Map<RateType, number>()
  readonly #activities: ReadonlyMap<string, Activity>
  /** The future times at which a provider was switched on or off. */
  readonly #turnsMs: number[]
  /** The ids of the providers that are not active at this instant. */
  #off = new Set<string>()

  /** Starts without quotes; `providerIds` names every provider that will appear. */
  constructor(
    providerIds: Iterable<string>,
    private readonly rules: CrowdRules,
  ) {
    this.#activities = new Map([...new Set(providerIds)].map((id) => [id, rules.activityOf(id)]))
    this.#turnsMs = [...this.#activities.values()]
      .flatMap(({ changes }) => changes.map(({ sinceMs }) => sinceMs))
      .sort((a, b) => b - a)
    this.#turn(Number.NEGATIVE_INFINITY)
  }

  /** Steps forward to an instant and takes in its quotes, in the order they were recorded. */
  receive(said: readonly Quote[], atMs: number): void {
    const turns = this.#turnsMs.length
    while (this.#turnsMs.at(-1)! <= atMs) this.#turnsMs.pop()
    if (this.#turnsMs.length < turns) this.#turn(atMs)
    if (this.#endMs < atMs) this.#drop(atMs)
    for (const quote of said) {
      const { rate, rateType } = quote
      const replaced = this.#hold(quote)
      if (replaced && replaced.rate === this.#best.get(replaced.rateType))
        this.#best.delete(replaced.rateType)
      const best = this.#best.get(rateType)
      if (best !== undefined && rate > best && this.#isRival(quote)) this.#best.set(rateType, rate)
    }
  }

  /** Reports whether a quote is requested and its provider active at this instant. */
  counts(quote: Quote): boolean {
    return !this.#off.has(quote.providerId) && this.rules.fits(quote)
  }

  /** The best rate of a kind at this instant among believed quotes; 0 without one. */
  bestBelieved(kind: RateType): number {
    const known = this.#best.get(kind)
    if (known !== undefined) return known
    const best = this.#highest(kind, (quote) => this.#isRival(quote))
    this.#best.set(kind, best)
    return best
  }

  /** The best rate of a kind at this instant, suspect ones too; 0 without a quote. */
  best(kind: RateType): number {
    return this.#highest(kind, (quote) => this.counts(quote))
  }

  #highest(kind: RateType, isMeant: (quote: Quote) => boolean): number {
    let best = 0
    for (const [quote] of this.#held.values())
      if (quote!.rateType === kind && quote!.rate > best && isMeant(quote!)) best = quote!.rate
    return best
  }

  #isRival(quote: Quote): boolean {
    return this.counts(quote) && !this.rules.isSuspect(quote)
  }

  /** Takes in the newest quote of its offer, and returns the one that held before. */
  #hold(quote: Quote): Quote | undefined {
    const key = heldKey(quote)
    const held = this.#held.get(key) ?? []
    const lastMs = lastMsOf(quote)
    this.#held.set(key, [quote, ...held.filter((older) => lastMsOf(older) > lastMs)])
    this.#endMs = Math.min(this.#endMs, lastMs)
    return held[0]
  }

  /** Drops quotes that are no longer valid. */
  #drop(atMs: number): void {
    this.#endMs = Number.POSITIVE_INFINITY
    for (const [key, held] of this.#held) {
      const valid = held.filter((quote) => isValidAt(quote, atMs))
      if (valid.length === 0) this.#held.delete(key)
      else this.#held.set(key, valid)
      for (const quote of valid) this.#endMs = Math.min(this.#endMs, lastMsOf(quote))
    }
    this.#best.clear()
  }

  #turn(atMs: number): void {
    const off = [...this.#activities].filter(([, activity]) => !wasActive(activity, atMs))
    this.#off = new Set(off.map(([id]) => id))
    this.#best.clear()
  }
}
