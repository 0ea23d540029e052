import type { Corridor } from '~/domain/corridor.ts'
import type { Goal } from '~/domain/offer/choice.ts'
import type { Country } from '~/domain/offer/country.ts'
import { NO_FILTERS, type OfferFilters } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { amounts } from '~/portal/board/amounts.ts'
import type { Fields } from '~/portal/board/query.ts'
import { KNOWN_AT } from '~/portal/cite/known-page.tsx'
import type { Pair } from '~/portal/place/pair.ts'
import { placeText } from '~/portal/place/place.ts'
import type { Words } from '~/portal/words/words.ts'
import { type AskedFilters, askedFilters, EVERY_OFFER } from './filters.ts'
import { askedOrder, type Order } from './order.ts'

export type SendQuery = {
  readonly pair: Pair
  readonly corridor: Corridor
  /** Other currencies in which there are prices for the pair. */
  readonly others: readonly Corridor[]
  readonly fields: Fields
  readonly asked: AskedFilters
  /** Says whether every offer is requested, instead of one of each provider. */
  readonly isEvery: boolean
  readonly order: Order
  /** The earlier time that is asked for, as it was written; null for the present. */
  readonly knownAt: string | null
  readonly filters: OfferFilters
  /** Null if an amount is invalid. */
  readonly goal: Goal | null
}

type Asked = {
  readonly words: Words
  readonly view: View
  readonly pair: Pair
  readonly params: URLSearchParams
}

/** Null if the money of one of the countries is not known here. */
export function sendQuery({ words, view, pair, params }: Asked): SendQuery | null {
  const asked = askedFilters(params)
  const filters = { ...NO_FILTERS, ...countriesOf(pair), ...asked }
  const [corridor, ...others] = corridors(view, pair, params)
  if (!corridor) return null
  const { texts, hints, faults, goal } = amounts(view, params, {
    words,
    ...corridor,
    offers: view.corridor(corridor.from, corridor.to, countriesSelection(pair)).offers,
  })
  const from = { country: pair.source, currency: corridor.from }
  const to = { country: pair.target, currency: corridor.to }
  const { catalogue } = view
  const placeTexts = {
    from: placeText(words, from, catalogue),
    to: placeText(words, to, catalogue),
  }
  const fields = { texts, hints, faults, placeTexts, places: { from, to } }
  const isEvery = params.get(EVERY_OFFER[0]) === EVERY_OFFER[1]
  const order = askedOrder(params)
  const knownAt = params.get(KNOWN_AT)
  return { pair, corridor, others, fields, asked, isEvery, order, knownAt, filters, goal }
}

const countriesOf = ({ source, target }: Pair) => ({
  sourceCountry: source.code,
  targetCountry: target.code,
})

/** Everything offered between two countries. */
export const countriesSelection = (pair: Pair): Selection => ({
  ...UNSELECTED,
  filters: { ...NO_FILTERS, ...countriesOf(pair) },
})

/**
 * The corridors between the currencies of two countries: first the requested one, else the first
 * with offers that name the countries, else with any price; then others with prices.
 */
function corridors(view: View, pair: Pair, params: URLSearchParams): Corridor[] {
  const all = currenciesOf(view, pair.source).flatMap((from) =>
    currenciesOf(view, pair.target).map((to) => ({ from, to })),
  )
  const selection = countriesSelection(pair)
  const offersIn = ({ from, to }: Corridor) => view.corridor(from, to, selection).offers
  const priced = all.filter((one) => offersIn(one).length > 0)
  const named = priced.filter((one) => offersIn(one).some(isSaid))
  const isAsked = ({ from, to }: Corridor) =>
    isCode(params.get('from'), from) && isCode(params.get('to'), to)
  const inOrder = [...named, ...priced, ...all]
  const first = inOrder.find(isAsked) ?? inOrder[0]
  return first ? [first, ...priced.filter((one) => one !== first)] : []
}

/** Reports whether an offer states every requested condition. */
const isSaid = ({ unspecified }: RankedQuote): boolean => unspecified.length === 0

/** Reports whether a currency is the requested one; true if none is requested. */
const isCode = (asked: string | null, code: string): boolean =>
  !asked || asked.trim().toUpperCase() === code

const currenciesOf = ({ catalogue }: View, { currencies }: Country): string[] =>
  currencies.filter((code) => catalogue.currency(code))
