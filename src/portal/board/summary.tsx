/** @jsxImportSource preact */
import { Fragment } from 'preact'
import type { Currency } from '~/domain/currency.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { Basis, Mid as MidRate } from '~/domain/mid.ts'
import { feePercentOf, isFeeStated } from '~/domain/offer/fee.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import {
  askedText,
  clockText,
  percentText,
  priceText,
  rateText,
  spanText,
} from '~/portal/format.ts'
import { Moment } from '~/portal/moment.tsx'
import type { Conversion, Conversions } from '~/service/convert.ts'
import type { DoubtfulMid } from '~/service/doubtful.ts'
import { lackNote } from '~/wire/note.ts'
import { costSentence } from './cost-text.ts'
import { standingText } from './kinds.ts'
import { namedAmounts } from './known-amounts.ts'
import { namedCountries, pricedAt } from './offer-text.ts'

type Props = {
  readonly conversions: Conversions
  readonly from: Currency
  readonly to: Currency
  readonly freshness: Freshness
  /** The page for another amount to send. */
  readonly hrefOf: (amount: number) => string
  /** Every offer that the page is about, whatever its amounts. */
  readonly offers: readonly RankedQuote[]
  /** The currencies of the pair whose mid one feed alone moved far. */
  readonly moved?: readonly DoubtfulMid[]
  /** Whether the page is about two countries, which it then names itself. */
  readonly isPair?: boolean
}

/** The essentials: the best current price, the mid, and how fresh they are. */
export function BoardSummary(props: Props) {
  return (
    <div class="cards">
      {props.conversions.entries.length > 0 && <Best {...props} />}
      <Mid {...props} />
      <Freshly freshness={props.freshness} />
    </div>
  )
}

/** The best current price, or why there is none. */
export function Best(props: Props) {
  const { conversions, from, to, freshness, hrefOf, offers, isPair } = props
  const { amount, recipientGets, bestCurrent } = conversions
  const isToArrive = recipientGets !== null
  const isNear = bestCurrent !== null && pricedAt(bestCurrent) !== null
  const [most, least] = isNear
    ? ["About what they'd get", 'About what to send']
    : ["Most they'd get", 'Least to send']
  const asked = isToArrive
    ? `${least} for ${askedText(recipientGets, to)}`
    : `${most} for ${askedText(amount ?? 0, from)}`
  const countries = isPair ? null : namedCountries(bestCurrent?.ranked.quote.offer ?? PLAIN)
  return (
    <section class="card">
      <h2 class="figure-label">
        {asked}
        {countries && `, ${countries}`}
      </h2>
      {bestCurrent ? (
        <>
          <p class="figure">
            {isToArrive ? priceText(bestCurrent.sent!, from) : priceText(bestCurrent.net!, to)}
          </p>
          <BestNote best={bestCurrent} from={from} nowMs={freshness.nowMs} />
        </>
      ) : (
        <>
          <p class="figure">{nothingText(conversions)}</p>
          <p class="figure-note">{whyNothing(conversions, freshness.nowMs)}</p>
          <KnownAmounts {...{ conversions, from, hrefOf, offers }} />
        </>
      )}
      {isPair && from.code !== to.code && <MidNote {...props} />}
    </section>
  )
}

/** How many amounts a page proposes where nothing is known about the one asked for. */
const PROPOSED_MAX = 6

type KnownProps = Pick<Props, 'conversions' | 'from' | 'hrefOf' | 'offers'>

/** The amounts with prices, as links, where there is none for the amount asked for. */
function KnownAmounts({ conversions: { lack, amount }, from, hrefOf, offers }: KnownProps) {
  if (lack?.reason !== 'out_of_range') return null
  const nearTo = { amount: amount ?? 1, max: PROPOSED_MAX }
  return (
    <ul class="links">
      {namedAmounts(offers, nearTo).map((known) => (
        <li key={known}>
          <a href={hrefOf(known)}>Prices for {askedText(known, from)}</a>
        </li>
      ))}
    </ul>
  )
}

type NoteProps = { readonly best: Conversion; readonly from: Currency; readonly nowMs: number }

/** The provider of the best price, its age and its cost. */
function BestNote({ best, from, nowMs }: NoteProps) {
  const { ranked, cost } = best
  const { quote, provider } = ranked
  const standing = standingText(quote, provider)
  const isFree = !quote.fee && feePercentOf(quote) === 0
  return (
    <p class="figure-note">
      with {provider.name}, {isFree ? 'which charges no fee' : 'after its fee'}; price seen{' '}
      {spanText(nowMs - quote.atMs)} ago (
      <Moment ms={quote.atMs} />){standing && `, ${standing}`}.
      {cost && ` ${costSentence(best, cost, from)}`}
    </p>
  )
}

