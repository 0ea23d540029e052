import { feeInTarget, isCancelled, netConverted } from '~/domain/convert.ts'
import { isExecutable, KIND_ORDER } from '~/domain/provider.ts'
import { byKindThenValue, byTie } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import { feeMidOf, isCurrent, type Prices } from '~/service/convert.ts'
import { presentConversion, presentConvertMid } from '~/wire/convert.ts'
import type { ByteText } from './byte-text.ts'

/** A rank below every net amount, for a quote whose fee cannot be priced. */
const NO_NET = Number.NEGATIVE_INFINITY
const NONE = -1

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const NULL = utf8('null')
const LIST = utf8(',"providers":[')
const BEST_CURRENT = utf8(',"best_current":')
const NET = utf8(',"net_converted":')

/** The zero sums printed in the places of the real ones. */
const AMOUNTS = /(?<="converted":)0(?:,"net_converted":0)?/

/** The text of an entry before and after its sums. */
type Entry = {
  readonly head: Uint8Array
  /** The head of an entry that is not the first of the list. */
  readonly nextHead: Uint8Array
  readonly tail: Uint8Array
}

/**
 * The answers of one corridor to any amount: a form with blanks for the sums, printed once for as
 * long as its prices stay.
 *
 * The figures for an amount lie side by side in a few arrays: under load the arithmetic costs
 * little, but reaching for many scattered objects costs a lot.
 */
export class ConvertSheet {
  /** Quotes by kind, those of equal value in their fixed order. */
  readonly #quotes: Prices['quotes']
  readonly #feeMids: Prices['feeMids']
  readonly #kinds: Uint8Array
  /** 1 for a kind that is never the best; after the first such quote there is no other. */
  readonly #isNeverBest: Uint8Array
  /** 1 for a quote that can be the best current one. */
  readonly #isCurrent: Uint8Array
  readonly #rates: Float64Array
  /** Fees in the target currency; NaN where a fee cannot be priced. */
  readonly #fees: Float64Array
  readonly #entries: readonly Entry[]
  readonly #opening: Uint8Array
  /**
   * The text between the amount and the best entry, split around the mid's sum if there is a mid.
   */
  readonly #beforeMid: Uint8Array
  readonly #beforeBest: Uint8Array
  readonly #midRate: number | null
  readonly #closing: Uint8Array
  /** The net amounts of the last question, as shown. */
  readonly #nets: Float64Array
  /** Which quote is shown at which place; the last question's order is nearly that of the next. */
  readonly #order: Uint16Array

