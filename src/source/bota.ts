import { hiddenField, tableRows } from '~/file/html.ts'
import { bankOf } from './bank.ts'
import { dayFirst, monthDayYear } from './page/date.ts'
import { priceOf, rateOf } from './page/price.ts'

const URL = 'https://www.bot.go.tz/ExchangeRate/previous_rates'
const TOKEN = '__RequestVerificationToken'
/**
 * The Bank of Tanzania: about 40 currencies in shillings.
 *
 * An HTML page for a form that needs a token and a cookie from the previous page; a span a request.
 * Shillings for 1 unit; `Mean` is the central price, both sides are stated. The site groups the
 * decimals as well: 2,602.0,545 is 2602.0545. Rates are stated for every day of the week. The date
 * has no time.
 */
export const bota = bankOf({
  provider: {
    id: 'bank-of-tanzania',
    name: 'Bank of Tanzania',
    region: 'Tanzania',
    websiteUrl: 'https://www.bot.go.tz',
  },
  currency: 'TZS',
  timeZone: 'Africa/Dar_es_Salaam',
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5, 6, 7] },
  source: 'https://www.bot.go.tz/exchangerate/excrates',
  terms: 'not stated with the rates',
  reach: 30,
  requests: () => [{ url: URL, format: 'html' }],
  next({ request, text }, { first, last }) {
    if (request.form !== undefined) return []
    const form = new URLSearchParams({
      [TOKEN]: hiddenField(text, TOKEN),
      dateFrom: monthDayYear(first),
      dateTo: monthDayYear(last),
    })
    return [{ url: URL, form: form.toString(), format: 'html' }]
  },
  rows: ({ text }) => tableRows(text, ['Currency', 'Buy', 'Sell', 'Mean', 'Date']),
  when: ({ Date: date }) => dayFirst(date!),
  rate: ({ Currency: currency, Buy: buying, Sell: selling, Mean: central }) =>
    rateOf(currency!, {
      buying: priceOf(ungrouped(buying!)),
      central: priceOf(ungrouped(central!)),
      selling: priceOf(ungrouped(selling!)),
    }),
})

/** A number without the comma that the site sets between its first decimal and the other three. */
const ungrouped = (figure: string): string => figure.replace(/(\.\d),(\d{3})$/, '$1$2')
