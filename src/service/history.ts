import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { invalidParameter, type ServiceError } from '~/domain/errors.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { byPlace, type PageAsk, spreadsThen, supersededAmong } from '~/domain/history.ts'
import type { Recorder } from '~/domain/observation.ts'
import {
  type FilterName,
  NO_FILTERS,
  type OfferFilters,
  unspecifiedOf,
} from '~/domain/offer/filter.ts'
import { ALWAYS_MS, type Period, periodStartMs } from '~/domain/period.ts'
import { legsOf } from '~/domain/price/day-mids.ts'
import type { Suspicion } from '~/domain/price/suspect.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Quote, RecordedQuote } from '~/domain/quote.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import type { View } from '~/memory/view.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { type Suspects, type SuspectsDeps, suspectsAmong } from './past-suspects.ts'
import { quotesBytes, referenceSources, whoSaid } from './snapshot.ts'
import { supportedCorridor } from './supported.ts'

type HistoryStore = SuspectsDeps['store'] & {
  /** A page of history in `order` of time and id, of one provider or of all, by the filters. */
  page(ask: PageAsk): Promise<readonly RecordedQuote[]>
  /** Accounts and keys by the ids under which they recorded. */
  recorders(ids: readonly number[]): Promise<ReadonlyMap<number, Recorder>>
}

export type HistoryDeps = { readonly store: HistoryStore; readonly windows: WindowCache }

export type HistoryQuestion = Corridor &
  Pick<PageAsk, 'order' | 'limit' | 'offset'> & {
    readonly period: Period
    readonly provider: string | null
    readonly filters?: OfferFilters
    readonly isWithWithdrawn?: boolean
    /** The end of the window if it is not now. */
    readonly untilMs: number | null
  }

export type HistoryPoint = {
  readonly quote: RecordedQuote
  /** Says whether another of the same offer and time was recorded after it, which applies. */
  readonly isSuperseded: boolean
  /** The account that recorded it; only for operators, and if known. */
  readonly recordedBy?: Recorder & { readonly email: string | null }
  readonly provider: Provider
  /**
   * Distance of a quote below the best of its kind at its time, of those that fit the filters; null
   * if its provider was not active then, or if computing it would take reading more than
   * `RIVALS_MAX` observations.
   */
  readonly spreadBps: number | null
  /** Distance from the mid of its time, if that makes it suspect; else null. */
  readonly suspect: Suspicion | null
  /** The requested filters that its offer does not state. */
  readonly unspecified: readonly FilterName[]
}

export type History = {
  readonly corridor: Corridor
  readonly fromMs: number
  readonly toMs: number
  readonly hasMore: boolean
  readonly points: readonly HistoryPoint[]
}

/** The maximum number of observations that are read to rank a page that leaves out some of them. */
const RIVALS_MAX = 20_000

/**
 * The observations of a corridor as they were recorded, including those of providers switched off
 * since.
 *
 * The window ends at `untilMs`, or now, and never past the tier's cutoff; it includes both ends. It
 * starts the period before the hour of its end, so that what is recorded between one page and the
 * next, at the end, moves nothing on pages in ascending order. Throws `unsupported_currency`,
 * `same_currency`, and `invalid_parameter` for an unknown provider or a future end.
 */
export async function historyOf(
  deps: HistoryDeps,
  view: View,
  question: HistoryQuestion,
): Promise<History> {
  const { filters = NO_FILTERS } = question
  const corridor = supportedCorridor(view.catalogue, question, question.filters)
  assertProvider(view, question.provider)
  const { nowMs, cutoffMs, tier } = view.freshness
  const { untilMs, limit } = question
  if (untilMs !== null && untilMs > nowMs) throw futureEnd()
  const toMs = Math.min(untilMs ?? nowMs, cutoffMs)
  const fromMs = periodStartMs(question.period, hourStartMs(toMs))
  const ask: PageAsk = {
    corridor,
    fromMs,
    beforeMs: toMs + 1,
    providerId: question.provider,
    filters,
    ...(question.isWithWithdrawn && { isWithWithdrawn: true }),
    order: question.order,
    limit: limit + 1,
    offset: question.offset,
  }
  const isLasting = tier === 'hourly' || untilMs !== null
  const read = () => pageOf(deps, view, ask)
  const page = await (isLasting ? keptPage(deps, view, { ask, read }) : read())
  const { quotes, spreads, suspects, superseded } = page
  const points = quotes.slice(0, limit).map((quote) => ({
    quote,
    isSuperseded: superseded.has(quote.id),
    provider: whoSaid(view, quote),
    spreadBps: spreads.get(quote.id) ?? null,
    suspect: suspects.get(quote.id) ?? null,
    unspecified: unspecifiedOf({ quote }, filters) ?? [],
  }))
  return { corridor, fromMs, toMs, hasMore: quotes.length > limit, points }
}

/** The history with the accounts and keys that recorded each observation, for operators. */
export async function withRecorders(
  { store }: HistoryDeps,
  keys: KeyIndex,
  history: History,
): Promise<History> {
  const ids = new Set(history.points.flatMap(({ quote }) => quote.recorderId ?? []))
  const recorders = await store.recorders([...ids])
  const points = history.points.map((point) => {
    const recorder = recorders.get(point.quote.recorderId ?? 0)
    if (!recorder) return point
    const email = keys.account(recorder.accountId)?.email ?? null
    return { ...point, recordedBy: { ...recorder, email } }
  })
  return { ...history, points }
}

