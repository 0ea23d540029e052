/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import { isFeeStated } from '~/domain/offer/fee.ts'
import { isExecutable, type RateType } from '~/domain/provider.ts'
import { bankDateOf } from '~/domain/source/bank-date.ts'
import { amountText, dayText, priceText, rateText } from '~/portal/format.ts'
import { Seen } from '~/portal/moment.tsx'
import type { Conversion } from '~/service/convert.ts'
import { Cost, Fee } from './cost.tsx'
import { KINDS, standingText } from './kinds.ts'
import { silenceText } from './offer-text.ts'
import { Who } from './who.tsx'

export type Shared = {
  readonly from: Currency
  readonly to: Currency
  /** The best current price, which others are compared with. */
  readonly best: Conversion | null
  /** The mid of now; null without one. */
  readonly mid: { readonly rate: number } | null
  readonly decimals: number
  readonly nowMs: number
  /** Whether the amount to arrive is asked for, so that the rows tell what to send. */
  readonly isToArrive: boolean
  /** Whether the page is about two countries, which it then names itself. */
  readonly isPair: boolean
}

type Props = Shared & {
  readonly kind: RateType
  readonly entries: readonly Conversion[]
  /** Whether these are older prices, which are in a list of their own below the current ones. */
  readonly isOlder?: boolean
}

/** The providers of one kind; those that say a fee have a place among them. */
export function ProviderTable({ kind, entries, isOlder = false, ...shared }: Props) {
  const { title, note } = KINDS[kind]
  const titleId = isOlder ? `older-${kind}` : `kind-${kind}`
  const Title = isOlder ? 'h3' : 'h2'
  const common = commonText(entries, standingOf)
  const silence = commonText(entries, ({ ranked }) => silenceText(ranked))
  const isSilent = ({ ranked }: Conversion) => !silence && ranked.unspecified.length > 0
  return (
    <section class="stack-tight" aria-labelledby={titleId}>
      <div>
        <Title id={titleId}>{title}</Title>
        {!isOlder && <p class="muted small">{note}</p>}
        {common && <p class="muted small">Each of these prices is {common}.</p>}
        {silence && <p class="muted small">Each of these prices {silence}.</p>}
      </div>
      <div class="table-frame">
        <table class="table table-cards market-table" aria-labelledby={titleId}>
          <Head kind={kind} {...shared} />
          <tbody>
            {entries.map((entry, i) => (
              <Row
                key={entry.ranked.quote.id}
                {...shared}
                entry={entry}
                place={isOlder || !hasPlace(entry) || isSilent(entry) ? null : i + 1}
                standing={common ? null : standingOf(entry)}
                silence={silence ? null : silenceText(entry.ranked)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const standingOf = ({ ranked: { quote, provider } }: Conversion): string | null =>
  standingText(quote, provider)

/** What is to be said of several prices alike, and so of all of them at once. */
function commonText(
  entries: readonly Conversion[],
  textOf: (entry: Conversion) => string | null,
): string | null {
  const [first, ...others] = entries.map(textOf)
  return others.length > 0 && others.every((one) => one === first) ? (first ?? null) : null
}

/**
 * Whether a price is believed and it is known what arrives: an unstated fee could take any of it.
 */
export const hasPlace = ({ ranked: { quote, suspect }, net }: Conversion): boolean =>
  !suspect && net !== null && net > 0 && (isFeeStated(quote) || !isExecutable(quote.rateType))

/** Whether money can be sent at a price that is current and has a place. */
export const isOffered = (entry: Conversion): boolean =>
  isExecutable(entry.ranked.quote.rateType) && !entry.ranked.isStale && hasPlace(entry)

/** The head of the column with what arrives, or what is sent. */
function amountHead(kind: RateType, isToArrive: boolean): string {
  if (isToArrive) return 'You send'
  return isExecutable(kind) ? 'Recipient gets' : 'Would come to'
}

const costHead = (kind: RateType): string => (isExecutable(kind) ? 'Total cost' : 'Against mid')

type HeadProps = Pick<Shared, 'from' | 'to' | 'isToArrive'> & { readonly kind: RateType }

const Head = ({ kind, from, to, isToArrive }: HeadProps) => (
  <thead>
    <tr>
      <th scope="col">Provider</th>
      <th scope="col" class="number">
        {amountHead(kind, isToArrive)}, {isToArrive ? from.code : to.code}
      </th>
      <th scope="col" class="number">
        {costHead(kind)}
      </th>
      <th scope="col" class="number">
        Fee
      </th>
      <th scope="col" class="number">
        Rate
      </th>
      <th scope="col" class="number">
        Seen
      </th>
    </tr>
  </thead>
)

type RowProps = Shared & {
  readonly entry: Conversion
  readonly place: number | null
  readonly standing: string | null
  readonly silence: string | null
}

function Row({ entry, place, standing, silence, ...shared }: RowProps) {
  const { quote, provider } = entry.ranked
  const kind = quote.rateType
  const date = bankDateOf(quote, provider)
  return (
    <tr>
      <th scope="row">
        <Who {...{ entry, place, standing, silence }} {...shared} isBest={entry === shared.best} />
      </th>
      <td class="number net wide" data-label={amountHead(kind, shared.isToArrive)}>
        <Amount entry={entry} {...shared} isCompared={place !== null && isExecutable(kind)} />
      </td>
      <td class="number wide" data-label={costHead(kind)}>
        <Cost entry={entry} currency={shared.from} mid={shared.mid} />
      </td>
      <td class="number" data-label="Fee">
        {isExecutable(kind) ? <Fee quote={quote} currencies={shared} /> : NONE}
      </td>
      <td class="number" data-label="Rate">
        {rateText(quote.rate, shared.decimals)}
      </td>
      <td class="number" data-label="Seen">
        <Seen ms={quote.atMs} nowMs={shared.nowMs} />
        {date && <span class="beside">bank’s date: {dayText(Date.parse(date))}</span>}
      </td>
    </tr>
  )
}

type AmountProps = Shared & { readonly entry: Conversion; readonly isCompared: boolean }

/** What arrives or is sent, and how much that differs from the best. */
function Amount({ entry, isCompared, best, from, to, isToArrive }: AmountProps) {
  const { net, sent, ranked, match } = entry
  const { rateType } = ranked.quote
  if (match?.match === 'out_of_range') return <span class="muted small">{NO_PRICE}</span>
  if (net === null) return <span class="muted small">{sent === null ? NO_AMOUNT : NO_MID}</span>
  if (net <= 0) return <span class="muted small">nothing: the fee takes all of it</span>
  const [shown, currency] = isToArrive ? [sent!, from] : [net, to]
  const bestShown = best && (isToArrive ? best.sent : best.net)
  const difference = bestShown === null ? 0 : shown - bestShown
  return (
    <span>
      {amountText(shown, currency.minorUnits)}
      {!isFeeStated(ranked.quote) && isExecutable(rateType) && (
        <span class="beside">before any fee</span>
      )}
      {isCompared && entry !== best && difference !== 0 && (
        <span class="beside">
          {priceText(Math.abs(difference), currency)} {difference > 0 ? 'more' : 'less'}
        </span>
      )}
    </span>
  )
}

const NONE = <span class="muted">–</span>
const NO_MID = 'unknown: no mid for its fee'
const NO_PRICE = 'no price for this amount'
const NO_AMOUNT = 'cannot be worked out'