const isSendable = ({ ranked }: Conversion): boolean => isExecutable(ranked.quote.rateType)

function nothingText({ entries }: Conversions): string {
  const sendable = entries.filter(isSendable)
  if (sendable.length === 0) return 'Official rate only'
  return sendable.some(({ ranked }) => !ranked.isStale) ? 'Not known' : 'No current price'
}

/** The reason why no price leads. */
function whyNothing({ entries, lack, ...asked }: Conversions, nowMs: number): string {
  if (lack) return lackNote(lack, asked)
  const sendable = entries.filter(isSendable)
  if (sendable.length === 0) return 'No provider gives a price at which money can be sent.'
  const current = sendable.filter(({ ranked }) => !ranked.isStale)
  if (current.length === 0) {
    const newestMs = Math.max(...sendable.map(({ ranked }) => ranked.quote.atMs))
    return `The newest price was seen ${spanText(nowMs - newestMs)} ago and may no longer hold.`
  }
  const stated = current.filter(({ ranked }) => isFeeStated(ranked.quote))
  if (stated.length === 0) return 'Fee unknown: the fee is not stated.'
  return 'Where the fee is known, it takes all of this amount or cannot be converted.'
}

const PEG = /peg:([A-Z]+)\+/g

/** The feed of a mid, and what the mid is pegged to: `peg:EUR+ecb` is of the feed `ecb`. */
function sourceText(source: string): string {
  const anchors = [...source.matchAll(PEG)].map(([, code]) => code)
  const feed = source.replaceAll(PEG, '')
  return anchors.length > 0 ? `${feed} with the fixed rate to ${anchors.join(' and ')}` : feed
}

type SourceProps = Pick<Props, 'from'> & { readonly mid: MidRate; readonly nowMs: number }

/** What a mid is for, where it comes from, and how old it is. */
const Source = ({ mid, from, nowMs }: SourceProps) => (
  <>
    for 1 {from.code}, from {sourceText(mid.source)}, {spanText(nowMs - mid.atMs)} ago (
    <Moment ms={mid.atMs} />)
  </>
)

/** How sure a mid is, where fewer than two feeds agree on it. */
const BACKING_TEXT: Readonly<Partial<Record<Basis, string>>> = {
  disputed: 'Feeds disagree on this rate, so prices are compared with it only roughly.',
  single: 'One feed alone gives this rate; no second one confirms it.',
}

/** A mark for a mid that feeds dispute or that one alone gives, and what that means. */
function Backing({ mid: { basis } }: { readonly mid: MidRate }) {
  const text = BACKING_TEXT[basis]
  if (text === undefined) return null
  return (
    <>
      {' '}
      <span class={basis === 'disputed' ? 'tag tag-warn' : 'tag'}>{basis}</span> {text}
    </>
  )
}

/** The mid in a sentence. */
function MidNote({ conversions: { mid }, from, to, freshness: { nowMs } }: Props) {
  if (!mid) return <p class="figure-note">{NO_MID}</p>
  return (
    <p class="figure-note">
      The mid-market rate is {rateText(mid.rate)} {to.code} <Source {...{ mid, from, nowMs }} />.
      <Backing mid={mid} />
    </p>
  )
}

const NO_MID =
  'No reference feed has a recent rate for this pair, so there is no mid to compare with.'

function Mid({ conversions: { mid }, from, to, freshness: { nowMs }, moved = [] }: Props) {
  return (
    <section class="card">
      <h2 class="figure-label">Mid-market rate</h2>
      {mid ? (
        <>
          <p class="figure">
            {rateText(mid.rate)} {to.code}
          </p>
          <p class="figure-note">
            <Source {...{ mid, from, nowMs }} />.
            <Backing mid={mid} />
            {moved.map(({ currency, movePct }) => (
              <Fragment key={currency}>
                {' '}
                One feed alone moved the dollar&apos;s price in {currency} by{' '}
                {percentText(movePct! * 100, true)} within a day.
              </Fragment>
            ))}
          </p>
        </>
      ) : (
        <>
          <p class="figure">Not known</p>
          <p class="figure-note">{NO_MID}</p>
        </>
      )}
    </section>
  )
}

/** The freshness of the public board, which is always that of the hourly tier. */
function Freshly({ freshness: { cutoffMs } }: { freshness: Freshness }) {
  return (
    <section class="card">
      <h2 class="figure-label">Hourly prices</h2>
      <p class="figure">As of {clockText(cutoffMs)}</p>
      <p class="figure-note">
        These pages are updated every hour, next at {clockText(cutoffMs + HOUR_MS)}. With a key of
        the enterprise plan you see prices as they come in.
      </p>
    </section>
  )
}
