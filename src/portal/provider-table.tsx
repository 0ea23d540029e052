/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import { isExecutable, type Provider, type RateType } from '~/domain/provider.ts'
import type { Conversion } from '~/service/convert.ts'
import { DistanceBar, type Reach } from './distance-bar.tsx'
import { amountText, percentText, plainAmountText, rateText } from './format.ts'
import { isDerived, KINDS, typeText } from './kinds.ts'
import { Age } from './moment.tsx'

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
        Spread
      </th>
      <th scope="col" class="number">
        Against the mid
      </th>
      <th scope="col" class="number">
        Age
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
        <Net net={entry.net} currency={shared.to} />
      </td>
      <td class="number" data-label="Fee">
        <Fee {...quote} currencies={shared} />
      </td>
      <td class="number" data-label="Rate">
        {rateText(quote.rate, decimals)}
      </td>
      <td class="number" data-label="Spread">
        {percentText(spreadBps)}
      </td>
      <td class="number wide distance-cell" data-label="Against the mid">
        {entry.vsMidBps === null ? (
          <span class="muted">no mid</span>
        ) : (
          <span class="distance">
            <DistanceBar bps={entry.vsMidBps} reach={reach} />
            <span class="distance-text">{percentText(entry.vsMidBps, true)}</span>
          </span>
        )}
      </td>
      <td class="number" data-label="Age">
        <Age ms={quote.atMs} nowMs={nowMs} />
      </td>
    </tr>
  )
}

type WhoProps = { provider: Provider; place: number; isBest: boolean }

function Who({ provider, place, isBest }: WhoProps) {
  const { name, providerType, transferTime } = provider
  const takes = transferTime && `takes ${lowerFirst(transferTime)}`
  return (
    <div class="who">
      <span class="place">{place}</span>
      <span>
        {name} {isBest && <span class="tag tag-good">best</span>}{' '}
        {isDerived(providerType) && (
          <span class="tag tag-warn" title="Worked out from others' prices, not the provider's own">
            derived
          </span>
        )}
        <span class="provider-type">
          {[typeText(providerType), takes].filter(Boolean).join(' · ')}
        </span>
      </span>
    </div>
  )
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

function Net({ net, currency }: { net: number | null; currency: Currency }) {
  if (net === null) return <span class="muted small">the fee has no known worth</span>
  if (net <= 0) return <span class="muted small">nothing: the fee takes it all</span>
  return <>{amountText(net, currency.minorUnits)}</>
}

type FeeProps = {
  readonly fee: number | null
  readonly feeCurrency: string | null
  readonly currencies: { readonly from: Currency; readonly to: Currency }
}

function Fee({ fee, feeCurrency, currencies: { from, to } }: FeeProps) {
  if (fee === null) return <span class="muted">not said</span>
  if (fee === 0) return <>none</>
  const known = [from, to].find(({ code }) => code === (feeCurrency ?? from.code))
  const text = known ? amountText(fee, known.minorUnits) : plainAmountText(fee)
  return (
    <>
      {text} {feeCurrency ?? from.code}
    </>
  )
}
