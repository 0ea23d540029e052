import { convertedAt } from '~/domain/convert.ts'
import { roundAmount } from '~/domain/round.ts'
import { type Api, namesOf, type Question, type Table } from './api.ts'
import { type Asked, dateOf } from './asked.ts'
import { CompatError } from './fault.ts'

const DATE = '(\\d{4}-\\d{2}-\\d{2})'
const ONE = /^(?:v1\/)?(latest|current|[\d-]{10})$/
const RANGE = new RegExp(`^(?:v1/)?${DATE}\\.\\.${DATE}?$`)
const MESSAGES = {
  quotes: 'not found',
  base: 'not found',
  none: 'not found',
  path: 'not found',
  range: 'invalid date range',
} as const

/** Version 1 of Frankfurter, with and without `v1` in its path. https://frankfurter.dev/v1/ */
export const frankfurterV1: Api = {
  name: 'frankfurter',
  isLenient: true,
  question(asked) {
    if (asked.match(/^(?:v1)?\/?$/))
      return { said: { version: 'v1', docs: 'https://frankfurter.dev' } }
    if (asked.match(/^(?:v1\/)?currencies$/)) return { currencies: namesOf }
    const range = asked.match(RANGE)
    if (range) return rangeOf(asked, range)
    const [day] = asked.match(ONE) ?? []
    if (!day) throw new CompatError('path', 'not found')
    const isNow = day === 'latest' || day === 'current'
    const span = isNow ? null : asked.on(asked.day(day, { isLateFine: true }))
    const { amount, ...common } = commonOf(asked)
    const write = ({ base, rows, atMs }: Table) => ({
      ...{ amount, base, date: dateOf(atMs), rates: ratesOf(rows, base, amount) },
    })
    return { rates: { ...common, span, write } }
  },
  error(fault, { message, status }) {
    const known = MESSAGES[fault as keyof typeof MESSAGES]
    const own = known === 'not found' ? 404 : fault === 'failure' || status > 400 ? status : 422
    return [own, { message: known ?? message, ...(known && { detail: message }) }]
  },
}

function commonOf(asked: Asked) {
  const base = asked.text('base', 'from')?.toUpperCase() ?? 'EUR'
  const quotes = asked.codes('symbols', 'to')
  if (quotes?.length === 1 && quotes[0] === base)
    throw new CompatError('parameter', 'bad currency pair')
  return { base, quotes, amount: asked.amount(), bank: asked.bank() }
}

function rangeOf(asked: Asked, [from, to]: readonly (string | undefined)[]): Question {
  const { amount, ...common } = commonOf(asked)
  const fromMs = asked.day(from!, { isLateFine: true })
  const toMs = to ? asked.day(to, { isLateFine: true }) : asked.today
  const span = asked.between([fromMs, toMs], { count: common.quotes?.length })
  const write = ({ base, days }: Table) => {
    const own = days.filter(({ startMs, rows }) =>
      rows.some(({ quote, atMs }) => quote !== base && atMs >= startMs),
    )
    if (own.length === 0) throw new CompatError('none', 'there is no mid in this range')
    const [first, last] = [own[0]!, own.at(-1)!]
    return {
      ...{ amount, base, start_date: dateOf(first.startMs), end_date: dateOf(last.startMs) },
      rates: Object.fromEntries(
        own.map(({ startMs, rows }) => [dateOf(startMs), ratesOf(rows, base, amount)]),
      ),
    }
  }
  return { rates: { ...common, span, write } }
}

const ratesOf = (rows: Table['rows'], base: string, amount: number) =>
  Object.fromEntries(
    rows.flatMap(({ quote, rate }) =>
      quote === base ? [] : [[quote, roundAmount(convertedAt(roundAmount(rate), amount))]],
    ),
  )
