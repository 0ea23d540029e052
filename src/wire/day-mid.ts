import { Type } from '@sinclair/typebox'
import { marginPct } from '~/domain/price/cost.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { backingFields, Instant, optional } from './fields.ts'
import { iso, presentBacking } from './present.ts'

/** The fields that compare a quote with the mid of its own day; both or none. */
export const dayMidFields = {
  mid_at_quote: optional.record(
    { rate: Type.Number(), fetched_at: Instant, ...backingFields },
    "The pair's mid when the quote took effect; absent if there was no recent one.",
  ),
  margin_pct: optional.number({
    description:
      'What the exchange rate costs, in percent of the amount: (1 - rate / mid_at_quote.rate) ' +
      '* 100. Negative if the provider beats the mid of its day.',
  }),
}

/** The fields of `dayMidFields`; none without a mid of the quote's day. */
export function presentDayMid({ quote, midAtQuote }: Pick<RankedQuote, 'quote' | 'midAtQuote'>) {
  if (!midAtQuote) return {}
  return {
    mid_at_quote: {
      rate: roundAmount(midAtQuote.rate),
      fetched_at: iso(midAtQuote.atMs),
      ...presentBacking(midAtQuote),
    },
    margin_pct: roundPercent(marginPct(quote.rate, midAtQuote.rate)),
  }
}
