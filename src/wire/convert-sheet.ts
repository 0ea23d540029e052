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
const NET = utf8(',"net_converted":')

/** Stands for sums in a form: no JSON has it. */
const BLANK = '\0'

/**
 * The answers of one corridor to any amount: a form, printed once for as long as its prices stay,
 * with blanks for the sums.
 *
 * What an amount needs lies side by side in a few arrays, and what stands between two blanks is one
 * piece: under load it is not the sums that take long, but reaching for many things that lie apart.
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
  readonly #entries: readonly string[]
  readonly #opening: string
  readonly #midRate: number | null
  readonly #closing: string
  /** The net amounts of the last question, as they are shown. */
  readonly #nets: Float64Array
  /** Which quote is shown where: of the last question, and nearly that of the next. */
  readonly #order: Uint16Array
  /** Of the last question, too. */
  #best = NONE
  /** What stands before each blank of the form for that order, and behind the last. */
  #pieces: readonly Uint8Array[]

  constructor({ corridor, mid, quotes, feeMids }: Prices) {
    const { from, to } = corridor
    this.#quotes = quotes.map(({ ...ranked }) => ({ ...ranked, value: null })).sort(byKindThenValue)
    const each = <T>(of: (ranked: Prices['quotes'][number]) => T): T[] => this.#quotes.map(of)
    this.#kinds = Uint8Array.from(each(({ quote }) => KIND_ORDER[quote.rateType]))
    this.#isInformation = Uint8Array.from(
      each(({ quote }) => (isExecutable(quote.rateType) ? 0 : 1)),
    )
    this.#rates = Float64Array.from(each(({ quote }) => quote.rate))
    const fees = each(({ quote }) => feeInTarget(quote, feeMidOf(feeMids, quote)))
    this.#fees = Float64Array.from(fees, (fee) => fee ?? Number.NaN)
    this.#entries = this.#quotes.map((ranked, i) => {
      const distance = mid && vsMidBps(ranked.quote.rate, mid.rate)
      const net = fees[i] === null ? null : 0
      return blanked(presentConversion({ ranked, vsMidBps: distance, converted: 0, net }))
    })
    this.#midRate = mid?.rate ?? null
    const midText = mid && blanked(presentConvertMid(mid, 0))
    this.#opening = `{"from":"${from}","to":"${to}","amount":${BLANK},"mid":${midText},"best":`
    this.#closing = `],"count":${quotes.length},`
    this.#nets = new Float64Array(quotes.length)
    this.#order = Uint16Array.from(quotes.keys())
    this.#pieces = this.#printed()
  }

  /** Adds the answer for an amount, up to the members that say how fresh it is. */
  write(text: ByteText, amount: number): void {
    this.#rank(amount)
    const [pieces, order] = [this.#pieces, this.#order]
    let next = 0
    text.piece(pieces[next++]!).ascii(String(amount))
    if (this.#midRate !== null) text.piece(pieces[next++]!).rounded(amount * this.#midRate)
    if (this.#best !== NONE) this.#writeSums(text.piece(pieces[next++]!), this.#best, amount)
    for (let place = 0; place < order.length; place++)
      this.#writeSums(text.piece(pieces[next++]!), order[place]!, amount)
    text.piece(pieces[next]!)
  }

  #writeSums(text: ByteText, i: number, amount: number): void {
    const net = this.#nets[i]!
    text.rounded(amount * this.#rates[i]!)
    if (net !== NO_NET) text.piece(NET).amount(net)
  }

  /** The form for the present order and best. */
  #printed(): Uint8Array[] {
    const best = this.#entries[this.#best] ?? 'null'
    const list = Array.from(this.#order, (i) => this.#entries[i]!).join(',')
    const form = `${this.#opening}${best},"providers":[${list}${this.#closing}`
    return form.split(BLANK).map(utf8)
  }

  /** Reckons the net amounts and puts the quotes in their order, from the order they had. */
  #rank(amount: number): void {
    const [nets, order] = [this.#nets, this.#order]
    for (let i = 0; i < nets.length; i++) {
      const fee = this.#fees[i]!
      nets[i] = Number.isNaN(fee) ? NO_NET : roundAmount(netOf(amount * this.#rates[i]!, fee))
    }
    let isMoved = false
    for (let place = 1; place < order.length; place++) {
      const moved = order[place]!
      let to = place
      for (; to > 0 && this.#isBefore(moved, order[to - 1]!); to--) order[to] = order[to - 1]!
      if (to === place) continue
      order[to] = moved
      isMoved = true
    }
    const best = this.#bestOf(order)
    if (!isMoved && best === this.#best) return
    this.#best = best
    this.#pieces = this.#printed()
  }

  #isBefore(a: number, b: number): boolean {
    const kinds = this.#kinds[a]! - this.#kinds[b]!
    if (kinds !== 0) return kinds < 0
    const [net, other] = [this.#nets[a]!, this.#nets[b]!]
    return net === other ? a < b : net > other
  }

  /** The best net amount above nothing of all executable kinds; `NONE` without one. */
  #bestOf(order: Uint16Array): number {
    const nets = this.#nets
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

/** An object as text, with one blank for `converted` and for a `net_converted` of 0 behind it. */
const blanked = (object: object): string =>
  JSON.stringify(object).replace(/(?<="converted":)0(?:,"net_converted":0)?/, BLANK)
