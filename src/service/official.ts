import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { invalidParameter } from '~/domain/errors.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { Mid } from '~/domain/mid.ts'
import { heldAt } from '~/domain/offer/held.ts'
import type { Provider } from '~/domain/provider.ts'
import type { StoredQuote } from '~/domain/quote.ts'
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
const AHEAD_MS = 14 * 3_600_000

/**
 * The official rates of a currency that banks stated for a date of their own, each with the mid of
 * that day; for a bank without a rate of that date the nearest earlier one.
 *
 * Throws `unsupported_currency`, and `invalid_parameter` for an unknown bank, a future date, and a
 * request that concerns too many rates.
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
  refuseFuture(view, date)
  refuseUnknown(view, providers)
  const series = seriesOf(view, { currency, to, providers })
  const found = await Promise.all(series.map((one) => rateBy(deps, view, { ...one, date })))
  return { currency, to, date, rates: found.filter((rate) => rate !== null) }
}

type Series = { readonly corridor: Corridor; readonly provider: Provider }

function seriesOf(
  view: View,
  { currency, to, providers }: Pick<OfficialQuestion, 'currency' | 'to' | 'providers'>,
): Series[] {
  const found: Series[] = []
  for (const book of view.generation.quotes.allBooks()) {
    const sides = [book.from, book.to]
    if (!sides.includes(currency) || (to !== null && !sides.includes(to))) continue
    if (!sides.every((code) => view.catalogue.currency(code))) continue
    const ids = new Set(
      [...book.allQuotes()].flatMap(({ rateType, providerId }) =>
        rateType === 'official' ? [providerId] : [],
      ),
    )
    for (const id of ids) {
      const provider = view.catalogue.anyProvider(id)
      if (provider && (providers?.includes(id) ?? true))
        found.push({ corridor: { from: book.from, to: book.to }, provider })
    }
  }
  if (found.length > SERIES_MAX)
    throw invalidParameter({
      name: 'to',
      fault: `${found.length} official rates concern ${currency}; choose one with to or provider`,
    })
  return found.sort((a, b) => compareText(a.provider.id, b.provider.id))
}

/** The rate of a series by the end of a date at the bank; null if none was stated by then. */
async function rateBy(
  deps: SnapshotDeps,
  view: View,
  { corridor, provider, date }: Series & { readonly date: string },
): Promise<OfficialRate | null> {
  const { nowMs, cutoffMs } = view.freshness
  const dayEndMs = wallMs(dateMsOf(date)! + DAY_MS, provider.timeZone ?? 'UTC')
  const then = {
    beforeMs: Math.min(dayEndMs, cutoffMs + 1),
    thenMs: Math.min(dayEndMs, nowMs),
    isLasting: true,
  }
  const sinceMs = Math.min(then.beforeMs - 1, nowMs)
  const quotes = heldAt(await quotesBefore(deps, corridor, { ...then, sinceMs }), sinceMs)
  const quote = quotes.find((one) => one.providerId === provider.id && one.rateType === 'official')
  if (!quote || !view.wasActive(provider.id, sinceMs)) return null
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
    fault: 'it lies in the future; take today or an earlier date',
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
