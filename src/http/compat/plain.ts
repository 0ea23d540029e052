import { roundAmount } from '~/domain/round.ts'
import type { Api } from './api.ts'
import { dateOf } from './asked.ts'
import { CompatError } from './fault.ts'

/** Our own: one number, or a table of them, for what can only fetch a URL. */
export const plain: Api = {
  name: 'plain',
  question(asked) {
    const [from, to, date] = asked.match(/^rate\/(\w+)\/(\w+)(?:\/([^/]+))?\.txt$/) ?? []
    const [base = from] = asked.match(/^rates\/(\w+)\.csv$/) ?? []
    if (!base)
      throw new CompatError(
        'path',
        'the path is rate/USD/KES.txt, rate/USD/KES/2026-03-05.txt or rates/USD.csv',
      )
    const day = date ?? asked.text('date')
    const span = day === null ? null : asked.on(asked.day(day))
    const common = { base: base.toUpperCase(), span, bank: asked.bank() }
    if (to)
      return {
        rates: {
          ...{ ...common, quotes: [to.toUpperCase()] },
          write: ({ rows }) => String(roundAmount(rows[0]!.rate)),
        },
      }
    return {
      rates: {
        ...{ ...common, quotes: asked.codes('symbols') },
        write: ({ rows }) =>
          [
            'currency,rate,date',
            ...rows.map(({ quote, rate, atMs }) => [quote, roundAmount(rate), dateOf(atMs)].join()),
            '',
          ].join('\n'),
      },
    }
  },
  error: (_, { message, status }) => [status, message],
}
