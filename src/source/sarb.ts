import { FeedError } from '~/domain/feed/feed.ts'
import { bankOf } from './bank.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { priceOf, rateOf, turnedOver } from './page/price.ts'

/** Series in rands for 1 unit. */
const IN_RANDS = { EXCX135D: 'USD', EXCZ001D: 'GBP', EXCZ002D: 'EUR' }

/** Series in units for 1 rand. */
const FOR_A_RAND = {
  ...{ EXCB080D: 'AUD', EXCB051D: 'BWP', EXCB036D: 'BRL', EXCB031D: 'CAD', EXCB121D: 'CNY' },
  ...{ EXCB003D: 'DKK', EXCB122D: 'HKD', EXCB123D: 'INR', EXCB094D: 'ILS', EXCB120D: 'JPY' },
  ...{ EXCB059D: 'KES', EXCB063D: 'MWK', EXCB081D: 'NZD', EXCB013D: 'NOK', EXCB015D: 'SEK' },
  ...{ EXCB016D: 'CHF', EXCB126D: 'TWD', EXCB115D: 'THB', EXCB071D: 'ZMW', EXCB118D: 'KRW' },
}

const SERIES: ReadonlyMap<string, string> = new Map(Object.entries({ ...IN_RANDS, ...FOR_A_RAND }))

/**
 * The South African Reserve Bank: 23 currencies and the rand, as banks traded them at about 10:30.
 *
 * JSON, one currency and a span a request. Rands for 1 dollar, pound or euro; all others the
 * reverse, units for 1 rand, to four decimals: the franc is good to 11 basis points. They are
 * inverted here. One price, no sides. The date has no time.
 */
export const sarb = bankOf({
  provider: {
    id: 'south-african-reserve-bank',
    name: 'South African Reserve Bank',
    region: 'South Africa',
    websiteUrl: 'https://www.resbank.co.za',
  },
  currency: 'ZAR',
  timeZone: 'Africa/Johannesburg',
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://custom.resbank.co.za/SarbWebApi/WebIndicators/HistoricalExchangeRatesDaily',
  terms: 'not stated with the rates',
  reach: 365,
  requests({ first, last }) {
    const base = 'https://custom.resbank.co.za/SarbWebApi/WebIndicators/Shared'
    return [...SERIES.keys()].map((series) => ({
      url: `${base}/GetTimeseriesObservations/${series}/${first}T00:00:00/${last}T00:00:00`,
      format: 'json',
    }))
  },
  rows: ({ text }) => jsonRows(text),
  when: (row) => memberOf(row, 'Period'),
  rate(row, { request }) {
    const series = request.url.split('/').at(-3)!
    const [currency, isInRands] = [SERIES.get(series)!, series in IN_RANDS]
    if (memberOf(row, 'Timeseries').startsWith('Rand per ') !== isInRands)
      throw new FeedError('malformed', `has turned its series of ${currency} over`)
    const price = priceOf(memberOf(row, 'Value'))
    return isInRands ? rateOf(currency, { central: price }) : turnedOver(currency, price, 'ZAR')
  },
})
