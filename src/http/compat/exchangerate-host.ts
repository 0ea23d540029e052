import { roundAmount } from '~/domain/round.ts'
import type { Api, Question, Table } from './api.ts'
import { type Asked, dateOf, lastSecondOf, secondsOf } from './asked.ts'
import { CompatError } from './fault.ts'
import { changesOf, failed } from './success.ts'

/** exchangerate.host, whose form currencylayer has too. https://exchangerate.host/documentation */
export const exchangerateHost: Api = {
  name: 'exchangerate-host',
  question(asked) {
    if (asked.match(/^(?:api\/)?live$/)) return live(asked)
    if (asked.match(/^(?:api\/)?historical$/)) return historical(asked)
    if (asked.match(/^(?:api\/)?convert$/)) return conversion(asked)
    if (asked.match(/^(?:api\/)?timeframe$/)) return timeframe(asked)
    if (asked.match(/^(?:api\/)?change$/)) return changed(asked)
    if (!asked.match(/^(?:api\/)?list$/))
      throw new CompatError('path', 'this API function does not exist')
    return {
      currencies: (all) => ({
        success: true,
        currencies: Object.fromEntries(all.map(({ code, name }) => [code, name])),
      }),
    }
  },
  error: (fault, error) => failed(fault, error, 'invalid_source_currency'),
}

const commonOf = (asked: Asked) => ({
  base: asked.text('source')?.toUpperCase() ?? 'USD',
  quotes: asked.codes('currencies'),
  bank: asked.bank(),
})

const live = (asked: Asked): Question => ({
  rates: {
    ...{ ...commonOf(asked), span: null },
    write: (table) => ({ success: true, timestamp: secondsOf(table.atMs), ...quotesOf(table) }),
  },
})

function historical(asked: Asked): Question {
  const dayMs = asked.day(asked.text('date'))
  const dated = { historical: true, date: dateOf(dayMs), timestamp: lastSecondOf(dayMs) }
  const write = (table: Table) => ({ success: true, ...dated, ...quotesOf(table) })
  return { rates: { ...commonOf(asked), span: asked.on(dayMs), write } }
}

function conversion(asked: Asked): Question {
  const [from = '', to = ''] = ['from', 'to'].map((name) => asked.text(name)?.toUpperCase() ?? '')
  const date = asked.text('date')
  const dayMs = date === null ? null : asked.day(date)
  const amount = asked.amount()
  const write = ({ rows, atMs }: Table) => {
    const quote = roundAmount(rows[0]!.rate)
    return {
      ...{ success: true, query: { from, to, amount } },
      info: { timestamp: dayMs === null ? secondsOf(atMs) : lastSecondOf(dayMs), quote },
      ...(dayMs !== null && { historical: true, date: dateOf(dayMs) }),
      result: roundAmount(amount * quote),
    }
  }
  const span = dayMs === null ? null : asked.on(dayMs)
  return { rates: { base: from, quotes: [to], span, bank: asked.bank(), write } }
}

function rangeOf(asked: Asked) {
  const common = commonOf(asked)
  const ends = [asked.day(asked.text('start_date')), asked.day(asked.text('end_date'))] as const
  const dates = { start_date: dateOf(ends[0]), end_date: dateOf(ends[1]) }
  return { common, dates, span: asked.between(ends, { count: common.quotes?.length }) }
}

function timeframe(asked: Asked): Question {
  const { common, dates, span } = rangeOf(asked)
  const write = ({ base, days }: Table) => ({
    ...{ success: true, timeframe: true, ...dates, source: base },
    quotes: Object.fromEntries(
      days.map(({ startMs, rows }) => [dateOf(startMs), named(base, rows)]),
    ),
  })
  return { rates: { ...common, span, write } }
}

function changed(asked: Asked): Question {
  const { common, dates, span } = rangeOf(asked)
  const write = ({ base, days }: Table) => ({
    ...{ success: true, change: true, ...dates, source: base },
    quotes: changesOf(days, (quote) => base + quote),
  })
  return { rates: { ...common, span, write } }
}

const named = (base: string, rows: Table['rows']) =>
  Object.fromEntries(rows.map(({ quote, rate }) => [base + quote, roundAmount(rate)]))
const quotesOf = ({ base, rows }: Table) => ({ source: base, quotes: named(base, rows) })
