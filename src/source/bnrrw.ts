import { bankOf } from './bank.ts'
import { dayFirst } from './page/date.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { priceOf, rateOf } from './page/price.ts'

const CURRENCIES = [
  ...['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'CAD', 'AUD', 'CNY'],
  ...['INR', 'ZAR', 'AED', 'SAR', 'KES', 'UGX', 'TZS', 'BIF'],
]

/**
 * The national bank of Rwanda: 16 currencies in francs.
 *
 * JSON, one currency and a span a request. Francs for 1 unit; `average_rate` is the central price,
 * both sides are stated. Older numbers have their thousands grouped. The date has no time.
 */
export const bnrrw = bankOf({
  provider: {
    id: 'national-bank-of-rwanda',
    name: 'National Bank of Rwanda',
    region: 'Rwanda',
    websiteUrl: 'https://www.bnr.rw',
  },
  currency: 'RWF',
  timeZone: 'Africa/Kigali',
  publishes: { at: '18:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.bnr.rw/exchangeRate',
  terms: 'https://www.bnr.rw/statuse',
  reach: 365,
  requests({ first, last }) {
    return CURRENCIES.map((currency) => ({
      url:
        'https://fxrates.bnr.rw/currency_history/' +
        `?currency_name=${currency}&end_date=${last}&start_date=${first}`,
      format: 'json',
    }))
  },
  rows: ({ text }) => jsonRows(text),
  when: (row) => dayFirst(memberOf(row, 'post_date')),
  rate(row, { request }) {
    const currency = memberOf(row, 'currency_name')
    if (!request.url.includes(`currency_name=${currency}&`)) return null
    return rateOf(currency, {
      buying: priceOf(memberOf(row, 'buying_rate')),
      central: priceOf(memberOf(row, 'average_rate')),
      selling: priceOf(memberOf(row, 'selling_rate')),
    })
  },
})
