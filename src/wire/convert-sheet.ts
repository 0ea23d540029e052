import { feeInTarget, netOf } from '~/domain/convert.ts'
import { isExecutable, KIND_ORDER } from '~/domain/provider.ts'
import { byKindThenValue, byTie } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import { feeMidOf, type Prices } from '~/service/convert.ts'
import type { ByteText } from './byte-text.ts'
import { presentConversion, presentConvertMid } from './convert.ts'

/** Ranks below every net amount: the fee cannot be priced. */
const NO_NET = Number.NEGATIVE_INFINITY
const NONE = -1

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const COMMA = utf8(',')
const NULL = utf8('null')
const NET = utf8(',"net_converted":')

/** What of an answer's object stands before and after the sums in it. */
type Around = { readonly head: Uint8Array; readonly tail: Uint8Array }

/**
 * The answers of one corridor to any amount: a form, printed once for as long as its prices stay,
 * with blanks for the sums.
 *
 * What an amount needs lies side by side in a few arrays: under load it is not the sums that take
 * long, but reaching for many things that lie apart.
 */
export class ConvertSheet {
  /** By kind, and as those of equal value follow each other. */
  readonly #quotes: Prices['quotes']
  readonly #kinds: Uint8Array
  /** 1 for a kind that is never the best. */
  readonly #isInformation: Uint8Array
  readonly #rates: Float64Array
  /** In the target currency; NaN where it cannot be priced. */
  readonly #fees: Float64Array
  readonly #entries: readonly Around[]
  readonly #opening: Uint8Array
  readonly #mid: (Around & { readonly rate: number }) | null
  readonly #closing: Uint8Array
  /** The net amounts of the last question, as they are shown. */
  readonly #nets: Float64Array
  /** Which quote is shown where: of the last question, and nearly that of the next. */
  readonly #order: Uint16Array

  constructor({ corridor, mid, quotes, feeMids }: Prices) {
    const { from, to } = corridor
    this.#quotes = quotes.map(({ ...ranked }) => ({ ...ranked, value: null })).sort(byKindThenValue)
    const each = <T>(of: (ranked: Prices['quotes'][number]) => T): T[] => this.#quotes.map(of)
    this.#kinds = Uint8Array.from(each(({ quote }) => KIND_ORDER[quote.rateType]))
    this.#isInformation = Uint8Array.from(
      each(({ quote }) => (isExecutable(quote.rateType) ? 0 : 1)),
    )
    this.#rates = Float64Array.from(each(({ quote }) => quote.rate))
    this.#fees = Float64Array.from(
      each(({ quote }) => feeInTarget(quote, feeMidOf(feeMids, quote)) ?? Number.NaN),
    )
    this.#entries = each((ranked) => {
      const distance = mid && vsMidBps(ranked.quote.rate, mid.rate)
      return around(presentConversion({ ranked, vsMidBps: distance, converted: 0, net: 0 }))
    })
    this.#opening = utf8(`{"from":"${from}","to":"${to}","amount":`)
    this.#mid = mid && { ...around(presentConvertMid(mid, 0)), rate: mid.rate }
    this.#closing = utf8(`],"count":${quotes.length},`)
    this.#nets = new Float64Array(quotes.length)
    this.#order = Uint16Array.from(quotes.keys())
  }

  /** Adds the answer for an amount, up to the members that say how fresh it is. */
  write(text: ByteText, amount: number): void {
    this.#rank(amount)
    text.piece(this.#opening).ascii(String(amount)).ascii(',"mid":')
    this.#writeMid(text, amount)
    text.ascii(',"best":')
    const best = this.#best()
    if (best === NONE) text.piece(NULL)
    else this.#writeEntry(text, best, amount)
    text.ascii(',"providers":[')
    const order = this.#order
    for (let place = 0; place < order.length; place++) {
      if (place > 0) text.piece(COMMA)
      this.#writeEntry(text, order[place]!, amount)
    }
    text.piece(this.#closing)
  }

  #writeMid(text: ByteText, amount: number): void {
    const mid = this.#mid
    if (!mid) text.piece(NULL)
    else
      text
        .piece(mid.head)
        .amount(roundAmount(amount * mid.rate))
        .piece(mid.tail)
  }

  #writeEntry(text: ByteText, i: number, amount: number): void {
    const { head, tail } = this.#entries[i]!
    const net = this.#nets[i]!
    text
      .piece(head)
      .amount(roundAmount(amount * this.#rates[i]!))
      .piece(NET)
    if (net === NO_NET) text.piece(NULL)
    else text.amount(net)
    text.piece(tail)
  }

  /** Reckons the net amounts and puts the quotes in their order, from the order they had. */
  #rank(amount: number): void {
    const [nets, order] = [this.#nets, this.#order]
    for (let i = 0; i < nets.length; i++) {
      const fee = this.#fees[i]!
      nets[i] = Number.isNaN(fee) ? NO_NET : roundAmount(netOf(amount * this.#rates[i]!, fee))
    }
    for (let place = 1; place < order.length; place++) {
      const moved = order[place]!
      let to = place
      for (; to > 0 && this.#isBefore(moved, order[to - 1]!); to--) order[to] = order[to - 1]!
      order[to] = moved
    }
  }

  #isBefore(a: number, b: number): boolean {
    const kinds = this.#kinds[a]! - this.#kinds[b]!
    if (kinds !== 0) return kinds < 0
    const [net, other] = [this.#nets[a]!, this.#nets[b]!]
    return net === other ? a < b : net > other
  }

  /** The best net amount above nothing of all executable kinds; `NONE` without one. */
  #best(): number {
    const [nets, order] = [this.#nets, this.#order]
    let best = NONE
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      if (this.#isInformation[i]) break
      if (!(nets[i]! > 0)) continue
      if (best === NONE || nets[i]! > nets[best]!) best = i
      else if (nets[i] === nets[best] && byTie(this.#quotes[i]!, this.#quotes[best]!) < 0) best = i
    }
    return best
  }
}

/** An object's text around its member `converted`, and `net_converted` behind it if it has that. */
function around(object: object): Around {
  const text = JSON.stringify(object)
  const [head, tail] = text.split(/(?<="converted":)0(?:,"net_converted":0)?/)
  return { head: utf8(head!), tail: utf8(tail!) }
}
