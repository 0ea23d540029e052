import { convertedAt } from '~/domain/convert.ts'
import { partOf, percentOf } from '~/domain/price/cost.ts'
import { isExecutable, KIND_ORDER, RATE_TYPES } from '~/domain/provider.ts'
import { byRank, byTie, STANDING, type Standing, silence } from '~/domain/rank.ts'
import { roundBps, roundPercent } from '~/domain/round.ts'
import { BPS_PER_UNIT, vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { costAtQuote, isCurrent, lackOf, type Prices } from '~/service/convert.ts'
import { presentConvertMid } from '~/wire/convert.ts'
import { absenceNote, bestNote, lackNote } from '~/wire/note.ts'
import type { ByteText } from './byte-text.ts'
import { ConvertChoice } from './convert-choice.ts'
import { around, type Entry, entryOf } from './convert-entry.ts'
import { ConvertFigures, EXACT, FAR, MATCHES, NO_NET } from './convert-figures.ts'
import { Piece } from './piece.ts'

const NONE = -1

const NULL = new Piece('null,')
const LIST = new Piece('"providers":[')
const BEST_CURRENT = new Piece('"best_current":')
const NO_COST = { feePct: 0, totalPct: 0, total: 0 }

const COST_SUMS = 3

/**
 * The responses of one corridor for any amount: a form with blanks for the sums, printed once for
 * as long as its prices stay.
 */
export class ConvertSheet {
  readonly #prices: Prices
  /** The offers in the order of their places, those of equal value in their fixed order. */
  readonly #quotes: Prices['offers']
  readonly #figures: ConvertFigures
  /** The choice among each provider's offers; null if each has but one. */
  readonly #choice: ConvertChoice | null
  /**
   * The place of each offer in the list, whatever its value: the kind, then its `standing`, then
   * whether it is silent about a requested condition.
   */
  readonly #places: Uint8Array
  /** As `#places`, for the amount of the last request, for which some may be out of range. */
  readonly #ranks: Uint8Array
  /** 1 for a kind that is never the best; after the first such quote there is no other. */
  readonly #isNeverBest: Uint8Array
  /** 1 for a quote that can be the best current one. */
  readonly #isCurrent: Uint8Array
  /** Says whether any offer is for some amounts alone. */
  readonly #isBanded: boolean
  /** The JSON of each offer for each match of an amount, printed when it is first shown. */
  readonly #entries: (Entry | undefined)[]
  readonly #opening: Piece
  /**
   * The JSON between the amount and the best entry, split around the mid's sum if there is a mid.
   */
  readonly #beforeMid: Piece
  readonly #beforeBest: Piece
  readonly #midRate: number | null
  readonly #closing: Piece
  /** Note after the list if a quote is the best; null if there is none. */
  readonly #notes: readonly (Piece | null)[]
  /**
   * The net amounts of the last request, as shown, or the distance of the amount, below zero; only
   * of those shown.
   */
  readonly #nets: Float64Array
  /** Value by which the best current one is chosen; `#nets` if no offer is for some amounts. */
  readonly #worths: Float64Array
  /** The best rate of each kind of what was last shown, if that changes with the amount. */
  readonly #bestRates = new Float64Array(RATE_TYPES.length)
  readonly #suspectRates = new Float64Array(RATE_TYPES.length)
  /** The quote shown at each place; the last request's order is nearly that of the next. */
  readonly #order: Uint16Array

  constructor(prices: Prices) {
    const { corridor, mid, offers } = prices
    const { from, to } = corridor
    this.#prices = prices
    this.#quotes = offers
      .map((ranked) => ({ ...ranked, standing: standingOf(ranked), value: null, second: null }))
      .sort(byRank)
    const each = <T>(of: (ranked: RankedQuote) => T): T[] => this.#quotes.map(of)
    this.#places = Uint8Array.from(each((ranked) => placeOf(ranked, standingOf(ranked))))
    this.#ranks = this.#places.slice()
    this.#isNeverBest = Uint8Array.from(each(({ quote }) => (isExecutable(quote.rateType) ? 0 : 1)))
    this.#isCurrent = Uint8Array.from(each((ranked) => (isCurrent(ranked) ? 1 : 0)))
    this.#figures = new ConvertFigures(this.#quotes, prices.feeMids)
    this.#isBanded = this.#figures.isBanded
    this.#entries = new Array(MATCHES * offers.length)
    this.#opening = new Piece(`{"from":"${from}","to":"${to}","amount":`)
    const [head, tail = ''] = around(mid && presentConvertMid(mid, 0))
    this.#beforeMid = new Piece(`,"mid":${head}`)
    this.#beforeBest = new Piece(`${tail},"best":`)
    this.#midRate = mid?.rate ?? null
    const { filters } = prices.selection
    this.#notes = each((ranked) => noteOf(bestNote(ranked, filters)))
    this.#nets = new Float64Array(offers.length)
    this.#worths = this.#isBanded ? new Float64Array(offers.length) : this.#nets
    const choice = new ConvertChoice(this.#quotes, this.#figures, prices.selection)
    this.#order = choice.firsts()
    this.#choice = this.#order.length < offers.length ? choice : null
    this.#closing = new Piece(`],"count":${this.#order.length},`)
  }

  /** Adds the response for an amount, up to the freshness fields. */
  write(text: ByteText, amount: number): void {
    this.#rank(amount)
    const [midRate, order] = [this.#midRate, this.#order]
    text.piece(this.#opening).number(amount).piece(this.#beforeMid)
    if (midRate !== null) text.rounded(amount * midRate)
    text.piece(this.#beforeBest)
    const best = this.#best(this.#nets)
    const start = text.length
    this.#writeBest(text, best, amount)
    const end = text.length
    text.piece(BEST_CURRENT)
    const current = this.#best(this.#worths, this.#isCurrent)
    if (current === best) text.again(start, end)
    else this.#writeBest(text, current, amount)
    text.piece(LIST)
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      if (i === best) text.again(start, end)
      else this.#writeEntry(text, i, amount)
    }
    text.withoutLast().piece(this.#closing)
    const note = best === NONE ? this.#lackNote(amount) : this.#notes[best]
    if (note) text.piece(note)
  }

  #lackNote(amount: number): Piece | null {
    const { offers, corridor, absence } = this.#prices
    if (absence) return noteOf(absenceNote(absence))
    const shown = Array.from(this.#order, (i) => ({
      quote: this.#quotes[i]!.quote,
      standing: standingIn(this.#ranks[i]!),
    }))
    const lack = lackOf(offers, shown)
    return lack && noteOf(lackNote(lack, { corridor, amount }))
  }

  #writeBest(text: ByteText, best: number, amount: number): void {
    if (best === NONE) text.piece(NULL)
    else this.#writeEntry(text, best, amount)
  }

  /** Writes an entry: its pieces with the sums between them. */
  #writeEntry(text: ByteText, i: number, amount: number): void {
    const net = this.#nets[i]!
    const figures = this.#figures
    const match = this.#isBanded ? figures.matchOf(i, amount) : EXACT
    const { head, between, tail } = this.#entries[MATCHES * i + match] ?? this.#printed(i, match)
    text.piece(head).rounded(convertedAt(figures.rates[i]!, amount))
    let next = 0
    if (net !== NO_NET && match < FAR) text.piece(between[next++]!).rounded(net)
    if (this.#choice) {
      text.piece(between[next++]!)
      const spread = roundBps(this.#spreadOf(i))
      if (spread < 0) text.ascii(String(spread))
      else text.rounded(spread)
    }
    const fixed = figures.dayFees[i]!
    if (match === EXACT && !Number.isNaN(fixed)) {
      const feePct = roundPercent(percentOf(fixed, amount) + figures.percents[i]!)
      const totalPct = roundPercent(feePct + figures.margins[i]!)
      text.piece(between[next++]!).percent(feePct)
      text.piece(between[next++]!).percent(totalPct)
      text.piece(between[next]!).rounded(partOf(amount, totalPct))
    }
    text.piece(tail)
  }

  #spreadOf(i: number): number {
    const best = this.#bestRates[kindIn(this.#places[i]!)]!
    return ((best - this.#figures.rates[i]!) / best) * BPS_PER_UNIT
  }

  /**
   * An entry with blanks for its sums, cached from now on. The cost of an offer for other amounts
   * is not a sum, as it is calculated at the nearest of them.
   */
  #printed(i: number, match: number): Entry {
    const { mid } = this.#prices
    const ranked = this.#quotes[i]!
    const isPriced = !Number.isNaN(this.#figures.dayFees[i]!)
    const net = this.#figures.hasNet(i) && match < FAR ? 0 : null
    const zeros = isPriced ? { ...NO_COST, marginPct: this.#figures.margins[i]! } : null
    const isCostSummed = match === EXACT && isPriced
    const isSpreadBlank = this.#choice !== null
    const example = this.#figures.exampleOf(i, match)
    const costNear = match < FAR ? costAtQuote(ranked, example.atAmount) : null
    const conversion = {
      ranked,
      spreadBps: isSpreadBlank ? 0 : ranked.spreadBps,
      vsMidBps: mid && vsMidBps(ranked.quote.rate, mid.rate),
      match: example,
      sent: 0,
      isMinimum: false,
      converted: 0,
      net,
      cost: match === EXACT ? zeros : costNear,
    }
    const sums = 1 + (net === null ? 0 : 1) + (isSpreadBlank ? 1 : 0)
    const entry = entryOf(conversion, {
      sums: sums + (isCostSummed ? COST_SUMS : 0),
      isSpreadBlank,
    })
    this.#entries[MATCHES * i + match] = entry
    return entry
  }

  /** Computes the net amounts and sorts the quotes, starting from their last order. */
  #rank(amount: number): void {
    const order = this.#order
    if (this.#choice) this.#choice.choose(order, amount)
    for (let place = 0; place < order.length; place++) this.#value(order[place]!, amount)
    if (this.#choice) this.#measure()
    for (let place = 1; place < order.length; place++) {
      const moved = order[place]!
      let to = place
      for (; to > 0 && this.#isBefore(moved, order[to - 1]!); to--) order[to] = order[to - 1]!
      order[to] = moved
    }
  }

  /** Finds the place of an offer for an amount, and its value there. */
  #value(i: number, amount: number): void {
    const isFar = this.#isBanded && this.#figures.matchOf(i, amount) >= FAR
    this.#ranks[i] = isFar ? farRank(this.#places[i]!) : this.#places[i]!
    this.#nets[i] = isFar ? -this.#figures.awayOf(i, amount) : this.#figures.netOf(i, amount)
    if (this.#isBanded && !isFar) this.#worths[i] = this.#figures.worthOf(i, amount)
  }

  /** Finds the best rate of each kind among what is shown, of suspect ones if all are. */
  #measure(): void {
    const [order, best, suspect] = [this.#order, this.#bestRates, this.#suspectRates]
    best.fill(0)
    suspect.fill(0)
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      const kind = kindIn(this.#places[i]!)
      const rates = standingIn(this.#places[i]!) === STANDING.usual ? best : suspect
      rates[kind] = Math.max(rates[kind]!, this.#figures.rates[i]!)
    }
    for (let kind = 0; kind < best.length; kind++) best[kind] ||= suspect[kind]!
  }

  #isBefore(a: number, b: number): boolean {
    const ranks = this.#ranks[a]! - this.#ranks[b]!
    if (ranks !== 0) return ranks < 0
    const [net, other] = [this.#nets[a]!, this.#nets[b]!]
    if (net !== other) return net > other
    if (standingIn(this.#ranks[a]!) !== STANDING.outOfRange) return a < b
    const [rate, otherRate] = [this.#figures.rates[a]!, this.#figures.rates[b]!]
    return rate === otherRate ? byTie(this.#quotes[a]!, this.#quotes[b]!) < 0 : rate > otherRate
  }

  /**
   * The greatest value among the executable quotes, or the admitted of them, that net more than
   * zero; only those that state all requested conditions, if any do. `NONE` without one.
   */
  #best(values: Float64Array, admitted?: Uint8Array): number {
    const [nets, order] = [this.#nets, this.#order]
    let best = NONE
    for (let place = 0; place < order.length; place++) {
      const i = order[place]!
      if (this.#isNeverBest[i]) break
      if (!(nets[i]! > 0) || admitted?.[i] === 0) continue
      if (standingIn(this.#ranks[i]!) !== STANDING.usual) continue
      if (best === NONE || this.#isBetter(i, best, values)) best = i
    }
    return best
  }

  #isBetter(a: number, b: number, values: Float64Array): boolean {
    const silence = silenceIn(this.#ranks[a]!) - silenceIn(this.#ranks[b]!)
    if (silence !== 0) return silence < 0
    const [value, other] = [values[a]!, values[b]!]
    return value === other ? byTie(this.#quotes[a]!, this.#quotes[b]!) < 0 : value > other
  }
}

const standingOf = ({ suspect }: RankedQuote): Standing =>
  suspect ? STANDING.suspect : STANDING.usual

/** A place as a number: the kind, two bits for `standing`, one for silence. */
const placeOf = (ranked: RankedQuote, standing: Standing): number =>
  8 * KIND_ORDER[ranked.quote.rateType] + 2 * standing + silence(ranked)

const kindIn = (place: number): number => place >> 3
const standingIn = (place: number): Standing => ((place >> 1) & 3) as Standing
const silenceIn = (place: number): number => place & 1
const farRank = (place: number): number => (place & ~6) | (2 * STANDING.outOfRange)

const noteOf = (note: string | null): Piece | null =>
  note === null ? null : new Piece(`"note":${JSON.stringify(note)},`)
