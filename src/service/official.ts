import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { Mid } from '~/domain/mid.ts'
import { isValidAt } from '~/domain/offer/terms.ts'
import type { Provider } from '~/domain/provider.ts'
import { newestFirst, type Quote, type StoredQuote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import { bankDateOf } from '~/domain/source/bank-date.ts'
import { wallMs } from '~/domain/source/zone.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { View } from '~/memory/view.ts'
import { midBefore, quotesBefore, type SnapshotDeps } from './snapshot.ts'
import { supportedCurrency } from './supported.ts'

/** Request for the rates of banks. */
export type OfficialQuestion = {
  readonly currency: string
  /** The other currency of the rates; null for any. */
  readonly to: string | null
  /** The ids of the banks; null for all. */
  readonly providers: readonly string[] | null
  /** The banks' own date, `YYYY-MM-DD`. */
  readonly date: string
}

/** The rate that a bank had stated by a date, in the bank's own time zone. */
export type OfficialRate = {
  readonly quote: StoredQuote
  readonly provider: Provider
  /** The bank's date of the rate; null if its time zone is not known. */
  readonly rateDate: string | null
  /** The number of days before the requested date; null if `rateDate` is. */
  readonly ageDays: number | null
  /** The mid at the end of that date at the bank; null without a recent one. */
  readonly mid: Mid | null
  readonly midAgeMs: number | null
  /** Distance of the rate above the mid, in basis points of it. */
  readonly gapBps: number | null
}

export type Official = {
  readonly currency: string
  readonly to: string | null
  readonly date: string
  /** Sorted by bank, then corridor. */
  readonly rates: readonly OfficialRate[]
}

/** Maximum series in one response. Each is looked up by itself. */
const SERIES_MAX = 200
/** No clock on earth is further ahead of UTC. */
const AHEAD_MS = 14 * HOUR_MS
/** No clock on earth is further behind UTC. */
const BEHIND_MS = 12 * HOUR_MS

/**
 * The official rates of a currency that banks stated for a date of their own, each with the mid of
 * that day; for a bank without a rate of that date the nearest earlier one.
 *
 * Throws `unsupported_currency`, and `invalid_parameter` for an unknown bank, a future date, one
 * currency on both sides, and a request that concerns too many rates.
 */
export async function officialOf(
  deps: SnapshotDeps,
  view: View,
  asked: OfficialQuestion,
): Promise<Official> {
  const { date, providers } = asked
  const { catalogue } = view
  const currency = supportedCurrency(catalogue, { name: 'currency', text: asked.currency })
  const to = asked.to && supportedCurrency(catalogue, { name: 'to', text: asked.to })
  if (to === currency)
    throw invalidParameter({ name: 'to', fault: `it is ${to} too; use another currency or none` })
  refuseFuture(view, date)
  refuseUnknown(view, providers)
  const series = await seriesOf(deps, view, { currency, to, providers, date })
  const found = await Promise.all(series.map((one) => rateBy(deps, view, { ...one, date })))
  return { currency, to, date, rates: found.filter((rate) => rate !== null) }
}

type Said = Pick<Quote, 'rateType' | 'providerId'>
type Series = { readonly corridor: Corridor; readonly provider: Provider }

/** Those with live rates, and those whose rates may have expired since the date. */
async function seriesOf(
  deps: SnapshotDeps,
  view: View,
  { currency, to, providers, date }: OfficialQuestion,
): Promise<Series[]> {
  const found = new Map<string, Series>()
  const add = ({ from, to: other }: Corridor, said: Iterable<Said>): void => {
    if (![from, other].every((code) => view.catalogue.currency(code))) return
    for (const { rateType, providerId: id } of said) {
      const provider = rateType === 'official' && view.catalogue.anyProvider(id)
      if (provider && (providers?.includes(id) ?? true))
        found.set(`${id} ${from}/${other}`, { corridor: { from, to: other }, provider })
    }
  }
  for (const book of view.generation.quotes.allBooks()) {
    const sides = [book.from, book.to]
    if (sides.includes(currency) && (to === null || sides.includes(to))) add(book, book.allQuotes())
  }
  for (const corridor of to === null ? [] : [pairOf(currency, to), pairOf(to, currency)])
    add(corridor, await quotesBefore(deps, corridor, widestDay(view, date)))
  for (const one of to === null ? await deps.store.bankSeries(currency) : [])
    add(one, [{ ...one, rateType: 'official' }])
  if (found.size > SERIES_MAX)
    throw invalidParameter({
      name: 'to',
      fault: `${found.size} official rates concern ${currency}; choose one with to or provider`,
    })
  return [...found.values()].sort(
    (a, b) =>
      compareText(a.provider.id, b.provider.id) ||
      compareText(corridorKey(a.corridor), corridorKey(b.corridor)),
  )
}

const pairOf = (from: string, to: string): Corridor => ({ from, to })

/** The time in which it is a date anywhere on earth, as far as it may be seen. */
function widestDay({ freshness: { nowMs, cutoffMs } }: View, date: string) {
  const startMs = dateMsOf(date)! - AHEAD_MS
  const beforeMs = Math.min(dateMsOf(date)! + DAY_MS + BEHIND_MS, cutoffMs + 1)
  return { sinceMs: Math.min(startMs, nowMs, beforeMs - 1), beforeMs, isLasting: true }
}

/**
 * The newest rate of a series by the end of a date at the bank, of those that were still valid when
 * it began; null if there is none.
 */
async function rateBy(
  deps: SnapshotDeps,
  view: View,
  { corridor, provider, date }: Series & { readonly date: string },
): Promise<OfficialRate | null> {
  const { nowMs, cutoffMs } = view.freshness
  const [dayMs, dayEndMs] = [0, DAY_MS].map((ms) =>
    wallMs(dateMsOf(date)! + ms, provider.timeZone ?? 'UTC'),
  ) as [number, number]
  const beforeMs = Math.min(dayEndMs, cutoffMs + 1)
  const then = { beforeMs, thenMs: Math.min(dayEndMs, nowMs), isLasting: true }
  const sinceMs = Math.min(dayMs, nowMs, beforeMs - 1)
  const [quote] = (await quotesBefore(deps, corridor, { ...then, sinceMs }))
    .filter((one) => one.providerId === provider.id && one.rateType === 'official')
    .filter((one) => isValidAt(one, sinceMs))
    .sort(newestFirst)
  if (!quote || !view.wasActive(provider.id, Math.min(beforeMs - 1, nowMs))) return null
  const rateDate = bankDateOf(quote, provider)
  const mid = await midBefore(deps, view, { ...then, corridor })
  return {
    quote,
    provider,
    rateDate,
    ageDays: rateDate === null ? null : (dateMsOf(date)! - dateMsOf(rateDate)!) / DAY_MS,
    mid,
    midAgeMs: mid && then.beforeMs - mid.atMs,
    gapBps: mid && vsMidBps(quote.rate, mid.rate),
  }
}

function refuseFuture(view: View, date: string): void {
  if (dateMsOf(date)! - AHEAD_MS <= view.freshness.nowMs) return
  throw invalidParameter({
    name: 'date',
    fault: 'it is in the future; use today or an earlier date',
  })
}

function refuseUnknown(view: View, providers: readonly string[] | null): void {
  const unknown = providers?.find((id) => !view.catalogue.anyProvider(id))
  if (unknown === undefined) return
  throw invalidParameter({
    name: 'provider',
    fault: 'it names a provider that does not exist; GET /providers lists them',
  })
}
