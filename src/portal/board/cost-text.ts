import type { Currency } from '~/domain/currency.ts'
import { type Cost, partOf } from '~/domain/price/cost.ts'
import type { Words } from '~/portal/words/words.ts'
import type { Conversion } from '~/service/convert.ts'
import { pricedAt } from './offer-text.ts'

type Total = Pick<Cost, 'totalPct'>

/** A cost below zero, in percent and without its sign. */
export const betterText = ({ percentText }: Words, { totalPct }: Total): string =>
  percentText(-totalPct)

/** A total cost in percent, in words if it is below zero. */
export function totalText(words: Words, totalPct: number): string {
  if (totalPct >= 0) return words.percentText(totalPct)
  return words.say('cost.better-than', { cost: betterText(words, { totalPct }) })
}

/** A total cost after a name, with the amount if it is for another: `costs 2.96%`. */
export function costsText(words: Words, { totalPct }: Total, amount: string | null = null): string {
  const total = totalText(words, totalPct)
  const cost = amount === null ? total : words.say('costs.for', { total, amount })
  return totalPct < 0 ? cost : words.say('embed.costs', { cost })
}

/** A total cost in percent and in money, in words if it is below zero. */
export function bothText(words: Words, totalPct: number, money: string): string {
  if (totalPct >= 0) return words.say('cost.and-money', { cost: totalText(words, totalPct), money })
  const cost = moneyAndPercent(words, money, betterText(words, { totalPct }))
  return words.say('cost.better-than', { cost })
}

/** An amount of money and what it is in percent: `£5.92 (2.96%)`. */
export const moneyAndPercent = ({ say }: Words, money: string, percent: string): string =>
  say('cost.money-percent', { money, percent })

type PricedCost = { readonly entry: Conversion; readonly cost: Cost; readonly from: Currency }

/**
 * Cost of a price as sentences: in all, and its parts if the price is for the amount that is sent.
 */
export function costSentence(words: Words, { entry, cost, from }: PricedCost): string {
  const amount = pricedAt(words, entry)
  if (amount) return words.say('cost.nearest', { all: allText(words, cost, ''), amount })
  const { sent } = entry
  const total = words.priceText(Math.abs(cost.total), from)
  const all = words.say('cost.sentence', { all: allText(words, cost, total) })
  const isSaid = sent === null || (cost.totalPct < 0 && cost.feePct === 0)
  return isSaid ? all : `${all} ${partsText(words, { sent, cost, from })}`
}

function allText(words: Words, { totalPct }: Total, total: string): string {
  const percent = words.percentText(Math.abs(totalPct))
  const cost = total ? moneyAndPercent(words, total, percent) : percent
  return words.say(totalPct < 0 ? 'cost.all-better' : 'cost.all', { cost })
}

type Parts = Pick<PricedCost, 'cost' | 'from'> & { readonly sent: number }

/** Parts of an amount's cost: exchange rate and fee. */
function partsText(words: Words, { sent, cost: { feePct, total }, from }: Parts): string {
  const text = (part: number) => words.priceText(part, from)
  const shown = (part: number) => Number(part.toFixed(from.minorUnits ?? 2))
  const feePart = shown(partOf(sent, feePct))
  const margin = shown(total) - feePart
  const amount = words.askedText(sent, from)
  const parts = { amount, margin: text(Math.abs(margin)), fee: text(feePart) }
  if (margin < 0)
    return words.say(feePct > 0 ? 'cost.parts-better-fee' : 'cost.parts-better', parts)
  return words.say(feePct === 0 ? 'cost.parts-rate' : 'cost.parts-both', parts)
}
