import type { Currency } from '~/domain/currency.ts'
import { feePercentOf, isFeeStated } from '~/domain/offer/fee.ts'
import { type Cost as CostOf, marginPct } from '~/domain/price/cost.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { moneyOf } from '~/portal/words/format.ts'
import { useWords } from '~/portal/words/spoken.tsx'
import type { Conversion } from '~/service/convert.ts'
import { CostBar } from './cost-bar.tsx'
import { betterText, moneyAndPercent } from './cost-text.ts'
import { pricedAt } from './offer-text.ts'

type Mid = { readonly rate: number } | null

type CostProps = {
  readonly entry: Conversion
  readonly currency: Currency
  readonly mid: Mid
  /** The total cost that fills a bar, in percent; null without bars. */
  readonly widestPct?: number | null
}

/** Cost of a price by the mid of its own day; if the fee is not stated, the rest. */
export function Cost({ entry, currency, mid, widestPct = null }: CostProps) {
  const { words, say, percentText, priceText } = useWords()
  const { ranked, cost } = entry
  const { quote, midAtQuote } = ranked
  const amount = pricedAt(words, entry)
  if (!isExecutable(quote.rateType)) return <Distance {...{ ...ranked, mid }} />
  if (!midAtQuote) return <span class="muted">{say('cost.no-mid-day')}</span>
  if (!isFeeStated(quote)) {
    const margin = percentText(marginPct(quote.rate, midAtQuote.rate))
    return <span class="muted">{say('cost.plus-fee', { margin })}</span>
  }
  if (entry.match?.match === 'out_of_range') return <span class="muted">{say('cost.unknown')}</span>
  if (!cost) return <span class="muted">{say('cost.no-mid-fee')}</span>
  if (cost.totalPct < 0) return <Better {...{ cost, currency, amount }} />
  const percent = percentText(cost.totalPct)
  return (
    <span>
      {amount ? say('cost.of', { percent, amount }) : priceText(cost.total, currency)}
      {!amount && <span class="aside">{percent}</span>}
      {widestPct !== null && <CostBar cost={cost} widestPct={widestPct} />}
    </span>
  )
}

type BetterProps = Pick<CostProps, 'currency'> & {
  readonly cost: CostOf
  readonly amount: string | null
}

/** A cost below zero, which a reader would take for a mistake if it were not said in words. */
function Better({ cost, currency, amount }: BetterProps) {
  const words = useWords()
  const percent = betterText(words, cost)
  const money = words.priceText(-cost.total, currency)
  return (
    <span>
      {amount ? percent : moneyAndPercent(words, money, percent)}{' '}
      <span class="aside">
        {amount ? words.say('cost.better-for', { amount }) : words.say('cost.better')}
      </span>
    </span>
  )
}

type DistanceProps = Pick<RankedQuote, 'quote' | 'midAtQuote' | 'isStale'> & { readonly mid: Mid }

/** Distance of an unsendable price from the mid of its day; else of today, if it still applies. */
function Distance({ quote, midAtQuote, isStale, mid }: DistanceProps) {
  const { say, bpsText } = useWords()
  const held = midAtQuote ?? (isStale ? null : mid)
  if (!held) return <span class="muted">{say(isStale ? 'cost.no-mid-day' : 'cost.no-mid')}</span>
  return (
    <span>
      {bpsText(vsMidBps(quote.rate, held.rate), true)}
      {!midAtQuote && <span class="aside">{say('cost.today')}</span>}
    </span>
  )
}

type FeeProps = {
  readonly quote: Quote
  readonly currencies: { readonly from: Currency; readonly to: Currency }
}

export function Fee({ quote, currencies: { from, to } }: FeeProps) {
  const { say, percentText, priceText } = useWords()
  if (!isFeeStated(quote)) return <span class="muted">{say('fee.unknown')}</span>
  const { fee, feeCurrency } = quote
  const code = feeCurrency ?? from.code
  const currency = [from, to].find((known) => known.code === code) ?? moneyOf(code)
  const percent = feePercentOf(quote)
  const parts = [
    ...(fee ? [priceText(fee, currency)] : []),
    ...(percent > 0 ? [percentText(percent)] : []),
  ]
  return <>{parts.length > 0 ? parts.join(' + ') : say('fee.none')}</>
}
