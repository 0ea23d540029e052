import { type Api, namesOf, type Question, ratesBy, type Table } from './api.ts'
import { type Asked, dateOf, lastSecondOf, secondsOf } from './asked.ts'
import { CompatError } from './fault.ts'
import { changesOf, conversion, failed, timeframeOf } from './success.ts'

/** exchangerate.host, whose form currencylayer has too. https://exchangerate.host/documentation */
export const exchangerateHost: Api = {
  name: 'exchangerate-host',
  question(asked) {
    if (asked.match(/^(?:api\/)?live$/)) return live(asked)
    if (asked.match(/^(?:api\/)?historical$/)) return historical(asked)
    if (asked.match(/^(?:api\/)?convert$/)) return conversion(asked, 'quote', dated)
    if (asked.match(/^(?:api\/)?timeframe$/)) return timeframe(asked)
    if (asked.match(/^(?:api\/)?change$/)) return changed(asked)
    if (!asked.match(/^(?:api\/)?list$/))
      throw new CompatError('path', 'this API function does not exist')
    return { currencies: (all) => ({ success: true, currencies: namesOf(all) }) }
  },
  error: (fault, error) => failed(fault, error, 'invalid_source_currency'),
}

const commonOf = (asked: Asked) =>
  asked.common({ base: 'source', codes: 'currencies', usual: 'USD' })

const dated = (dayMs: number | null) => dayMs !== null && { historical: true, date: dateOf(dayMs) }

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

function rangeOf(asked: Asked) {
  const common = commonOf(asked)
  return { common, ...timeframeOf(asked, common.quotes?.length) }
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
    quotes: changesOf(days, common.quotes, (quote) => base + quote),
  })
  return { rates: { ...common, span, write } }
}

const named = (base: string, rows: Table['rows']) => ratesBy(rows, (quote) => base + quote)
const quotesOf = ({ base, rows }: Table) => ({ source: base, quotes: named(base, rows) })
