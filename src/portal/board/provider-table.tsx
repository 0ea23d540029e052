/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import { isExecutable, type Provider, type RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { amountText, percentText, plainAmountText, rateText } from '~/portal/format.ts'
import { PriceAge } from '~/portal/price-age.tsx'
import type { Conversion } from '~/service/convert.ts'
import { DistanceBar, type Reach } from './distance-bar.tsx'
import { DERIVED, isDerived, KINDS, typeText } from './kinds.ts'

type Shared = {
  readonly from: Currency
  readonly to: Currency
  readonly best: Conversion | null
  readonly reach: Reach
  readonly decimals: number
  readonly nowMs: number
}

type Props = Shared & { readonly kind: RateType; readonly entries: readonly Conversion[] }

/** The providers of one kind, best net amount first. */
export function ProviderTable({ kind, entries, ...shared }: Props) {
  const { title, note } = KINDS[kind]
  const titleId = `kind-${kind}`
  return (
    <section class="stack-tight" aria-labelledby={titleId}>
      <div>
        <h2 id={titleId}>{title}</h2>
        <p class="muted small">{note}</p>
      </div>
      <div class="table-frame">
        <table class="table table-cards market-table" aria-labelledby={titleId}>
          <Head kind={kind} code={shared.to.code} />
          <tbody>
            {entries.map((entry, i) => (
              <Row key={entry.ranked.provider.id} {...shared} entry={entry} place={i + 1} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Head = ({ kind, code }: { kind: RateType; code: string }) => (
  <thead>
    <tr>
      <th scope="col">Provider</th>
      <th scope="col" class="number">
        {isExecutable(kind) ? 'Recipient gets' : 'Would come to'}, {code}
      </th>
      <th scope="col" class="number">
        Fee
      </th>
      <th scope="col" class="number">
        Rate
      </th>
      <th scope="col" class="number">
        Below best rate
      </th>
      <th scope="col" class="number">
        Rate against mid
      </th>
      <th scope="col" class="number">
        Seen
      </th>
    </tr>
  </thead>
)

function Row({ entry, place, ...shared }: Shared & { entry: Conversion; place: number }) {
  const { quote, spreadBps } = entry.ranked
  const { decimals, reach, nowMs } = shared
  return (
    <tr>
      <th scope="row">
        <Who {...entry.ranked} place={place} isBest={entry === shared.best} />
      </th>
      <td
        class="number net wide"
        data-label={isExecutable(quote.rateType) ? 'Recipient gets' : 'Would come to'}
      >
        <Net net={entry.net} quote={quote} currency={shared.to} />
      </td>
      <td class="number" data-label="Fee">
        <Fee {...quote} currencies={shared} />
      </td>
      <td class="number" data-label="Rate">
        {rateText(quote.rate, decimals)}
      </td>
      <td class="number" data-label="Below best">
        {percentText(spreadBps)}
      </td>
      <td class="number wide distance-cell" data-label="Rate against mid">
        {entry.vsMidBps === null ? (
          <span class="muted">no mid</span>
        ) : (
          <span class="distance">
            <DistanceBar bps={entry.vsMidBps} reach={reach} />
            <span class="distance-text">{percentText(entry.vsMidBps, true)}</span>
          </span>
        )}
      </td>
      <td class="number" data-label="Seen">
        <PriceAge ms={quote.atMs} nowMs={nowMs} />
      </td>
    </tr>
  )
}

type WhoProps = { provider: Provider; place: number; isBest: boolean }

function Who({ provider, place, isBest }: WhoProps) {
  const { name, websiteUrl } = provider
  return (
    <div class="who">
      <span class="place">{place}</span>
      <span>
        {websiteUrl ? (
          <a href={websiteUrl} rel="noopener nofollow">
            {name}
          </a>
        ) : (
          name
        )}{' '}
        {isBest && <span class="tag tag-good">best</span>}{' '}
        <span class="provider-type">{aboutText(provider)}</span>
      </span>
    </div>
  )
}

/** The provider's type, speed and means of payment. */
function aboutText({ providerType, transferTime, paymentMethods }: Provider): string {
  const parts = [
    typeText(providerType),
    isDerived(providerType) && DERIVED,
    transferTime && `takes ${lowerFirst(transferTime)}`,
    paymentMethods?.length && `by ${paymentMethods.map(plainWords).join(', ')}`,
  ]
  return parts.filter(Boolean).join(' · ')
}

const plainWords = (name: string): string => name.replaceAll('_', ' ')

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

type NetProps = { net: number | null; quote: Quote; currency: Currency }

function Net({ net, quote: { fee, rateType }, currency }: NetProps) {
  if (net === null) return <span class="muted small">unknown: no mid for its fee</span>
  if (net <= 0) return <span class="muted small">nothing: the fee takes all of it</span>
  const isBeforeFee = fee === null && isExecutable(rateType)
  return (
    <span>
      {amountText(net, currency.minorUnits)}
      {isBeforeFee && <span class="before-fee"> before any fee</span>}
    </span>
  )
}

type FeeProps = {
  readonly fee: number | null
  readonly feeCurrency: string | null
  readonly currencies: { readonly from: Currency; readonly to: Currency }
}

function Fee({ fee, feeCurrency, currencies: { from, to } }: FeeProps) {
  if (fee === null) return <span class="muted">fee unknown</span>
  if (fee === 0) return <>no fee</>
  const known = [from, to].find(({ code }) => code === (feeCurrency ?? from.code))
  const text = known ? amountText(fee, known.minorUnits) : plainAmountText(fee)
  return (
    <>
      {text} {feeCurrency ?? from.code}
    </>
  )
}
