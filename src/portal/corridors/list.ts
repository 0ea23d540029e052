import { currencyCode } from '~/domain/currency.ts'
import { isExecutable } from '~/domain/provider.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import type { Words } from '~/portal/words/words.ts'
import { type LiveCorridor, liveCorridors } from '~/service/corridors.ts'

/** A corridor with everything shown in its row. */
export type CorridorLine = {
  readonly from: string
  readonly to: string
  /** The best current price that money can be sent at, else the best older one. */
  readonly best: BestPrice | null
  /** The number of active providers that quote it, and of those with which one can send money. */
  readonly providers: number
  readonly executable: number
  readonly avgSpreadBps: number | null
}

type BestPrice = {
  readonly rate: number
  readonly providerName: string
  readonly atMs: number
  readonly isStale: boolean
  /** Distance from the mid of its own day; null if there was none. */
  readonly vsMidBps: number | null
}

const SORTS = ['corridor', 'providers', 'spread', 'mid', 'age'] as const

export type Sort = (typeof SORTS)[number]

export type ListQuery = {
  readonly currency: string | null
  readonly sort: Sort
  readonly isDescending: boolean
  readonly page: number
}

/** Orders that begin with the largest value: the busiest, the cheapest, the freshest first. */
export const DESCENDS_FIRST: Readonly<Record<Sort, boolean>> = {
  corridor: false,
  providers: true,
  spread: false,
  mid: true,
  age: false,
}

const OFFERED: readonly Sort[] = ['providers', 'corridor', 'mid', 'spread', 'age']

/** The name of an order in a form, which has a single field for it: `spread-desc`. */
export const orderName = ({ sort, isDescending }: Pick<ListQuery, 'sort' | 'isDescending'>) =>
  `${sort}-${isDescending ? 'desc' : 'asc'}`

/** Every order, by its name in a form: the usual one of its column, and the reverse. */
export const orderOptions = ({ say }: Words) =>
  OFFERED.flatMap((sort) =>
    [say(`order-usual.${sort}`), say(`order-turned.${sort}`)].map((text, turned) => ({
      value: orderName({ sort, isDescending: DESCENDS_FIRST[sort] !== (turned === 1) }),
      text,
    })),
  )

const PAGE_ROWS = 50
const PAGE_TEXT = /^[1-9]\d{0,5}$/

/** The query in a list's address; an unknown sort or page means the usual one. */
export function listQuery(params: URLSearchParams): ListQuery {
  const currency = params.get('currency')?.trim() ?? ''
  const [asked, turn] = (params.get('sort') ?? '').split('-')
  const sort = SORTS.find((name) => name === asked) ?? 'providers'
  const order = params.get('order') ?? turn
  const page = params.get('page') ?? ''
  return {
    currency: currency === '' ? null : (currencyCode(currency) ?? currency.slice(0, 20)),
    sort,
    isDescending: order === undefined ? DESCENDS_FIRST[sort] : order === 'desc',
    page: PAGE_TEXT.test(page) ? Number(page) : 1,
  }
}

export type CorridorList = {
  readonly lines: readonly CorridorLine[]
  readonly count: number
  readonly pages: number
  /** The page shown: the last one if a later one was requested. */
  readonly page: number
}

/** One page of the corridors with live quotes, in the requested order; ties by name. */
export function corridorList(view: View, query: ListQuery): CorridorList {
  const { currency, sort, isDescending } = query
  const all = liveCorridors(view)
    .filter(({ from, to }) => currency === null || from === currency || to === currency)
    .map(lineOf)
  const value = VALUE[sort]
  if (value) all.sort((a, b) => byValue(value(a), value(b), isDescending))
  else if (isDescending) all.reverse()
  const pages = Math.max(1, Math.ceil(all.length / PAGE_ROWS))
  const page = Math.min(query.page, pages)
  const lines = all.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)
  return { lines, count: all.length, pages, page }
}

/** Value that each order sorts by; an older best price is not compared with current ones. */
const VALUE: Readonly<Record<Sort, ((line: CorridorLine) => number | null) | null>> = {
  corridor: null,
  providers: ({ providers }) => providers,
  spread: ({ avgSpreadBps }) => avgSpreadBps,
  mid: ({ best }) => (best && !best.isStale ? best.vsMidBps : null),
  age: ({ best }) => best && -best.atMs,
}

/** Compares values; unknown ones come last in either order. */
function byValue(a: number | null, b: number | null, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return isDescending ? b - a : a - b
}

function lineOf({ from, to, view: { best, quotes, avgSpreadBps } }: LiveCorridor): CorridorLine {
  const sendable = quotes.filter(({ quote }) => isExecutable(quote.rateType))
  const [current] = sendable.filter(({ isStale, suspect }) => !isStale && !suspect).sort(byRate)
  const shown = current ?? best
  return {
    from,
    to,
    best: shown && bestPrice(shown),
    providers: quotes.length,
    executable: sendable.length,
    avgSpreadBps,
  }
}

const byRate = (a: RankedQuote, b: RankedQuote): number => b.quote.rate - a.quote.rate

const bestPrice = ({ quote, provider, isStale, midAtQuote }: RankedQuote): BestPrice => ({
  rate: quote.rate,
  providerName: provider.name,
  atMs: quote.atMs,
  isStale,
  vsMidBps: midAtQuote && vsMidBps(quote.rate, midAtQuote.rate),
})
