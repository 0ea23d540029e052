import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { deliveryText } from '~/domain/offer/duration.ts'
import type { OfferFilters } from '~/domain/offer/filter.ts'
import { PAY_WAYS, type PayWay } from '~/domain/offer/terms.ts'
import { deliveryOf } from '~/wire/offer/selection.ts'

export const FILTER_NAMES = ['pay_in', 'pay_out', 'delivery_max', 'offers'] as const

/** Filters of offers besides their countries. */
export type AskedFilters = Pick<OfferFilters, 'payIn' | 'payOut' | 'deliveryMaxMs'>

export const UNASKED: AskedFilters = { payIn: null, payOut: null, deliveryMaxMs: null }

/** The parameter that requests every offer instead of one of each provider. */
export const EVERY_OFFER: Parameter = ['offers', 'all']

type Speed = { readonly value: 'PT1H' | 'P1D' | 'P3D' | 'P5D'; readonly ms: number }

export const SPEEDS: readonly Speed[] = [
  { value: 'PT1H', ms: HOUR_MS },
  { value: 'P1D', ms: DAY_MS },
  { value: 'P3D', ms: 3 * DAY_MS },
  { value: 'P5D', ms: 5 * DAY_MS },
]

/** The filters in an address; unknown values are ignored. */
export function askedFilters(params: URLSearchParams): AskedFilters {
  return {
    payIn: askedWays(params, 'pay_in'),
    payOut: askedWays(params, 'pay_out'),
    deliveryMaxMs: deliveryOf(params.get('delivery_max') ?? ''),
  }
}

function askedWays(params: URLSearchParams, name: string): PayWay[] | null {
  const asked = params.getAll(name).flatMap((value) => value.split(','))
  const ways = PAY_WAYS.filter((way) => asked.includes(way))
  return ways.length > 0 ? ways : null
}

export function filterParameters({ payIn, payOut, deliveryMaxMs }: AskedFilters): Parameter[] {
  return [
    ...(payIn ?? []).map((way): Parameter => ['pay_in', way]),
    ...(payOut ?? []).map((way): Parameter => ['pay_out', way]),
    ...(deliveryMaxMs === null ? [] : [['delivery_max', deliveryText(deliveryMaxMs)] as const]),
  ]
}

export type Parameter = readonly [name: string, value: string]
