import type { Currency } from '~/domain/currency.ts'
import { type Cost, partOf } from '~/domain/price/cost.ts'
import { askedText, percentText, priceText } from '~/portal/format.ts'
import type { Conversion } from '~/service/convert.ts'
import { pricedAt } from './offer-text.ts'

const BPS_PER_PERCENT = 100

/** What a cost below zero means, after its figure. */
export const BETTER = 'better than the mid of its day'

/** A cost below zero, in percent and without its sign. */
export const betterText = ({ totalPct }: Pick<Cost, 'totalPct'>): string =>
  percentText(-totalPct * BPS_PER_PERCENT)

/** A total cost in percent, in words where it is below zero. */
export const totalText = (totalPct: number): string =>
  totalPct < 0 ? `${betterText({ totalPct })} ${BETTER}` : percentText(totalPct * BPS_PER_PERCENT)

/** A total cost in percent and in money, in words where it is below zero. */
export const bothText = (totalPct: number, money: string): string =>
  totalPct < 0
    ? `${money} (${betterText({ totalPct })}) ${BETTER}`
    : `${totalText(totalPct)}, ${money}`

/**
 * What a price costs, as sentences: in all, and where the money goes if the price is for the amount
 * that is sent.
 */
export function costSentence(entry: Conversion, cost: Cost, from: Currency): string {
  const amount = pricedAt(entry)
  if (amount) return `${allText(cost, '')}, for ${amount}, the nearest amount with a price.`
  const { sent } = entry
  const all = `${allText(cost, priceText(Math.abs(cost.total), from))}.`
  const isSaid = sent === null || (cost.totalPct < 0 && cost.feePct === 0)
  return isSaid ? all : `${all} ${partsText(sent, cost, from)}`
}

function allText({ totalPct }: Cost, total: string): string {
  const percent = percentText(Math.abs(totalPct) * BPS_PER_PERCENT)
  const both = total ? `${total} (${percent})` : percent
  return totalPct < 0 ? `In all it is ${both} ${BETTER}` : `Total cost ${both}`
}

/** Where the cost of an amount goes: to the exchange rate, and to the fee. */
function partsText(sent: number, { feePct, total }: Cost, from: Currency): string {
  const text = (part: number) => priceText(part, from)
  const shown = (part: number) => Number(part.toFixed(from.minorUnits ?? 2))
  const fee = shown(partOf(sent, feePct))
  const margin = shown(total) - fee
  const amount = askedText(sent, from)
  if (margin < 0) {
    const rate = `The exchange rate is ${text(-margin)} ${BETTER}`
    return feePct > 0 ? `${rate}; ${text(fee)} of your ${amount} goes to the fee.` : `${rate}.`
  }
  if (feePct === 0) return `${text(margin)} of your ${amount} goes to the exchange rate.`
  return `${text(margin)} of your ${amount} goes to the exchange rate, ${text(fee)} to the fee.`
}
