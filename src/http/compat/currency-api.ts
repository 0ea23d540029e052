import { type Api, plainFailure, ratesBy } from './api.ts'
import { dateOf } from './asked.ts'
import { CompatError } from './fault.ts'

const PATH =
  /^(?:(latest|\d{4}-\d{2}-\d{2})\/)?(?:v1\/)?currencies(?:\/([a-z]{3,4}))?(\.min)?\.json$/

/** The files of fawazahmed0's currency-api. https://github.com/fawazahmed0/exchange-api */
export const currencyApi: Api = {
  name: 'currency-api',
  indent: (asked) => (asked.path.endsWith('.min.json') ? undefined : '\t'),
  question(asked) {
    const [day = 'latest', base] = asked.match(PATH) ?? [null]
    if (day === null) throw new CompatError('path', 'there is no such file')
    const span = day === 'latest' ? null : asked.on(asked.day(day))
    if (!base)
      return {
        currencies: (all) =>
          Object.fromEntries(all.map(({ code, name }) => [code.toLowerCase(), name])),
      }
    return {
      rates: {
        ...{ base: base.toUpperCase(), quotes: null, span, bank: asked.bank() },
        write: ({ rows, atMs }) => ({
          date: dateOf(atMs),
          [base]: ratesBy(rows, (quote) => quote.toLowerCase()),
        }),
      },
    }
  },
  error: plainFailure,
}
