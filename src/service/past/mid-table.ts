import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Window } from '~/domain/period.ts'
import { legsOf } from '~/domain/price/day-mids.ts'
import { bucketStartsMs, type Interval } from '~/domain/series.ts'
import type { View } from '~/memory/view.ts'
import type { FeedTimes } from '~/service/fetch.ts'
import { fetchMatrix } from '~/service/fetch.ts'
import { officialOf } from '~/service/official.ts'
import { type SeriesDeps, worthOf } from '~/service/series.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { type BucketWorth, worthsOf } from './bucket-worths.ts'

export type TableDeps = {
  readonly past: SeriesDeps & SnapshotDeps
  readonly feedTimes?: FeedTimes
}

/** Value of one unit of the base in another currency, and the time when it was last published. */
type MidRow = { readonly quote: string; readonly rate: number; readonly atMs: number }

/** The rows of a bucket of time, in alphabetical order of their currencies. */
export type MidRows = { readonly startMs: number; readonly rows: readonly MidRow[] }

export type TableAsk = {
  /** Supported currencies. */
  readonly base: string
  readonly quotes: readonly string[]
  /** Says whether `quotes` are all currencies, of which those pegged to the dollar make no list. */
  readonly isAll?: boolean
  /** The requested days, weeks or months; null for the current mids. */
  readonly span: (Window & { readonly interval: Interval }) | null
  /** The central bank whose official rates replace the mids. */
  readonly bank: string | null
}

/** The time for which a day without a mid shows the one before it. */
const CARRIED_MS = 14 * DAY_MS
const LEGS_AT_ONCE = 6

/**
 * The mids of one base in other currencies: now, as `fetchMatrix` has them, or the last ones of
 * each bucket, as `seriesOf` has them, of which none is older than two weeks at its start. A
 * currency without a mid has no row.
 */
export function midTable(deps: TableDeps, view: View, ask: TableAsk): Promise<readonly MidRows[]> {
  const { span, bank } = ask
  if (bank !== null) return officialTable(deps, view, { ...ask, bank })
  return span
    ? pastTable(deps, view, { ...ask, span })
    : Promise.resolve([liveTable(deps, view, ask)])
}

/**
 * Throws `mid_unavailable` while no currency at all has a recent reference and one of `quotes` has
 * no mid: a list of what is pegged to the dollar would pass for all that there is.
 */
function liveTable({ feedTimes }: TableDeps, view: View, { base, quotes }: TableAsk): MidRows {
  const { nowMs, cutoffMs } = view.freshness
  const atMs = Math.min(nowMs, cutoffMs)
  view.basis.lastUntil(nowMs - (nowMs % DAY_MS) + DAY_MS - 1)
  const rows = quotes.flatMap((quote) => {
    if (quote === base) return view.isFiat(base) ? [{ quote, rate: 1, atMs }] : []
    const mid = view.mid(base, quote)
    return mid ? [{ quote, rate: mid.rate, atMs: mid.atMs }] : []
  })
  const priced = new Set(rows.map(({ quote }) => quote))
  const unpriced = quotes.filter((quote) => quote !== base && !priced.has(quote))
  if (unpriced.length > 0) fetchMatrix(view, { from: [base], to: unpriced }, feedTimes)
  return { startMs: atMs - (atMs % DAY_MS), rows }
}

type PastAsk = TableAsk & { readonly span: NonNullable<TableAsk['span']> }

async function pastTable({ past }: TableDeps, view: View, ask: PastAsk) {
  const { base, quotes, isAll, span } = ask
  const { anchors } = view.catalogue
  const reachMs = view.freshness.cutoffMs + 1
  const codes = [base, ...quotes].filter((code) => view.isFiat(code))
  const legs = legsOf(codes, anchors)
  const worths = new Map<string, readonly (BucketWorth | null)[]>()
  const next = legs.values()
  const lookUp = async () => {
    for (const leg of next) worths.set(leg, await worthsOf(past, view, { ...span, leg, reachMs }))
  }
  await Promise.all(Array.from({ length: LEGS_AT_ONCE }, lookUp))
  const worth = (code: string, i: number) =>
    worthOf(anchors, code, (leg) => worths.get(leg)?.[i] ?? null)
  return bucketStartsMs(span, span.interval)
    .map((startMs, i) => {
      const from = codes[0] === base ? worth(base, i) : null
      const rows = quotes.flatMap((quote) => {
        const to = from && codes.includes(quote) ? worth(quote, i) : null
        if (!from || !to) return []
        const saidMs = Math.min(from.atMs, to.atMs)
        if (saidMs < startMs - CARRIED_MS) return []
        const rate = quote === base ? 1 : to.perUsd / from.perUsd
        return [{ quote, rate, atMs: saidMs }]
      })
      const isPegsAlone =
        isAll && rows.length < quotes.length && !rows.some(({ atMs }) => Number.isFinite(atMs))
      return { startMs, rows: isPegsAlone ? [] : rows.map((row) => dated(row, startMs)) }
    })
    .filter(({ startMs }) => startMs < reachMs)
}

/** What needs no reference is of the day itself. */
const dated = (row: MidRow, startMs: number): MidRow =>
  Number.isFinite(row.atMs) ? row : { ...row, atMs: startMs }

async function officialTable(
  { past }: TableDeps,
  view: View,
  { base, quotes, span, bank }: TableAsk & { readonly bank: string },
): Promise<readonly MidRows[]> {
  const startMs = span?.fromMs ?? view.freshness.nowMs
  const date = new Date(startMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
  const { rates } = await officialOf(past, view, {
    ...{ currency: base, to: null, providers: [bank], date },
  })
  const rows = rates.flatMap(({ quote: { from, to, rate, atMs } }) => {
    const pair: Corridor = from === base ? { from, to } : { from: to, to: from }
    const isAsked = quotes.includes(pair.to)
    return isAsked ? [{ quote: pair.to, rate: from === base ? rate : 1 / rate, atMs }] : []
  })
  return [{ startMs, rows: rows.sort((a, b) => (a.quote < b.quote ? -1 : 1)) }]
}