function assertProvider(view: View, provider: string | null): void {
  if (provider === null || view.catalogue.anyProvider(provider)) return
  throw invalidParameter({
    name: 'provider',
    fault: 'no provider has that id; the list of providers has the active ones',
  })
}

const futureEnd = (): ServiceError =>
  invalidParameter({
    name: 'until',
    fault: 'it is in the future; leave it out to end with now',
  })

type Page = {
  readonly quotes: readonly RecordedQuote[]
  readonly spreads: ReturnType<typeof spreadsThen>
  readonly suspects: Suspects
  readonly superseded: ReadonlySet<number>
}

function keptPage(
  { windows }: HistoryDeps,
  { catalogue: { anchors } }: View,
  { ask, read }: { readonly ask: PageAsk; readonly read: () => Promise<Page> },
): Promise<Page> {
  const { corridor, providerId, filters, order, limit, offset, fromMs, beforeMs } = ask
  const name = corridorKey(corridor)
  const { from, to } = corridor
  return windows.answer({
    key:
      `page ${name} ${order} ${limit} ${offset} ${fromMs} ${beforeMs} ${providerId ?? ''} ` +
      `${anchors.text(from)}/${anchors.text(to)} ` +
      `${ask.isWithWithdrawn ? 'all ' : ''}${filtersText(filters)}`,
    sources: [
      { of: name, fromMs: ALWAYS_MS, beforeMs },
      ...referenceSources(legsOf([from, to], anchors), beforeMs),
    ],
    ask: read,
    bytesOf: ({ quotes, spreads }) => quotesBytes(quotes) + spreads.size * SPREAD_BYTES,
  })
}

const SPREAD_BYTES = 50

async function pageOf(deps: HistoryDeps, view: View, ask: PageAsk): Promise<Page> {
  const quotes = await deps.store.page(ask)
  const [first, last] = endsOf(quotes)
  if (!first || !last) return { quotes, ...NO_FIGURES }
  const { corridor, filters = NO_FILTERS } = ask
  const kept = quotes.filter(({ withdrawn }) => !withdrawn)
  const { standing, said } = await rivalsOf(deps, ask, { quotes, first, last })
  const [ofStanding, ofSaid] = await Promise.all(
    [standing, [...quotes, ...(said ?? [])]].map((all) =>
      suspectsAmong(deps, view, { corridor, quotes: all }),
    ),
  )
  const suspects = new Map([...ofStanding!, ...ofSaid!])
  const others = [...standing, ...(said ?? [])]
  const rules = {
    activityOf: view.catalogue.activityOf,
    fits: (quote: Quote) => unspecifiedOf({ quote }, filters) !== null,
    isSuspect: ({ id }: Quote) => suspects.has(id),
  }
  return {
    quotes,
    suspects,
    spreads: said ? spreadsThen(kept, others, rules) : new Map(),
    superseded: supersededAmong(kept, others),
  }
}

const NO_FIGURES = { spreads: new Map(), suspects: new Map(), superseded: new Set<number>() }

type Rivals = {
  /** Quotes in force at the first time of a page, and at its last if that is needed. */
  readonly standing: readonly Quote[]
  /** Other quotes from the first to the last time; null for too many of them. */
  readonly said: readonly Quote[] | null
}

/** Quotes among which those of a page are ranked, besides each other. */
async function rivalsOf(
  { store }: HistoryDeps,
  ask: PageAsk,
  { quotes, first, last }: { quotes: readonly Quote[]; first: Quote; last: Quote },
): Promise<Rivals> {
  const { filters = NO_FILTERS } = ask
  const standingAt = async (edges: readonly Quote[]) => {
    const found = edges.map(({ atMs }) =>
      store.standing(ask.corridor, { sinceMs: atMs, beforeMs: atMs + 1 }),
    )
    return (await Promise.all(found)).flat()
  }
  if (ask.providerId === null && filters.deliveryMaxMs === null)
    return { standing: await standingAt(isWhole(quotes, ask) ? [first] : [first, last]), said: [] }
  const [standing, said] = await Promise.all([
    standingAt([first]),
    store.page({
      corridor: ask.corridor,
      providerId: null,
      filters: { ...filters, deliveryMaxMs: null },
      order: 'asc',
      fromMs: first.atMs,
      beforeMs: last.atMs + 1,
      limit: RIVALS_MAX + 1,
      offset: 0,
    }),
  ])
  if (said.length <= RIVALS_MAX) return { standing, said }
  return { standing: [...standing, ...(await standingAt([last]))], said: null }
}

/** Identifies filters; the shortest string for none, the commonest case. */
const filtersText = (filters?: OfferFilters): string =>
  filters === undefined || filters === NO_FILTERS ? '' : JSON.stringify(filters)

/**
 * Reports whether a page has every quote of its latest instant. In ascending order the quote after
 * the page decides, which is read but not shown.
 */
function isWhole(quotes: readonly Quote[], { order, limit, offset }: PageAsk): boolean {
  if (order === 'desc') return offset === 0
  return quotes.length < limit || quotes.at(-1)!.atMs !== quotes.at(-2)?.atMs
}

/** The earliest and the latest quote of a page, whatever its order. */
function endsOf(quotes: readonly Quote[]): [Quote | undefined, Quote | undefined] {
  const a = quotes[0]
  const b = quotes.at(-1)
  return a && b && byPlace(a, b) > 0 ? [b, a] : [a, b]
}
