import { Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import type { Currency } from '~/domain/currency.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { Basis, Mid as MidRate } from '~/domain/mid.ts'
import { feePercentOf, isFeeStated } from '~/domain/offer/fee.ts'
import { PLAIN } from '~/domain/offer/terms.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { IsOfThen } from '~/portal/cite/known-page.tsx'
import { Moment } from '~/portal/moment.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import type { Conversion, Conversions } from '~/service/convert.ts'
import type { DoubtfulMid } from '~/service/doubtful.ts'
import { costSentence } from './cost-text.ts'
import { lackText, standingText } from './kinds.ts'
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
  /** Says whether the page is about two countries, which it then names itself. */
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

export function Best(props: Props) {
  const { words, say, askedText, priceText } = useWords()
  const { conversions, from, to, freshness, hrefOf, offers, isPair } = props
  const { amount, recipientGets, bestCurrent } = conversions
  const isToArrive = recipientGets !== null
  const isNear = bestCurrent !== null && pricedAt(words, bestCurrent) !== null
  const asked = isToArrive
    ? say(isNear ? 'best.about-send' : 'best.least', { amount: askedText(recipientGets, to) })
    : say(isNear ? 'best.about-get' : 'best.most', { amount: askedText(amount ?? 0, from) })
  const countries = isPair ? null : namedCountries(words, bestCurrent?.ranked.quote.offer ?? PLAIN)
  return (
    <section class="card">
      <h2 class="figure-label">{[asked, countries].filter(Boolean).join(say('list.comma'))}</h2>
      {bestCurrent ? (
        <>
          <p class="figure">
            {isToArrive ? priceText(bestCurrent.sent!, from) : priceText(bestCurrent.net!, to)}
          </p>
          <BestNote best={bestCurrent} from={from} nowMs={freshness.nowMs} />
        </>
      ) : (
        <>
          <p class="figure">{nothingText(words, conversions)}</p>
          <p class="figure-note">{whyNothing(words, conversions, freshness.nowMs)}</p>
          <KnownAmounts {...{ conversions, from, hrefOf, offers }} />
        </>
      )}
      {isPair && from.code !== to.code && <MidNote {...props} />}
    </section>
  )
}

/** The maximum number of amounts that a page proposes if the requested one has no price. */
const PROPOSED_MAX = 6

type KnownProps = Pick<Props, 'conversions' | 'from' | 'hrefOf' | 'offers'>

/** The amounts with prices, as links, if the requested amount has none. */
function KnownAmounts({ conversions: { lack, amount }, from, hrefOf, offers }: KnownProps) {
  const { say, askedText } = useWords()
  if (lack?.reason !== 'out_of_range') return null
  const nearTo = { amount: amount ?? 1, max: PROPOSED_MAX }
  return (
    <ul class="links">
      {namedAmounts(offers, nearTo).map((known) => (
        <li key={known}>
          <a href={hrefOf(known)}>{say('best.prices-for', { amount: askedText(known, from) })}</a>
        </li>
      ))}
    </ul>
  )
}

type NoteProps = { readonly best: Conversion; readonly from: Currency; readonly nowMs: number }

function BestNote({ best, from, nowMs }: NoteProps) {
  const words = useWords()
  const { ranked, cost } = best
  const { quote, provider } = ranked
  const standing = standingText(words, quote, provider)
  const isFree = !quote.fee && feePercentOf(quote) === 0
  return (
    <p class="figure-note">
      {words.rich(isFree ? 'best.with-free' : 'best.with-fee', {
        provider: provider.name,
        ago: words.agoText(nowMs - quote.atMs),
        moment: <Moment ms={quote.atMs} />,
        standing: standing ? words.say('list.comma') + standing : '',
      })}
      {cost && ` ${costSentence(words, { entry: best, cost, from })}`}
    </p>
  )
}

const isSendable = ({ ranked }: Conversion): boolean => isExecutable(ranked.quote.rateType)

function nothingText({ say }: Words, { entries }: Conversions): string {
  const sendable = entries.filter(isSendable)
  if (sendable.length === 0) return say('best.official')
  return say(sendable.some(({ ranked }) => !ranked.isStale) ? 'best.not-known' : 'best.no-current')
}

function whyNothing(words: Words, conversions: Conversions, nowMs: number): string {
  const { say, agoText } = words
  const { entries, lack, ...asked } = conversions
  if (lack) return lackText(words, lack, asked)
  const sendable = entries.filter(isSendable)
  if (sendable.length === 0) return say('best.none-sends')
  const current = sendable.filter(({ ranked }) => !ranked.isStale)
  if (current.length === 0) {
    const newestMs = Math.max(...sendable.map(({ ranked }) => ranked.quote.atMs))
    return say('best.newest', { ago: agoText(nowMs - newestMs) })
  }
  const stated = current.filter(({ ranked }) => isFeeStated(ranked.quote))
  if (stated.length === 0) return say('best.fee-unknown')
  return say('best.fee-all')
}

const PEG = /peg:([A-Z]+)\+/g
/** Suffix of the sample in the name of a feed, in English; every page of it says so by itself. */
const SAMPLE = / \(sample, shifted [^)]*\)/

