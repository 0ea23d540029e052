import { type Api, namesOf, type Question, ratesBy, type Table } from './api.ts'
import { type Asked, dateOf, lastSecondOf, secondsOf } from './asked.ts'
import { CompatError } from './fault.ts'
import { conversion, failed, timeframeOf } from './success.ts'

/** Fixer, whose form exchangeratesapi.io has too. https://fixer.io/documentation */
export const fixer: Api = {
  name: 'fixer',
  question(asked) {
    if (asked.match(/^(?:api\/)?latest$/)) return latest(asked)
    if (asked.match(/^(?:api\/)?convert$/)) return conversion(asked, 'rate', dated)
    if (asked.match(/^(?:api\/)?timeseries$/)) return series(asked)
    if (asked.match(/^(?:api\/)?symbols$/))
      return { currencies: (all) => ({ success: true, symbols: namesOf(all) }) }
    const [date] = asked.match(/^(?:api\/)?(\d{4}-[^/]*)$/) ?? []
    if (!date) throw new CompatError('path', 'this API function does not exist')
    return historical(asked, date)
  },
  error: (fault, error) => failed(fault, error, 'invalid_base_currency'),
}

const commonOf = (asked: Asked) => asked.common({ base: 'base', codes: 'symbols', usual: 'EUR' })

const dated = (dayMs: number | null, atMs: number) => ({
  ...{ historical: dayMs !== null, date: dateOf(dayMs ?? atMs) },
})

const latest = (asked: Asked): Question => ({
  rates: {
    ...{ ...commonOf(asked), span: null },
    write: (table) => ({
      ...{ success: true, timestamp: secondsOf(table.atMs), base: table.base },
      ...{ date: dateOf(table.atMs), rates: ratesBy(table.rows) },
    }),
  },
})

function historical(asked: Asked, text: string): Question {
  const dayMs = asked.day(text)
  const dated = { historical: true, date: dateOf(dayMs), timestamp: lastSecondOf(dayMs) }
  const write = ({ base, rows }: Table) => ({
    ...{ success: true, ...dated, base, rates: ratesBy(rows) },
  })
  return { rates: { ...commonOf(asked), span: asked.on(dayMs), write } }
}

function series(asked: Asked): Question {
  const common = commonOf(asked)
  const { dates, span } = timeframeOf(asked, common.quotes?.length)
  const write = ({ base, days }: Table) => ({
    ...{ success: true, timeseries: true, ...dates, base },
    rates: Object.fromEntries(days.map(({ startMs, rows }) => [dateOf(startMs), ratesBy(rows)])),
  })
  return { rates: { ...common, span, write } }
}
