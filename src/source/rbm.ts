import { tableRows } from '~/file/html.ts'
import { bankOf } from './bank.ts'
import { monthDayYear, monthFirst } from './page/date.ts'
import { priceOf, rateOf } from './page/price.ts'

/**
 * The Reserve Bank of Malawi: about 35 currencies in kwachas.
 *
 * An HTML page for a form, a span a request. Kwachas for 1 unit; `Middle` is the central price,
 * both sides are stated. Irish pounds and the code CMD, which no country uses, are left out. The
 * date has no time.
 */
export const rbm = bankOf({
  provider: {
    id: 'reserve-bank-of-malawi',
    name: 'Reserve Bank of Malawi',
    region: 'Malawi',
    websiteUrl: 'https://www.rbm.mw',
  },
  currency: 'MWK',
  timeZone: 'Africa/Blantyre',
  publishes: { at: '18:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.rbm.mw/Statistics/MajorRates',
  terms: 'not stated with the rates',
  reach: 30,
  requests({ first, last }) {
    const form = new URLSearchParams({
      RateTypes: '',
      StartDate: monthDayYear(first),
      EndDate: monthDayYear(last),
    })
    const url = 'https://www.rbm.mw/Statistics/ExchangeRatesFilter/'
    return [{ url, form: form.toString(), format: 'html' }]
  },
  rows: ({ text }) => tableRows(text, ['Currency', 'Buying', 'Middle', 'Selling', 'Date']),
  when: ({ Date: date }) => monthFirst(date!),
  rate: ({ Currency: currency, Buying: buying, Middle: central, Selling: selling }) =>
    rateOf(currency!, {
      buying: priceOf(buying!),
      central: priceOf(central!),
      selling: priceOf(selling!),
    }),
})
