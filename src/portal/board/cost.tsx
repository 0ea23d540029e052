/** @jsxImportSource preact */
import type { Currency } from '~/domain/currency.ts'
import { feePercentOf, isFeeStated } from '~/domain/offer/fee.ts'
import { marginPct } from '~/domain/price/cost.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { moneyOf, percentText, priceText } from '~/portal/format.ts'
import type { Conversion } from '~/service/convert.ts'
import { pricedAt } from './offer-text.ts'

const BPS_PER_PERCENT = 100

type CostProps = { readonly entry: Conversion; readonly currency: Currency }

/** What a price costs by the mid of its own day; of a fee that nobody stated, the rest. */
export function Cost({ entry, currency }: CostProps) {
  const { ranked, cost } = entry
  const { quote, midAtQuote } = ranked
  const amount = pricedAt(entry)
  if (!midAtQuote) return <span class="muted">no mid that day</span>
  const marginBps = marginPct(quote.rate, midAtQuote.rate) * BPS_PER_PERCENT
  if (!isExecutable(quote.rateType)) return <>{percentText(-marginBps, true)}</>
  if (!isFeeStated(quote)) return <span class="muted">{percentText(marginBps)} + fee</span>
  if (!cost) return <span class="muted">no mid for its fee</span>
  return (
    <span>
      {priceText(cost.total, currency)}
      <span class="beside">
        {percentText(cost.totalPct * BPS_PER_PERCENT)}
        {amount && ` of ${amount}`}
      </span>
    </span>
  )
}

type FeeProps = {
  readonly quote: Quote
  readonly currencies: { readonly from: Currency; readonly to: Currency }
}

export function Fee({ quote, currencies: { from, to } }: FeeProps) {
  if (!isFeeStated(quote)) return <span class="muted">fee unknown</span>
  const { fee, feeCurrency } = quote
  const code = feeCurrency ?? from.code
  const currency = [from, to].find((known) => known.code === code) ?? moneyOf(code)
  const percent = feePercentOf(quote)
  const parts = [
    ...(fee ? [priceText(fee, currency)] : []),
    ...(percent > 0 ? [percentText(percent * BPS_PER_PERCENT)] : []),
  ]
  return <>{parts.length > 0 ? parts.join(' + ') : 'no fee'}</>
}
