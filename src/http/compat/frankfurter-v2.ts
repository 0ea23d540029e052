import { roundAmount } from '~/domain/round.ts'
import type { Interval } from '~/domain/series.ts'
import type { Api, Question, Table } from './api.ts'
import { type Asked, dateOf } from './asked.ts'
import { CompatError } from './fault.ts'

const GROUPS: ReadonlyMap<string, Interval> = new Map([
  ['week', 'P1W'],
  ['month', 'P1M'],
])
const COMMON = ['base', 'kind', 'bank', 'app_id', 'access_key', 'apikey']
const NDJSON = 'application/x-ndjson'

type Row = {
  readonly date: string
  readonly base: string
  readonly quote: string
  readonly rate: number
}

/** Version 2 of Frankfurter: flat rows, each with its own date. https://frankfurter.dev/ */
export const frankfurterV2: Api = {
  name: 'frankfurter',
  question(asked) {
    const [pairBase, pairQuote] = asked.match(/^v2\/rate\/(\w+)\/(\w+)$/) ?? []
    if (pairBase && pairQuote) return pairOf(asked, pairBase, pairQuote)
    const [form] = asked.match(/^v2\/rates(\.csv)?$/) ?? [null]
    if (form !== null) return ratesOf(asked, form === '.csv')
    if (!asked.match(/^v2\/currencies$/)) throw new CompatError('path', 'not found')
    return { currencies: (all) => all.map(({ code, name }) => ({ iso_code: code, name })) }
  },
  error(fault, { message, status: own }) {
    const isBad = !['key', 'quota', 'path', 'failure'].includes(fault)
    const status = fault === 'none' ? 404 : isBad ? 422 : own
    return [status, { status, message: fault === 'path' ? 'not found' : message }]
  },
}

function pairOf(asked: Asked, base: string, quote: string): Question {
  asked.only([...COMMON, 'date'])
  const date = asked.text('date')
  const span = date === null ? null : asked.on(asked.day(date, { isLateFine: true }))
  const write = (table: Table) => rowsOf(table)[0]!
  return {
    rates: {
      ...{
        base: base.toUpperCase(),
        quotes: [quote.toUpperCase()],
        span,
        bank: asked.bank(),
        write,
      },
    },
  }
}

function ratesOf(asked: Asked, isCsv: boolean): Question {
  asked.only([...COMMON, 'quotes', 'date', 'from', 'to', 'group'])
  const base = asked.text('base')?.toUpperCase() ?? 'EUR'
  const quotes = asked.codes('quotes')
  const span = spanOf(asked, quotes?.length)
  const isLines = asked.accept?.includes(NDJSON) ?? false
  const write = (table: Table) => {
    const rows = rowsOf(table, asked.has('from'))
    if (isCsv) return ['date,base,quote,rate', ...rows.map(cellsOf), ''].join('\n')
    return isLines ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : rows
  }
  return {
    rates: { base, quotes, span, bank: asked.bank(), write, empty: isCsv || isLines ? '' : [] },
  }
}

function spanOf(asked: Asked, count: number | undefined) {
  const [date, from, to, group] = ['date', 'from', 'to', 'group'].map((name) => asked.text(name))
  if (date && (from || to)) throw new CompatError('parameter', 'conflicting params')
  const interval = group ? GROUPS.get(group) : undefined
  if (group && !(interval && from)) throw new CompatError('parameter', 'invalid group')
  const day = (text: string) => asked.day(text, { isLateFine: true })
  if (date) return asked.on(day(date))
  if (!from && !to) return null
  if (!from) throw new CompatError('parameter', 'to needs from')
  const ends = [day(from), to ? day(to) : asked.today] as const
  return asked.between(ends, { ...(interval && { interval }), ...(count && { count }) })
}

/** A bucket of a range without a mid of its own has no row, so that each date is there once. */
const rowsOf = ({ base, days }: Table, isRange = false): Row[] =>
  days.flatMap(({ startMs, rows }) =>
    rows.flatMap(({ quote, rate, atMs }) =>
      isRange && atMs < startMs
        ? []
        : [{ date: dateOf(atMs), base, quote, rate: roundAmount(rate) }],
    ),
  )

const cellsOf = ({ date, base, quote, rate }: Row): string => [date, base, quote, rate].join()
