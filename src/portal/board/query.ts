import { currencyCode, USD } from '~/domain/currency.ts'
import type { Goal } from '~/domain/offer/choice.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { View } from '~/memory/view.ts'
import { plainNumberText } from '~/portal/format.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { type LiveCorridor, liveCorridors } from '~/service/corridors.ts'
import { type ChartPeriod, chartPeriodOf } from './chart-period.ts'

/** The name of a field of the board's form, and of its parameter. */
type FieldName = 'from' | 'to' | AmountName

export const AMOUNT_NAMES = ['amount', 'recipient_gets'] as const

/** The field of the amount to send, or of the amount to arrive. */
export type AmountName = (typeof AMOUNT_NAMES)[number]

/** The parameter with the amount that was in a field when the form was shown. */
export const shownName = (name: AmountName): string => `shown_${name}`

export type BoardQuery = {
  /** The currency asked for, or the one that the board proposes. */
  readonly from: string
  readonly to: string
  /** What the fields of the two amounts hold; one of them is empty unless both are at fault. */
  readonly texts: Readonly<Record<AmountName, string>>
  /** How an amount was read, where it could mean another. */
  readonly hints: Readonly<Partial<Record<AmountName, string>>>
  readonly period: ChartPeriod
  /** The question; null when something asked for cannot be answered, which `faults` explains. */
  readonly question: BoardQuestion | null
  readonly faults: Readonly<Partial<Record<FieldName, string>>>
}

export type BoardQuestion = {
  readonly from: string
  readonly to: string
  readonly goal: Goal
  readonly period: ChartPeriod
}

/** The question in a board's address; what it leaves out is proposed. */
export function boardQuery(view: View, params: URLSearchParams): BoardQuery {
  const asked = { from: given(params, 'from'), to: given(params, 'to') }
  const proposed = asked.from && asked.to ? null : proposal(view, asked)
  const from = asked.from ?? proposed?.from ?? ''
  const to = asked.to ?? proposed?.to ?? ''
  const period = chartPeriodOf(params.get('period'))
  const { texts, goal, hints, faults: amountFaults } = amounts(view, params, { from, to })
  const faults = {
    ...faultOf('from', codeFault(view, from)),
    ...faultOf('to', codeFault(view, to) ?? (from === to ? SAME : null)),
    ...amountFaults,
  }
  const isWhole = Object.keys(faults).length === 0 && goal !== null
  const question = isWhole ? { from, to, goal, period } : null
  return { from, to, texts, hints, period, question, faults }
}

const SAME = 'Choose two different currencies.'
const TEXT_LENGTH_MAX = 60

/** A parameter's text, a currency's code in its usual form; null when it is missing or empty. */
function given(params: URLSearchParams, name: string): string | null {
  const text = params.get(name)?.trim().slice(0, TEXT_LENGTH_MAX)
  if (!text) return null
  return name === 'from' || name === 'to' ? (currencyCode(text) ?? text) : text
}

const faultOf = (name: FieldName, fault: string | null) => (fault === null ? {} : { [name]: fault })

function codeFault({ catalogue }: View, code: string): string | null {
  if (catalogue.currency(code)) return null
  return code === ''
    ? 'Choose a currency.'
    : `${code} is not a currency we know. Choose one from the list.`
}

type Amounts = Pick<BoardQuery, 'texts' | 'hints' | 'faults'> & { readonly goal: Goal | null }

type Pair = { readonly from: string; readonly to: string }

const BOTH = 'Fill in one of the two: what you send, or what they receive.'

/** The amount to send or to arrive; the usual amount to send where neither is given. */
function amounts(view: View, params: URLSearchParams, { from, to }: Pair): Amounts {
  const asked = askedAmounts(params)
  const [name, ...others] = asked
  if (others.length > 0) {
    const texts = {
      ...EMPTY,
      ...Object.fromEntries(asked.map((one) => [one, given(params, one)!])),
    }
    return { texts, goal: null, hints: {}, faults: { amount: BOTH, recipient_gets: BOTH } }
  }
  const text = name ? given(params, name)! : plainNumberText(usualAmount(view, from))
  const isToArrive = name === 'recipient_gets'
  const { amount, hint, fault } = writtenAmount(text, isToArrive ? to : from)
  const field = name ?? 'amount'
  return {
    texts: { ...EMPTY, [field]: text },
    goal: amount === null ? null : isToArrive ? toArrive(amount) : toSend(amount),
    hints: hint === null ? {} : { [field]: hint },
    faults: faultOf(field, fault),
  }
}

const EMPTY: BoardQuery['texts'] = { amount: '', recipient_gets: '' }

const toSend = (amount: number): Goal => ({ amount, recipientGets: null })

const toArrive = (amount: number): Goal => ({ amount: null, recipientGets: amount })

/**
 * The amounts asked for. If both fields of a form are sent, the one that still holds what it was
 * shown with is not asked for.
 */
function askedAmounts(params: URLSearchParams): AmountName[] {
  const filled = AMOUNT_NAMES.filter((name) => given(params, name) !== null)
  if (filled.length < 2) return filled
  const changed = filled.filter((name) => given(params, name) !== given(params, shownName(name)))
  return changed.length === 0 ? ['amount'] : changed
}

/**
 * The corridor with the most providers one can send with, among those that begin or end as asked.
 */
function proposal(view: View, asked: { from: string | null; to: string | null }) {
  let best: { corridor: LiveCorridor; count: number } | null = null
  for (const corridor of liveCorridors(view)) {
    if (asked.from && corridor.from !== asked.from) continue
    if (asked.to && corridor.to !== asked.to) continue
    const count = corridor.view.quotes.filter(isSendable).length
    if (best === null || count > best.count) best = { corridor, count }
  }
  return best?.corridor ?? null
}

/** Whether money can be sent at a price, and it is not an old one. */
const isSendable = ({ quote, isStale }: LiveCorridor['view']['quotes'][number]): boolean =>
  isExecutable(quote.rateType) && !isStale

const USUAL_USD = 200

/** A round amount worth about what people usually send. */
function usualAmount(view: View, from: string): number {
  if (from === USD) return USUAL_USD
  const mid = view.catalogue.currency(from) && view.mid(USD, from)
  return mid ? Number((USUAL_USD * mid.rate).toPrecision(1)) : USUAL_USD
}
