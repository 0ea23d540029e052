import { DAY_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Freshness, Tier } from '~/domain/freshness.ts'
import type { Backing, Mid } from '~/domain/mid.ts'
import { isFeeStated } from '~/domain/offer/fee.ts'
import type { Provider } from '~/domain/provider.ts'
import { dayOf } from '~/domain/quota.ts'
import type { Quote } from '~/domain/quote.ts'
import { roundAmount, roundBps } from '~/domain/round.ts'
import { bankDateOf } from '~/domain/source/bank-date.ts'
import type { AgedQuote } from '~/memory/corridor-view.ts'

const numerals = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(i).padStart(String(count - 1).length, '0'))

const TWO_DIGITS = numerals(60)
const THREE_DIGITS = numerals(1000)

let knownDay = Number.NaN
let knownDate = ''

/**
 * A time as an ISO-8601 string in UTC, with milliseconds. Throws a RangeError for an invalid time.
 *
 * The date is formatted once for all times of a day: pages of history hold hundreds.
 */
export function iso(ms: number): string {
  const day = dayOf(ms)
  if (day !== knownDay) {
    knownDate = new Date(day * DAY_MS).toISOString().slice(0, -TIME_LENGTH)
    knownDay = day
  }
  const rest = Math.floor(ms - day * DAY_MS)
  const minutes = Math.floor(rest / MINUTE_MS)
  const hour = TWO_DIGITS[Math.floor(minutes / 60)]
  const second = TWO_DIGITS[Math.floor(rest / 1000) % 60]
  return `${knownDate}${hour}:${TWO_DIGITS[minutes % 60]}:${second}.${THREE_DIGITS[rest % 1000]}Z`
}

const TIME_LENGTH = '00:00:00.000Z'.length

/** The field of `sampleFields`; none for real prices. */
export const presentSample = (isSample: boolean | undefined): { sample?: true } =>
  isSample ? { sample: true } : {}

/** The closing fields of every response with a tier; `as_of` only for the hourly one. */
export function presentFreshness({ tier, nowMs, cutoffMs, isSample }: Freshness) {
  return {
    timestamp: iso(nowMs),
    ...presentSample(isSample),
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(cutoffMs) }),
  }
}

/** The last string of each tier: under load many responses fall into one millisecond. */
const stamped: Record<Tier, { nowMs: number; isSample: boolean | undefined; text: string }> = {
  hourly: { nowMs: Number.NaN, isSample: false, text: '' },
  realtime: { nowMs: Number.NaN, isSample: false, text: '' },
}

/** The fields of `presentFreshness` as a string, byte for byte, up to the end of the body. */
export function freshnessText({ tier, nowMs, cutoffMs, isSample }: Freshness): string {
  const last = stamped[tier]
  if (last.nowMs !== nowMs || last.isSample !== isSample) {
    const asOf = tier === 'hourly' ? `,"as_of":"${iso(cutoffMs)}"` : ''
    const sample = isSample ? ',"sample":true' : ''
    last.text = `"timestamp":"${iso(nowMs)}"${sample},"data_freshness":"${tier}"${asOf}}`
    last.nowMs = nowMs
    last.isSample = isSample
  }
  return last.text
}

/** The fields of `priceFields`. */
export const presentPrice = ({ rate, fee, feeCurrency }: Quote) => ({
  rate: roundAmount(rate),
  fee: fee === null ? null : roundAmount(fee),
  fee_currency: feeCurrency,
})

/** The fields of `ageFields`. */
export const presentAge = ({ quote, isStale }: AgedQuote) => ({
  last_updated: iso(quote.atMs),
  is_stale: isStale,
})

/** The field of `rateDateField`, if the quote has such a date. */
export function presentRateDate(
  quote: Quote,
  provider: Pick<Provider, 'timeZone'>,
): { rate_date?: string } {
  const date = bankDateOf(quote, provider)
  return date === null ? {} : { rate_date: date }
}

/** The fields of `standingFields`. */
export const presentStanding = (quote: Quote) => ({
  fee_stated: isFeeStated(quote),
  evidence: quote.evidence,
})

/** The fields of `backingFields`. */
export const presentBacking = ({ basis, dispersionBps }: Backing) => ({
  basis,
  ...(dispersionBps !== null && { dispersion_bps: roundBps(dispersionBps) }),
})

/** The fields of `midFields`, or none of them without a mid. */
export function presentMid(mid: Mid | null) {
  if (!mid) return {}
  return {
    mid_rate: roundAmount(mid.rate),
    mid_source: mid.source,
    mid_fetched_at: iso(mid.atMs),
    mid_basis: mid.basis,
    ...(mid.dispersionBps !== null && { mid_dispersion_bps: roundBps(mid.dispersionBps) }),
  }
}
