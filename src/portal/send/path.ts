import { AMOUNT_NAMES } from '~/portal/board/amounts.ts'
import { knownParameters } from '~/portal/board/path.ts'
import type { BoardQuery } from '~/portal/board/query.ts'
import { KNOWN_AT } from '~/portal/cite/known-page.tsx'
import { type Pair, pairPath } from '~/portal/place/pair.ts'
import { plainNumberText } from '~/portal/words/format.ts'
import { EVERY_OFFER, FILTER_NAMES, filterParameters, type Parameter } from './filters.ts'
import { ORDER_NAME, orderParameters } from './order.ts'
import type { SendQuery } from './query.ts'

/** The address of the page of two countries that were named on the board, with its query. */
export function namedPairHref(pair: Pair, query: BoardQuery, params: URLSearchParams): string {
  const asked = new URLSearchParams()
  for (const name of AMOUNT_NAMES)
    if (params.has(name) && query.texts[name] !== '') asked.set(name, query.texts[name])
  for (const name of ['from', 'to'] as const) {
    const { country, currency } = query.places[name]!
    if (currency !== country!.currencies[0]) asked.set(name, currency)
  }
  for (const name of [...FILTER_NAMES, ORDER_NAME, KNOWN_AT])
    for (const value of params.getAll(name)) asked.append(name, value)
  const text = asked.toString()
  return pairPath(pair) + (text && `?${text}`)
}

/** The currencies of a query, if its countries do not imply them. */
export function currencyParameters({ pair, corridor: { from, to } }: SendQuery): Parameter[] {
  return [
    ...(from === pair.source.currencies[0] ? [] : [['from', from] as const]),
    ...(to === pair.target.currencies[0] ? [] : [['to', to] as const]),
  ]
}

export const questionParameters = ({ fields: { texts } }: SendQuery): Parameter[] =>
  AMOUNT_NAMES.filter((name) => texts[name] !== '').map((name) => [name, texts[name]] as const)

export const forAmount = (query: SendQuery, amount: number): SendQuery => ({
  ...query,
  fields: { ...query.fields, texts: { amount: plainNumberText(amount), recipient_gets: '' } },
})

/** Everything in a query but its amount. */
export const otherParameters = (query: SendQuery): Parameter[] => [
  ...currencyParameters(query),
  ...filterParameters(query.asked),
  ...(query.isEvery ? [EVERY_OFFER] : []),
  ...orderParameters(query.order),
  ...knownParameters(query),
]

export const pairParameters = (query: SendQuery): Parameter[] => [
  ...questionParameters(query),
  ...otherParameters(query),
]

export function pairHref(query: SendQuery): string {
  const parameters = pairParameters(query)
  return `${pairPath(query.pair)}?${new URLSearchParams(parameters as [string, string][])}`
}
