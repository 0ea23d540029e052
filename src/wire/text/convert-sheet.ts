import { feeInTarget, isCancelled, netConverted } from '~/domain/convert.ts'
import { feeInSource, marginPct, percentOf, totalOf } from '~/domain/price/cost.ts'
import { isExecutable, KIND_ORDER } from '~/domain/provider.ts'
import { byKindThenValue, byTie } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { feeMidOf, isCurrent, type Prices } from '~/service/convert.ts'
import { presentConversion, presentConvertMid } from '~/wire/convert.ts'
import { bestNote } from '~/wire/note.ts'
import type { ByteText } from './byte-text.ts'
import { Piece } from './piece.ts'

/** A rank below every net amount, for a quote whose fee cannot be priced. */
const NO_NET = Number.NEGATIVE_INFINITY
const NONE = -1

const NULL = new Piece('null,')
const LIST = new Piece('"providers":[')
const BEST_CURRENT = new Piece('"best_current":')
const NO_COST = { feePct: 0, totalPct: 0, total: 0 }

/** The zeros printed in the places of sums. No name can hold them, for its quotes are escaped. */
const BLANK = /(?<="(?:converted|net_converted|fee_pct|total_pct|total)":)0(?=[,}])/

/** The text of an entry around its sums. */
type Entry = {
  /** The text before the amount converted, which is the first sum. */
  readonly head: Piece
  /** The text before each further sum: the net amount, then what makes up the cost. */
  readonly between: readonly Piece[]
  /** The text after its last sum, with the comma behind the entry. */
  readonly tail: Piece
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
  /** Fees in the source currency at the mids of the quote's day; NaN where there is no cost. */
  readonly #dayFees: Float64Array
  /** Margins in percent against the mid of the quote's day. */
  readonly #margins: Float64Array
  readonly #entries: readonly Entry[]
  readonly #opening: Piece
  /**
   * The text between the amount and the best entry, split around the mid's sum if there is a mid.
   */
  readonly #beforeMid: Piece
  readonly #beforeBest: Piece
  readonly #midRate: number | null
  readonly #closing: Piece
  /** What is said after the list where a quote is the best; null where nothing is. */
  readonly #notes: readonly (Piece | null)[]
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
    this.#dayFees = Float64Array.from(this.#quotes, (one) => dayFeeOf(one) ?? Number.NaN)
    this.#margins = Float64Array.from(this.#quotes, marginOf)
    this.#entries = this.#quotes.map((ranked, i) => {
      const distance = mid && vsMidBps(ranked.quote.rate, mid.rate)
      const net = fees[i] === null ? null : 0
      const isPriced = !Number.isNaN(this.#dayFees[i]!)
      const cost = isPriced ? { ...NO_COST, marginPct: this.#margins[i]! } : null
      const sums = { sent: 0, converted: 0, net, cost }
      return entryOf(presentConversion({ ranked, vsMidBps: distance, ...sums }, null))
    })
    this.#opening = new Piece(`{"from":"${from}","to":"${to}","amount":`)
    const [head, tail = ''] = around(mid && presentConvertMid(mid, 0))
    this.#beforeMid = new Piece(`,"mid":${head}`)
    this.#beforeBest = new Piece(`${tail},"best":`)
    this.#midRate = mid?.rate ?? null
    this.#closing = new Piece(`],"count":${quotes.length},`)
    this.#notes = this.#quotes.map((ranked) => noteOf(bestNote(ranked)))
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
    const start = text.length
    this.#writeBest(text, best, amount)
    const end = text.length
    text.piece(BEST_CURRENT)
    if (this.#isCurrent[best]) text.again(start, end)
    else this.#writeBest(text, this.#best(true), amount)
    text.piece(LIST)
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      if (i === best) text.again(start, end)
      else this.#writeEntry(text, i, amount)
    }
    text.withoutLast().piece(this.#closing)
    const note = this.#notes[best]
    if (note) text.piece(note)
  }

  #writeBest(text: ByteText, best: number, amount: number): void {
    if (best === NONE) text.piece(NULL)
    else this.#writeEntry(text, best, amount)
  }

  /** Writes an entry: its pieces with the sums between them. */
  #writeEntry(text: ByteText, i: number, amount: number): void {
    const net = this.#nets[i]!
    const { head, between, tail } = this.#entries[i]!
    text.piece(head).rounded(amount * this.#rates[i]!)
    let next = 0
    if (net !== NO_NET) text.piece(between[next++]!).rounded(net)
    const fee = this.#dayFees[i]!
    if (!Number.isNaN(fee)) {
      const feePct = percentOf(fee, amount)
      const marginPct = this.#margins[i]!
      text.piece(between[next++]!).percent(feePct)
      text.piece(between[next++]!).percent(feePct + marginPct)
      text.piece(between[next]!).rounded(totalOf({ fee, marginPct }, amount))
    }
    text.piece(tail)
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

/** The fee by which a quote's cost is reckoned; null where it has none. */
function dayFeeOf({ quote, midAtQuote, feeMidAtQuote: feeMid }: RankedQuote): number | null {
  return midAtQuote && feeInSource(quote, { mid: midAtQuote.rate, feeMid })
}

const marginOf = ({ quote, midAtQuote }: RankedQuote): number =>
  midAtQuote ? marginPct(quote.rate, midAtQuote.rate) : Number.NaN

const noteOf = (note: string | null): Piece | null =>
  note === null ? null : new Piece(`"note":${JSON.stringify(note)},`)

function entryOf(object: object): Entry {
  const [head, ...others] = around(object)
  const tail = others.pop() ?? ''
  return {
    head: new Piece(head!),
    between: others.map((text) => new Piece(text)),
    tail: new Piece(`${tail},`),
  }
}

/** An object's text around its blanks. */
const around = (object: object | null): string[] => JSON.stringify(object).split(BLANK)
