import { offerOf } from '~/domain/offer/choice.ts'
import { byTie } from '~/domain/rank.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { Prices } from '~/service/convert.ts'
import type { ConvertFigures } from './convert-figures.ts'

/** How an offer stands: silent about something asked, for other amounts, or stale. */
const SILENT = 4
const NEAREST = 2
const STALE = 1

/** The net amount of an offer, of the amount that is asked. */
type NetOf = (i: number) => number

/**
 * Which offer of each provider answers for an amount: what `choiceOf` and `everyOffer` give, by the
 * figures of the offers.
 */
export class ConvertChoice {
  readonly #offers: readonly RankedQuote[]
  readonly #figures: ConvertFigures
  /** Which group each offer is of, and the offers of each group. */
  readonly #groups: Uint16Array
  readonly #members: readonly Uint16Array[]
  /** How each offer stands, whatever the amount. */
  readonly #standings: Uint8Array

  constructor(
    offers: readonly RankedQuote[],
    figures: ConvertFigures,
    { isEvery }: Prices['selection'],
  ) {
    this.#offers = offers
    this.#figures = figures
    const keyOf = (i: number) => (isEvery ? offerOf(offers[i]!) : offers[i]!.quote.providerId)
    const grouped = [...Map.groupBy(offers.keys(), keyOf).values()]
    this.#members = grouped.map((members) => Uint16Array.from(members))
    this.#groups = new Uint16Array(offers.length)
    for (const [group, members] of grouped.entries())
      for (const i of members) this.#groups[i] = group
    this.#standings = Uint8Array.from(
      offers,
      ({ isStale, unspecified }) => (isStale ? STALE : 0) + (unspecified.length > 0 ? SILENT : 0),
    )
  }

  /** The first offer of each group. */
  firsts(): Uint16Array {
    return Uint16Array.from(this.#members, ([first]) => first!)
  }

  /** Puts in the place of each offer the one of its group that answers for the amount. */
  choose(order: Uint16Array, amount: number, netOf: NetOf): void {
    for (let place = 0; place < order.length; place++) {
      const members = this.#members[this.#groups[order[place]!]!]!
      if (members.length > 1) order[place] = this.#chosen(members, amount, netOf)
    }
  }

  #chosen(members: Uint16Array, amount: number, netOf: NetOf): number {
    let best = members[0]!
    let bestAway = this.#figures.awayOf(best, amount)
    let bestStanding = this.#standing(best, bestAway)
    for (let k = 1; k < members.length; k++) {
      const i = members[k]!
      const away = this.#figures.awayOf(i, amount)
      const standing = this.#standing(i, away)
      if (standing > bestStanding) continue
      if (standing === bestStanding) {
        if (away > bestAway) continue
        if (away === bestAway && !this.#isMore(i, best, netOf)) continue
      }
      best = i
      bestAway = away
      bestStanding = standing
    }
    return best
  }

  #standing(i: number, away: number): number {
    return this.#standings[i]! + (away === 0 ? 0 : NEAREST)
  }

  #isMore(a: number, b: number, netOf: NetOf): boolean {
    const [net, other] = [netOf(a), netOf(b)]
    return net === other ? byTie(this.#offers[a]!, this.#offers[b]!) < 0 : net > other
  }
}
