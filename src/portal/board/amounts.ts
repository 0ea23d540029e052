import { USD } from '~/domain/currency.ts'
import type { Goal } from '~/domain/offer/choice.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { plainNumberText } from '~/portal/words/format.ts'
import type { Words } from '~/portal/words/words.ts'
import { writtenAmount } from '~/portal/written-amount.ts'
import { pricedAmount } from './known-amounts.ts'

export const AMOUNT_NAMES = ['amount', 'recipient_gets'] as const

/** The field of the amount to send, or of the amount to arrive. */
export type AmountName = (typeof AMOUNT_NAMES)[number]

/** The parameter with the amount that was in a field when the form was shown. */
export const shownName = (name: AmountName): string => `shown_${name}`

export type Amounts = {
  /** Values of the two fields; one of them is empty unless both are invalid. */
  readonly texts: Readonly<Record<AmountName, string>>
  /** Meaning that was given to an amount, if it could have another. */
  readonly hints: Readonly<Partial<Record<AmountName, string>>>
  readonly faults: Readonly<Partial<Record<AmountName, string>>>
  /** Null if there is an error. */
  readonly goal: Goal | null
}

/** Context of the amounts: codes of currencies, and what is offered between them. */
type Asked = {
  readonly words: Words
  readonly from: string
  readonly to: string
  readonly offers: readonly RankedQuote[]
}

/** The amount to send or to arrive; a usual amount that is priced if neither is given. */
export function amounts(view: View, params: URLSearchParams, asked: Asked): Amounts {
  const { words, from, to } = asked
  const names = askedAmounts(params)
  const [name, ...others] = names
  if (others.length > 0) {
    const texts = { ...EMPTY, ...Object.fromEntries(names.map((one) => [one, given(params, one)])) }
    const both = words.say('amount.both')
    return { texts, goal: null, hints: {}, faults: { amount: both, recipient_gets: both } }
  }
  const text = name ? given(params, name) : plainNumberText(usualAmount(view, asked))
  const isToArrive = name === 'recipient_gets'
  const { amount, hint, fault } = writtenAmount(words, text, isToArrive ? to : from)
  const field = name ?? 'amount'
  return {
    texts: { ...EMPTY, [field]: text },
    goal: amount === null ? null : isToArrive ? toArrive(amount) : toSend(amount),
    hints: hint === null ? {} : { [field]: hint },
    faults: fault === null ? {} : { [field]: fault },
  }
}

const EMPTY: Amounts['texts'] = { amount: '', recipient_gets: '' }

const TEXT_LENGTH_MAX = 60

/** The string of a parameter; empty if it is missing. */
const given = (params: URLSearchParams, name: AmountName): string =>
  params.get(name)?.trim().slice(0, TEXT_LENGTH_MAX) ?? ''

const toSend = (amount: number): Goal => ({ amount, recipientGets: null })

const toArrive = (amount: number): Goal => ({ amount: null, recipientGets: amount })

/** The requested amounts; of two in a form, the one still as it was shown is ignored. */
function askedAmounts(params: URLSearchParams): AmountName[] {
  const filled = AMOUNT_NAMES.filter((name) => given(params, name) !== '')
  if (filled.length < 2) return filled
  const changed = filled.filter((name) => given(params, name) !== params.get(shownName(name)))
  return changed.length === 0 ? ['amount'] : changed
}

const USUAL_USD = 200

/** About what people usually send: an amount that was surveyed, else a round one. */
const usualAmount = (view: View, { from, offers }: Asked): number =>
  pricedAmount(offers, roundAmountIn(view, from))

function roundAmountIn(view: View, from: string): number {
  if (from === USD) return USUAL_USD
  const mid = view.catalogue.currency(from) && view.mid(USD, from)
  return mid ? Number((USUAL_USD * mid.rate).toPrecision(1)) : USUAL_USD
}
