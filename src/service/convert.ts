import { netConverted, thirdFeeCurrency } from '~/domain/convert.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byKindThenValue } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { supportedCorridor } from './supported.ts'

export type Conversion = {
  readonly ranked: RankedQuote
  readonly vsMidBps: number | null
  /** Before fees, in the target currency. */
  readonly converted: number
  /** After fees, in the target currency; null when the fee's currency has no recent mid. */
  readonly net: number | null
}

export type Conversions = {
  readonly corridor: Corridor
  readonly amount: number
  readonly mid: Mid | null
  /** The best net above zero among the executable entries, or null. */
  readonly best: Conversion | null
  /** By kind, best net as it is shown first inside a kind, entries without a net last of it. */
  readonly entries: readonly Conversion[]
}

/**
 * What each provider of a corridor turns `amount` of the source currency into.
 *
 * Throws `unsupported_currency` and `same_currency`; the amount is checked before.
 */
export function convert(
  view: View,
  { amount, ...pair }: { from: string; to: string; amount: number },
): Conversions {
  const corridor = supportedCorridor(view.catalogue, pair)
  const mid = view.mid(corridor.from, corridor.to) ?? null
  const entries = view.corridor(corridor.from, corridor.to).quotes.map((ranked) => {
    const { quote } = ranked
    const net = netConverted(quote, amount, feeMidOf(view, quote))
    return {
      ranked,
      quote,
      value: net && roundAmount(net),
      net,
      converted: amount * quote.rate,
      vsMidBps: mid && vsMidBps(quote.rate, mid.rate),
    }
  })
  entries.sort(byKindThenValue)
  const best = bestExecutable(entries.filter(({ net }) => net !== null && net > 0))
  return { corridor, amount, mid, best, entries }
}

function feeMidOf(view: View, quote: Quote): number | null {
  const feeCurrency = thirdFeeCurrency(quote)
  return feeCurrency === null ? null : (view.mid(feeCurrency, quote.to)?.rate ?? null)
}
