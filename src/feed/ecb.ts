import { currencyCode } from '~/domain/currency.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Adapter } from './adapter.ts'
import { addRate, dateMs, perDollar } from './rates.ts'
import { xmlElements } from './xml.ts'

const RATE = /^\d{1,12}(\.\d{1,12})?$/

/**
 * The European Central Bank's euro reference rates: some 30 currencies per EUR each working day.
 *
 * Published about 16:00 CET; of African currencies it has the rand only. A static file with
 * Last-Modified; errors are web pages.
 * Source: https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates
 */
export const ecb: Adapter = {
  attribution: {
    text: 'Source: European Central Bank, euro foreign exchange reference rates',
    url: 'https://www.ecb.europa.eu',
    licence: 'ECB statistics: free reuse, source named; here turned from per EUR to per USD',
  },
  home: 'https://www.ecb.europa.eu',
  path: 'stats/eurofxref/eurofxref-daily.xml',
  format: 'xml',
  currencies: [
    ...['AUD', 'BRL', 'CAD', 'CHF', 'CNY', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD'],
    ...['HUF', 'IDR', 'ILS', 'INR', 'ISK', 'JPY', 'KRW', 'MXN', 'MYR', 'NOK'],
    ...['NZD', 'PHP', 'PLN', 'RON', 'SEK', 'SGD', 'THB', 'TRY', 'ZAR'],
  ],
  parse(text) {
    const elements = xmlElements(text)
    if (elements[0]?.name !== 'gesmes:Envelope') throw notAsDocumented()
    const cubes = elements.filter(({ name }) => name === 'Cube').map(({ attributes }) => attributes)
    const times = cubes.flatMap((cube) => cube.get('time') ?? [])
    if (times.length !== 1) throw notAsDocumented()
    const rates = new Map<string, string>()
    for (const cube of cubes.filter((attributes) => attributes.has('currency'))) {
      const name = cube.get('currency')!
      const rate = cube.get('rate')
      if (currencyCode(name) !== name || rate === undefined) throw notAsDocumented()
      if (!RATE.test(rate))
        throw new FeedError('malformed', `gives a rate for ${name} that is not a number`)
      addRate(rates, name, rate)
    }
    return perDollar({ base: 'EUR', upstreamMs: dateMs(times[0]!), perUsd: rates })
  },
}

const notAsDocumented = () =>
  new FeedError('malformed', 'returned XML without a table of reference rates')
