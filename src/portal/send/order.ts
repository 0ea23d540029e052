import type { Conversion } from '~/service/convert.ts'
import type { Parameter } from './filters.ts'

/** Orders of a pair's prices; the first is the default. */
export const ORDERS = ['arrives', 'cost', 'speed'] as const

export type Order = (typeof ORDERS)[number]

export const ORDER_NAME = 'sort'

/** The order in an address; the first one if it is unknown. */
export const askedOrder = (params: URLSearchParams): Order =>
  ORDERS.find((order) => order === params.get(ORDER_NAME)) ?? ORDERS[0]

/** The parameters that request an order again. */
export const orderParameters = (order: Order): Parameter[] =>
  order === ORDERS[0] ? [] : [[ORDER_NAME, order]]

/** Value that prices are sorted by, least first; null, which comes last, if it is not stated. */
const VALUES: Readonly<Record<Exclude<Order, 'arrives'>, (entry: Conversion) => number | null>> = {
  cost: ({ cost }) => cost?.totalPct ?? null,
  speed: ({ ranked: { quote } }) => quote.offer?.deliveryMaxMs ?? null,
}

/** The prices in an order; those that are equal in it stay as they come. */
export function inOrder<T extends Conversion>(entries: readonly T[], order: Order): readonly T[] {
  if (order === 'arrives') return entries
  const standing = (entry: T) => VALUES[order](entry) ?? Number.POSITIVE_INFINITY
  return entries.toSorted((a, b) => {
    const [first, second] = [standing(a), standing(b)]
    return first === second ? 0 : first - second
  })
}

export function firstOfEach<T extends Conversion>(entries: readonly T[]): readonly T[] {
  const seen = new Set<string>()
  return entries.filter(({ ranked: { provider } }) => {
    const isFirst = !seen.has(provider.id)
    seen.add(provider.id)
    return isFirst
  })
}
