import { changeOf } from '~/domain/change.ts'
import { convertedAt } from '~/domain/convert.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Question, Said, Table } from './api.ts'
import { type Asked, lastSecondOf, secondsOf } from './asked.ts'
import { CompatError, type Fault } from './fault.ts'

/** The codes and types of errors that two families of APIs share. */
const ERRORS: Partial<Record<Fault, [code: number, type: string]>> = {
  key: [101, 'invalid_access_key'],
  path: [103, 'invalid_api_function'],
  quota: [104, 'usage_limit_reached'],
  none: [106, 'no_rates_available'],
  quotes: [202, 'invalid_currency_codes'],
  date: [302, 'invalid_date'],
  amount: [403, 'invalid_conversion_amount'],
  parameter: [404, 'invalid_parameter'],
  timeframe: [501, 'no_timeframe_supplied'],
  start: [502, 'invalid_start_date'],
  end: [503, 'invalid_end_date'],
  order: [504, 'invalid_time_frame'],
  range: [505, 'time_frame_too_long'],
}

/**
 * An error with `success: false`, mostly with the status 200, since its readers look at `success`
 * alone. A key and a budget have the statuses that other readers know.
 */
export function failed(
  fault: Fault,
  { message: info, status }: { readonly message: string; readonly status: number },
  baseType: string,
): [number, Said] {
  const [code, type] =
    fault === 'base' ? [201, baseType] : (ERRORS[fault] ?? [status, 'temporarily_unavailable'])
  const isPlain = !['key', 'quota', 'failure'].includes(fault)
  return [isPlain ? 200 : status, { success: false, error: { code, type, info } }]
}

/** The days from `start_date` to `end_date`, for so many currencies. */
export function timeframeOf(asked: Asked, count: number | undefined) {
  const [from, to] = [asked.text('start_date'), asked.text('end_date')]
  if (from === null || to === null)
    throw new CompatError('timeframe', 'state start_date and end_date, written as YYYY-MM-DD')
  if (asked.day(from, { fault: 'start' }) > asked.day(to, { fault: 'end' }))
    throw new CompatError('order', 'the range ends before it begins')
  return asked.range('start_date', 'end_date', count)
}

/**
 * The first and the last rate of each currency over some days, and the change of the two as shown.
 * Throws for one of `wanted` that lacks either.
 */
export function changesOf(
  days: Table['days'],
  wanted: readonly string[] | null,
  nameOf: (quote: string) => string,
) {
  const last = new Map(days.at(-1)!.rows.map(({ quote, rate }) => [quote, rate]))
  const both = days[0]!.rows.filter(({ quote }) => last.has(quote))
  const lacking = wanted?.find((code) => !both.some(({ quote }) => quote === code))
  if (lacking !== undefined)
    throw new CompatError('quotes', `${lacking} has no rate on both of these days`)
  return Object.fromEntries(
    both.map(({ quote, rate }) => {
      const [start_rate, end_rate] = [roundAmount(rate), roundAmount(last.get(quote)!)]
      const { abs: change, pct } = changeOf({ start: start_rate, end: end_rate })!
      return [nameOf(quote), { start_rate, end_rate, change, change_pct: Number(pct.toFixed(4)) }]
    }),
  )
}

/** A conversion whose response names the rate `rateName`; the fields of `dated` state its date. */
export function conversion(
  asked: Asked,
  rateName: 'rate' | 'quote',
  dated: (dayMs: number | null, atMs: number) => object | false,
): Question {
  const [from = '', to = ''] = ['from', 'to'].map((name) => asked.text(name)?.toUpperCase() ?? '')
  const date = asked.text('date')
  const dayMs = date === null ? null : asked.day(date)
  const amount = asked.amount()
  const write = ({ rows, atMs }: Table) => {
    const rate = roundAmount(rows[0]!.rate)
    const timestamp = dayMs === null ? secondsOf(atMs) : lastSecondOf(dayMs)
    return {
      ...{ success: true, query: { from, to, amount }, info: { timestamp, [rateName]: rate } },
      ...dated(dayMs, atMs),
      result: roundAmount(convertedAt(rate, amount)),
    }
  }
  const span = dayMs === null ? null : asked.on(dayMs)
  return { rates: { base: from, quotes: [to], span, bank: asked.bank(), write } }
}