  constructor({ corridor, mid, quotes, feeMids }: Prices) {
    const { from, to } = corridor
    this.#feeMids = feeMids
    this.#quotes = quotes.map(({ ...ranked }) => ({ ...ranked, value: null })).sort(byKindThenValue)
    const each = <T>(of: (ranked: Prices['quotes'][number]) => T): T[] => this.#quotes.map(of)
    this.#kinds = Uint8Array.from(each(({ quote }) => KIND_ORDER[quote.rateType]))
    this.#isNeverBest = Uint8Array.from(each(({ quote }) => (isExecutable(quote.rateType) ? 0 : 1)))
    this.#isCurrent = Uint8Array.from(each((ranked) => (isCurrent(ranked) ? 1 : 0)))
    this.#rates = Float64Array.from(each(({ quote }) => quote.rate))
    const fees = each(({ quote }) => feeInTarget(quote, feeMidOf(feeMids, quote)))
    this.#fees = Float64Array.from(fees, (fee) => fee ?? Number.NaN)
    this.#entries = this.#quotes.map((ranked, i) => {
      const distance = mid && vsMidBps(ranked.quote.rate, mid.rate)
      const net = fees[i] === null ? null : 0
      return entryOf(presentConversion({ ranked, vsMidBps: distance, converted: 0, net }))
    })
    this.#opening = utf8(`{"from":"${from}","to":"${to}","amount":`)
    const { head, tail } = aroundOf(mid && presentConvertMid(mid, 0))
    this.#beforeMid = utf8(`,"mid":${head}`)
    this.#beforeBest = utf8(`${tail},"best":`)
    this.#midRate = mid?.rate ?? null
    this.#closing = utf8(`],"count":${quotes.length},`)
    this.#nets = new Float64Array(quotes.length)
    this.#order = Uint16Array.from(quotes.keys())
  }

  /** Adds the answer for an amount, up to the members that tell its freshness. */
  write(text: ByteText, amount: number): void {
    this.#rank(amount)
    const [midRate, order] = [this.#midRate, this.#order]
    text.piece(this.#opening).number(amount).piece(this.#beforeMid)
    if (midRate !== null) text.rounded(amount * midRate)
    text.piece(this.#beforeBest)
    const best = this.#best(false)
    this.#writeBest(text, best, amount)
    text.piece(BEST_CURRENT)
    this.#writeBest(text, this.#isCurrent[best] ? best : this.#best(true), amount)
    text.piece(LIST)
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      const { head, nextHead } = this.#entries[i]!
      this.#writeEntry(text.piece(place === 0 ? head : nextHead), i, amount)
    }
    text.piece(this.#closing)
  }

  #writeBest(text: ByteText, best: number, amount: number): void {
    if (best === NONE) text.piece(NULL)
    else this.#writeEntry(text.piece(this.#entries[best]!.head), best, amount)
  }

  /** Writes everything of an entry after its head. */
  #writeEntry(text: ByteText, i: number, amount: number): void {
    const net = this.#nets[i]!
    text.rounded(amount * this.#rates[i]!)
    if (net !== NO_NET) text.piece(NET).rounded(net)
    text.piece(this.#entries[i]!.tail)
  }

  /** Computes the net amounts and sorts the quotes, starting from their last order. */
  #rank(amount: number): void {
    const [nets, order] = [this.#nets, this.#order]
    for (let i = 0; i < nets.length; i++) {
      const fee = this.#fees[i]!
      const converted = amount * this.#rates[i]!
      if (Number.isNaN(fee)) nets[i] = NO_NET
      else if (isCancelled(converted, fee)) nets[i] = roundAmount(this.#plainNet(i, amount))
      else nets[i] = roundAmount(converted - fee)
    }
    for (let place = 1; place < order.length; place++) {
      const moved = order[place]!
      let to = place
      for (; to > 0 && this.#isBefore(moved, order[to - 1]!); to--) order[to] = order[to - 1]!
      order[to] = moved
    }
  }

  #plainNet(i: number, amount: number): number {
    const { quote } = this.#quotes[i]!
    return netConverted(quote, amount, feeMidOf(this.#feeMids, quote)) ?? NO_NET
  }

  #isBefore(a: number, b: number): boolean {
    const kinds = this.#kinds[a]! - this.#kinds[b]!
    if (kinds !== 0) return kinds < 0
    const [net, other] = [this.#nets[a]!, this.#nets[b]!]
    return net === other ? a < b : net > other
  }

  /**
   * The best net amount above zero of all executable kinds, or of their current quotes alone;
   * `NONE` without one.
   */
  #best(isOfCurrent: boolean): number {
    const [nets, order] = [this.#nets, this.#order]
    let best = NONE
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      if (this.#isNeverBest[i]) break
      if (!(nets[i]! > 0) || (isOfCurrent && !this.#isCurrent[i])) continue
      if (best === NONE || nets[i]! > nets[best]!) best = i
      else if (nets[i] === nets[best] && byTie(this.#quotes[i]!, this.#quotes[best]!) < 0) best = i
    }
    return best
  }
}

function entryOf(object: object): Entry {
  const { head, tail } = aroundOf(object)
  return { head: utf8(head), nextHead: utf8(`,${head}`), tail: utf8(tail) }
}

/** An object's text before `converted` and after the `net_converted` of 0 that follows it. */
function aroundOf(object: object | null): { readonly head: string; readonly tail: string } {
  const [head, tail = ''] = JSON.stringify(object).split(AMOUNTS)
  return { head: head!, tail }
}
