import { convertedAt } from '~/domain/convert.ts'
import type { Quota } from '~/domain/quota.ts'
import { roundAmount } from '~/domain/round.ts'
import { type Api, namesOf, type Question, ratesBy, type Table } from './api.ts'
import { type Asked, dateOf, lastSecondOf, secondsOf } from './asked.ts'
import { CompatError, type Fault } from './fault.ts'

const NOTES = {
  disclaimer: 'Mid-market rates of Corridor, for information only; no provider sells at them.',
  license: 'The terms of this service; its documentation names the sources.',
}
const INDENT = 2

const ERRORS: Partial<Record<Fault, [status: number, message: string]>> = {
  key: [401, 'invalid_app_id'],
  quota: [429, 'access_restricted'],
  path: [404, 'not_found'],
  base: [400, 'invalid_base'],
  quotes: [400, 'invalid_currency'],
  date: [400, 'invalid_date'],
  range: [400, 'invalid_date_range'],
  none: [400, 'not_available'],
  amount: [400, 'invalid_value'],
  parameter: [400, 'bad_request'],
}

/** Open Exchange Rates. https://docs.openexchangerates.org/reference */
export const openExchangeRates: Api = {
  name: 'openexchangerates',
  isLenient: true,
  indent: (asked) => (/^(0|false)$/.test(asked.text('prettyprint') ?? '') ? undefined : INDENT),
  question(asked) {
    if (asked.match(/^(?:api\/)?currencies\.json$/)) return { currencies: namesOf }
    if (asked.match(/^(?:api\/)?usage\.json$/)) return { usage }
    if (asked.match(/^(?:api\/)?latest\.json$/)) return latest(asked)
    const [date] = asked.match(/^(?:api\/)?historical\/([^/]+)\.json$/) ?? []
    if (date) return historical(asked, date)
    if (asked.match(/^(?:api\/)?time-series\.json$/)) return series(asked)
    const convert = asked.match(/^(?:api\/)?convert\/([\d.]+)\/(\w+)\/(\w+)$/)
    if (convert) return conversion(asked, convert as [string, string, string])
    throw new CompatError('path', 'this path does not exist')
  },
  error(fault, { message: description, status: own }) {
    const [status, message] = ERRORS[fault] ?? [own, 'unavailable']
    return [status, { error: true, status, message, description }]
  },
}

const commonOf = (asked: Asked) => asked.common({ base: 'base', codes: 'symbols', usual: 'USD' })

const latest = (asked: Asked): Question => ({
  rates: {
    ...{ ...commonOf(asked), span: null },
    write: (table) => ({ ...NOTES, timestamp: secondsOf(table.atMs), ...ratesOf(table) }),
  },
})

function historical(asked: Asked, date: string): Question {
  const dayMs = asked.day(date)
  const write = (table: Table) => ({
    ...{ ...NOTES, timestamp: lastSecondOf(dayMs), ...ratesOf(table) },
  })
  return { rates: { ...commonOf(asked), span: asked.on(dayMs), write } }
}

function series(asked: Asked): Question {
  const common = commonOf(asked)
  const { dates, span } = asked.range('start', 'end', common.quotes?.length)
  const write = ({ base, days }: Table) => ({
    ...{ ...NOTES, ...dates, base },
    rates: Object.fromEntries(days.map(({ startMs, rows }) => [dateOf(startMs), ratesBy(rows)])),
  })
  return { rates: { ...common, span, write } }
}

function conversion(asked: Asked, [value, from, to]: readonly [string, string, string]): Question {
  const amount = asked.amount(value)
  const write = ({ rows, atMs }: Table) => {
    const rate = roundAmount(rows[0]!.rate)
    const request = { query: `/convert/${value}/${from}/${to}`, amount, from, to }
    const meta = { timestamp: secondsOf(atMs), rate }
    return { ...NOTES, request, meta, response: roundAmount(convertedAt(rate, amount)) }
  }
  const [base, quote] = [from.toUpperCase(), to.toUpperCase()]
  return { rates: { base, quotes: [quote], span: null, bank: asked.bank(), write } }
}

function usage({ limit, remaining }: Quota) {
  const features = {
    base: true,
    symbols: true,
    experimental: false,
    'time-series': true,
    convert: true,
  }
  const plan = {
    name: 'Corridor',
    quota: `${limit} requests / day`,
    update_frequency: '3600s',
    features,
  }
  const used = limit - remaining
  const requests = { requests: used, requests_quota: limit, requests_remaining: remaining }
  const days = { days_elapsed: 0, days_remaining: 1, daily_average: used }
  return { status: 200, data: { status: 'active', plan, usage: { ...requests, ...days } } }
}

const ratesOf = ({ base, rows }: Table) => ({ base, rates: ratesBy(rows) })
