import { currencyCode, USD } from '~/domain/currency.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { View } from '~/memory/view.ts'
import { plainNumberText } from '~/portal/format.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { type LiveCorridor, liveCorridors } from '~/service/corridors.ts'
import { type ChartPeriod, chartPeriodOf } from './chart-period.ts'

export type BoardQuery = {
  /** The currency asked for, or the one that the board proposes. */
  readonly from: string
  readonly to: string
  readonly amountText: string
  /** How the amount was read, where it could mean another; null where it could not. */
  readonly amountHint: string | null
  readonly period: ChartPeriod
  /** The question; null when something asked for cannot be answered, which `faults` explains. */
  readonly question: BoardQuestion | null
  readonly faults: Readonly<Partial<Record<'from' | 'to' | 'amount', string>>>
}

export type BoardQuestion = {
  readonly from: string
  readonly to: string
  readonly amount: number
  readonly period: ChartPeriod
}

/** The question in a board's address; what it leaves out is proposed. */
export function boardQuery(view: View, params: URLSearchParams): BoardQuery {
  const asked = { from: given(params, 'from'), to: given(params, 'to') }
  const proposed = asked.from && asked.to ? null : proposal(view, asked)
  const from = asked.from ?? proposed?.from ?? ''
  const to = asked.to ?? proposed?.to ?? ''
  const amountText = given(params, 'amount') ?? plainNumberText(usualAmount(view, from))
  const { amount, hint: amountHint, fault } = writtenAmount(amountText, from)
  const period = chartPeriodOf(params.get('period'))
  const faults = {
    ...faultOf('from', codeFault(view, from)),
    ...faultOf('to', codeFault(view, to) ?? (from === to ? SAME : null)),
    ...faultOf('amount', fault),
  }
  const isWhole = Object.keys(faults).length === 0 && amount !== null
  const question = isWhole ? { from, to, amount, period } : null
  return { from, to, amountText, amountHint, period, question, faults }
}

const SAME = 'Choose two different currencies.'
const TEXT_LENGTH_MAX = 60

/** A parameter's text, a currency's code in its usual form; null when it is missing or empty. */
function given(params: URLSearchParams, name: string): string | null {
  const text = params.get(name)?.trim().slice(0, TEXT_LENGTH_MAX)
  if (!text) return null
  return name === 'amount' ? text : (currencyCode(text) ?? text)
}

const faultOf = (name: string, fault: string | null) => (fault === null ? {} : { [name]: fault })

function codeFault({ catalogue }: View, code: string): string | null {
  if (catalogue.currency(code)) return null
  return code === ''
    ? 'Choose a currency.'
    : `${code} is not a currency we know. Choose one from the list.`
}

/**
 * The corridor with the most providers one can send with, among those that begin or end as asked.
 */
function proposal(view: View, asked: { from: string | null; to: string | null }) {
  let best: { corridor: LiveCorridor; count: number } | null = null
  for (const corridor of liveCorridors(view)) {
    if (asked.from && corridor.from !== asked.from) continue
    if (asked.to && corridor.to !== asked.to) continue
    const { quotes } = corridor.view
    const count = quotes.filter(({ quote }) => isExecutable(quote.rateType)).length
    if (best === null || count > best.count) best = { corridor, count }
  }
  return best?.corridor ?? null
}

const USUAL_USD = 200

/** A round amount worth about what people usually send. */
function usualAmount(view: View, from: string): number {
  if (from === USD) return USUAL_USD
  const mid = view.catalogue.currency(from) && view.mid(USD, from)
  return mid ? Number((USUAL_USD * mid.rate).toPrecision(1)) : USUAL_USD
}
