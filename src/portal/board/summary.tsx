/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { isExecutable } from '~/domain/provider.ts'
import { vsMidBps } from '~/domain/spread.ts'
import {
  amountText,
  clockText,
  moneyText,
  percentText,
  rateText,
  spanText,
} from '~/portal/format.ts'
import { Moment } from '~/portal/moment.tsx'
import { isOldPrice } from '~/portal/price-age.tsx'
import type { Conversion, Conversions } from '~/service/convert.ts'
import { DERIVED, isDerived } from './kinds.ts'

type Props = {
  readonly conversions: Conversions
  readonly from: Currency
  readonly to: Currency
  readonly freshness: Freshness
}

/** The essentials: the best net amount quoted, the mid, and how fresh they are. */
export function BoardSummary(props: Props) {
  return (
    <div class="cards">
      {props.conversions.entries.length > 0 && <Best {...props} />}
      <Mid {...props} />
      <Freshly freshness={props.freshness} />
    </div>
  )
}

function Best({ conversions: { best, amount, mid, entries }, from, to, freshness }: Props) {
  const isSendable = entries.some(({ ranked }) => isExecutable(ranked.quote.rateType))
  return (
    <section class="card">
      <h2 class="figure-label">Most they'd get for {amount && moneyText(amount, from.code)}</h2>
      {best?.net ? (
        <>
          <p class="figure">
            {amountText(best.net, to.minorUnits)} {to.code}
          </p>
          <BestNote best={best} net={best.net} {...{ amount, mid, freshness }} />
        </>
      ) : (
        <>
          <p class="figure">{isSendable ? 'Nothing' : 'Not known'}</p>
          <p class="figure-note">
            {isSendable
              ? 'With every provider, the fee takes all of this amount.'
              : 'There is only an official or a parallel rate, and nobody can send money at it.'}
          </p>
        </>
      )}
    </section>
  )
}

type NoteProps = Pick<Conversions, 'amount' | 'mid'> & {
  readonly best: Conversion
  readonly net: number
  readonly freshness: Freshness
}

/** The provider of the best price, its age, and what it includes. */
function BestNote({ best: { ranked }, net, amount, mid, freshness: { nowMs } }: NoteProps) {
  const { quote, provider } = ranked
  const gained = mid && amount && vsMidBps(net / amount, mid.rate)
  const compared = gained === null ? '' : `; ${besideMid(gained)}`
  const included = gained === null ? '' : ', fee included'
  const isOlder = mid !== null && mid.atMs > quote.atMs
  return (
    <p class="figure-note">
      with {provider.name}, price seen {spanText(nowMs - quote.atMs)} ago (
      <Moment ms={quote.atMs} />){isDerived(provider.providerType) && ` ${DERIVED}`}
      {compared}
      {quote.fee === null ? '; fee unknown.' : `${included}.`}
      {isOldPrice({ ms: quote.atMs, nowMs }) &&
        ` A price this old may no longer hold${isOlder ? ', and the mid is newer' : ''}.`}
    </p>
  )
}

const besideMid = (bps: number): string =>
  `${percentText(Math.abs(bps))} ${bps > 0 ? 'above' : 'below'} the mid`

function Mid({ conversions: { mid }, from, to, freshness }: Props) {
  return (
    <section class="card">
      <h2 class="figure-label">Mid-market rate</h2>
      {mid ? (
        <>
          <p class="figure">
            {rateText(mid.rate)} {to.code}
          </p>
          <p class="figure-note">
            for 1 {from.code}, from {mid.source}, {spanText(freshness.nowMs - mid.atMs)} ago (
            <Moment ms={mid.atMs} />)
          </p>
        </>
      ) : (
        <>
          <p class="figure">Not known</p>
          <p class="figure-note">
            No reference feed has a recent rate for this pair, so there is no mid to compare with.
          </p>
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
