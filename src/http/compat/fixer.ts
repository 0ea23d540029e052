import { roundAmount } from '~/domain/round.ts'
import type { Api, Question, Table } from './api.ts'
import { type Asked, dateOf, lastSecondOf, secondsOf } from './asked.ts'
import { CompatError } from './fault.ts'
import { failed } from './success.ts'

/** Fixer, whose form exchangeratesapi.io has too. https://fixer.io/documentation */
export const fixer: Api = {
  name: 'fixer',
  question(asked) {
    if (asked.match(/^(?:api\/)?latest$/)) return latest(asked)
    if (asked.match(/^(?:api\/)?convert$/)) return conversion(asked)
    if (asked.match(/^(?:api\/)?timeseries$/)) return series(asked)
    if (asked.match(/^(?:api\/)?symbols$/))
      return {
        currencies: (all) => ({
          success: true,
          symbols: Object.fromEntries(all.map(({ code, name }) => [code, name])),
        }),
      }
    const [date] = asked.match(/^(?:api\/)?(\d{4}-[^/]*)$/) ?? []
    if (!date) throw new CompatError('path', 'this API function does not exist')
    return historical(asked, date)
  },
  error: (fault, error) => failed(fault, error, 'invalid_base_currency'),
}

const commonOf = (asked: Asked) => ({
  base: asked.text('base')?.toUpperCase() ?? 'EUR',
  quotes: asked.codes('symbols'),
  bank: asked.bank(),
})

const latest = (asked: Asked): Question => ({
  rates: {
    ...{ ...commonOf(asked), span: null },
    write: (table) => ({
      ...{ success: true, timestamp: secondsOf(table.atMs), base: table.base },
      ...{ date: dateOf(table.atMs), rates: members(table.rows) },
    }),
  },
})

function historical(asked: Asked, text: string): Question {
  const dayMs = asked.day(text)
  const dated = { historical: true, date: dateOf(dayMs), timestamp: lastSecondOf(dayMs) }
  const write = ({ base, rows }: Table) => ({
    ...{ success: true, ...dated, base, rates: members(rows) },
  })
  return { rates: { ...commonOf(asked), span: asked.on(dayMs), write } }
}

function conversion(asked: Asked): Question {
  const [from = '', to = ''] = ['from', 'to'].map((name) => asked.text(name)?.toUpperCase() ?? '')
  const text = asked.text('date')
  const dayMs = text === null ? null : asked.day(text)
  const amount = asked.amount()
  const write = ({ rows, atMs }: Table) => {
    const rate = roundAmount(rows[0]!.rate)
    return {
      ...{ success: true, query: { from, to, amount } },
      info: { timestamp: dayMs === null ? secondsOf(atMs) : lastSecondOf(dayMs), rate },
      ...{ historical: dayMs !== null, date: dateOf(dayMs ?? atMs) },
      result: roundAmount(amount * rate),
    }
  }
  const span = dayMs === null ? null : asked.on(dayMs)
  return { rates: { base: from, quotes: [to], span, bank: asked.bank(), write } }
}

function series(asked: Asked): Question {
  const common = commonOf(asked)
  const ends = [asked.day(asked.text('start_date')), asked.day(asked.text('end_date'))] as const
  const span = asked.between(ends, { count: common.quotes?.length })
  const [start_date, end_date] = ends.map(dateOf)
  const write = ({ base, days }: Table) => ({
    ...{ success: true, timeseries: true, start_date, end_date, base },
    rates: Object.fromEntries(days.map(({ startMs, rows }) => [dateOf(startMs), members(rows)])),
  })
  return { rates: { ...common, span, write } }
}

const members = (rows: Table['rows']) =>
  Object.fromEntries(rows.map(({ quote, rate }) => [quote, roundAmount(rate)]))