/** The feed of a mid, and what the mid is pegged to: `peg:EUR+ecb` is of the feed `ecb`. */
export function sourceText({ language, say, listText }: Words, named: string): string {
  const source = language === 'en' ? named : named.replace(SAMPLE, '')
  const anchors = [...source.matchAll(PEG)].map(([, code]) => code!)
  const feed = source.replaceAll(PEG, '')
  return anchors.length > 0 ? say('mid.fixed', { feed, anchors: listText(anchors) }) : feed
}

type SourceProps = Pick<Props, 'from'> & { readonly mid: MidRate; readonly nowMs: number }

const sourceValues = (words: Words, { mid, from, nowMs }: SourceProps) => ({
  code: from.code,
  source: sourceText(words, mid.source),
  ago: words.agoText(nowMs - mid.atMs),
  moment: <Moment ms={mid.atMs} />,
})

/** Certainty of a mid, if fewer than two feeds agree on it. */
const isWeak = (basis: Basis): basis is 'disputed' | 'single' =>
  basis === 'disputed' || basis === 'single'

/** A mark for a mid that feeds dispute or that one alone gives, and what that means. */
function Backing({ mid: { basis } }: { readonly mid: MidRate }) {
  const { say } = useWords()
  if (!isWeak(basis)) return null
  const look = basis === 'disputed' ? 'tag tag-warn' : 'tag'
  return (
    <>
      {' '}
      <span class={look}>{say(`mid-basis.${basis}`)}</span> {say(`mid-basis-note.${basis}`)}
    </>
  )
}

function MidNote({ conversions: { mid }, from, to, freshness: { nowMs } }: Props) {
  const words = useWords()
  if (!mid) return <p class="figure-note">{words.say('mid.none')}</p>
  return (
    <p class="figure-note">
      {words.rich('mid.sentence', {
        rate: `${words.rateText(mid.rate)} ${to.code}`,
        ...sourceValues(words, { mid, from, nowMs }),
      })}
      <Backing mid={mid} />
    </p>
  )
}

function Mid({ conversions: { mid }, from, to, freshness: { nowMs }, moved = [] }: Props) {
  const { words, say, rich, rateText, percentText } = useWords()
  return (
    <section class="card">
      <h2 class="figure-label">{say('mid.title')}</h2>
      {mid ? (
        <>
          <p class="figure">
            {rateText(mid.rate)} {to.code}
          </p>
          <p class="figure-note">
            {rich('mid.source', sourceValues(words, { mid, from, nowMs }))}
            <Backing mid={mid} />
            {moved.map(({ currency, movePct }) => (
              <Fragment key={currency}>
                {' '}
                {say('mid.moved', { currency, percent: percentText(movePct!, true) })}
              </Fragment>
            ))}
          </p>
        </>
      ) : (
        <>
          <p class="figure">{say('best.not-known')}</p>
          <p class="figure-note">{say('mid.none')}</p>
        </>
      )}
    </section>
  )
}

/** The freshness of the public board: that of the hourly tier. */
function Freshly({ freshness: { cutoffMs } }: { freshness: Freshness }) {
  const { say, clockText } = useWords()
  const isOfThen = useContext(IsOfThen)
  return (
    <section class="card">
      <h2 class="figure-label">{say('fresh.title')}</h2>
      <p class="figure">{say('fresh.as-of', { time: clockText(cutoffMs) })}</p>
      {!isOfThen && (
        <p class="figure-note">{say('fresh.next', { time: clockText(cutoffMs + HOUR_MS) })}</p>
      )}
    </section>
  )
}
