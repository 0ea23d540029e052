import { RANGE_FACTOR } from '~/domain/offer/band.ts'
import { offerOf } from '~/domain/offer/choice.ts'
import { byTie } from '~/domain/rank.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { Prices } from '~/service/convert.ts'
import { type ConvertFigures, FAR } from './convert-figures.ts'

/**
 * Order of an offer: for other amounts, suspect, silent about a requested condition, without a net
 * amount, or stale. One for other amounts is neither suspect nor without a net amount.
 */
const OUT_OF_RANGE = 16
const SUSPECT = 8
const SILENT = 4
const UNPRICED = 2
const STALE = 1

/** Nets that differ by more than this part of their sums also differ when they are rounded. */
const DOUBT = 1e-9

/**
 * Chooses the offer of each provider for an amount, as `choiceOf` and `everyOffer` do, by the
 * numbers of the offers.
 */
export class ConvertChoice {
  readonly #offers: readonly RankedQuote[]
  readonly #figures: ConvertFigures
  /** The group of each offer, and the offers of each group. */
  readonly #groups: Uint16Array
  readonly #members: readonly Uint16Array[]
  /** Order of each offer, whatever the amount. */
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
      ({ suspect, isStale, unspecified }, i) =>
        (suspect ? SUSPECT : 0) +
        (unspecified.length > 0 ? SILENT : 0) +
        (figures.hasNet(i) ? 0 : UNPRICED) +
        (isStale ? STALE : 0),
    )
  }

  /** The first offer of each group. */
  firsts(): Uint16Array {
    return Uint16Array.from(this.#members, ([first]) => first!)
  }

  /** Replaces each offer by the one of its group that applies to the amount. */
  choose(order: Uint16Array, amount: number): void {
    for (let place = 0; place < order.length; place++) {
      const members = this.#members[this.#groups[order[place]!]!]!
      if (members.length > 1) order[place] = this.#chosen(members, amount)
    }
  }

  #chosen(members: Uint16Array, amount: number): number {
    const { rates, fees, shares } = this.#figures
    let best = 0
    let bestStanding = Number.POSITIVE_INFINITY
    let bestAway = 0
    let bestWorth = 0
    let bestSize = 0
    for (let k = 0; k < members.length; k++) {
      const i = members[k]!
      const away = this.#figures.awayOf(i, amount)
      const isFar = away > RANGE_FACTOR && this.#figures.matchOf(i, amount) >= FAR
      const standing = isFar
        ? OUT_OF_RANGE + (this.#standings[i]! & (SILENT | STALE))
        : this.#standings[i]!
      if (standing > bestStanding || (standing === bestStanding && away > bestAway)) continue
      if (isFar && standing === bestStanding && away === bestAway && !this.#isHigher(i, best))
        continue
      const at = away === 0 ? amount : this.#figures.atOf(i, amount)
      const converted = at * rates[i]!
      const fee = fees[i]! + converted * shares[i]!
      const worth = ((converted - fee) / at) * amount
      const size = ((converted + fee) / at) * amount
      if (!isFar && standing === bestStanding && away === bestAway) {
        const more = worth - bestWorth
        const doubt = DOUBT * (size + bestSize)
        if (more < -doubt || (!(more > doubt) && !this.#isMore(i, best, amount))) continue
      }
      best = i
      bestStanding = standing
      bestAway = away
      bestWorth = worth
      bestSize = size
    }
    return best
  }

  #isHigher(a: number, b: number): boolean {
    const { rates } = this.#figures
    if (rates[a] !== rates[b]) return rates[a]! > rates[b]!
    return byTie(this.#offers[a]!, this.#offers[b]!) < 0
  }

  #isMore(a: number, b: number, amount: number): boolean {
    const [worth, other] = [this.#figures.worthOf(a, amount), this.#figures.worthOf(b, amount)]
    return worth === other ? byTie(this.#offers[a]!, this.#offers[b]!) < 0 : worth > other
  }
}
