import { bankOf } from './bank.ts'
import { type JsonRow, jsonRows, memberOf } from './page/json.ts'
import { priceOf, rateOf } from './page/price.ts'

/**
 * The national bank of Ethiopia: 18 currencies in birr.
 *
 * JSON, one day a request. Birr for 1 unit; `weighted_average` is the central price, both sides are
 * stated. The dollar's average equals its buying price, the others' are the means of the sides. The
 * date has no time.
 */
export const nbe = bankOf({
  provider: {
    id: 'national-bank-of-ethiopia',
    name: 'National Bank of Ethiopia',
    region: 'Ethiopia',
    websiteUrl: 'https://nbe.gov.et',
  },
  currency: 'ETB',
  timeZone: 'Africa/Addis_Ababa',
  publishes: { at: '15:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://nbe.gov.et/exchange-rate/',
  terms: 'not stated with the rates',
  reach: 1,
  requests: ({ dates }) =>
    dates.map((date) => ({
      url: `https://api.nbe.gov.et/api/filter-exchange-rates?date=${date}`,
      format: 'json',
    })),
  rows: ({ text }) => jsonRows(text, 'data'),
  when: (row) => memberOf(row, 'date'),
  rate: (row) =>
    rateOf(memberOf((row.currency ?? {}) as JsonRow, 'code'), {
      buying: priceOf(memberOf(row, 'buying')),
      central: priceOf(memberOf(row, 'weighted_average')),
      selling: priceOf(memberOf(row, 'selling')),
    }),
})
