import { DAY_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { bankOf } from './bank.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { priceOf, rateOf } from './page/price.ts'

/** Currencies that are read of the 32: two decimals are too few for most of the others. */
const CURRENCIES = ['USD', 'EUR', 'GBP', 'CHF']

/**
 * The central bank of The Gambia: indicative rates in dalasis, of which four are taken.
 *
 * JSON, one currency a request, all days since 2000: pairs of midnight UTC, which is midnight
 * there, and a price. Dalasis for 1 unit to two decimals; one price, no sides. Some days have two
 * different prices: one of them belongs to another currency.
 */
export const cbg = bankOf({
  provider: {
    id: 'central-bank-of-the-gambia',
    name: 'Central Bank of The Gambia',
    region: 'The Gambia',
    websiteUrl: 'https://www.cbg.gm',
  },
  currency: 'GMD',
  timeZone: 'Africa/Banjul',
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.cbg.gm/indicative-exchange-rates-latest',
  terms: 'not stated with the rates',
  reach: 'all',
  requests: () =>
    CURRENCIES.map((currency) => ({
      url: `https://www.cbg.gm/ajax/indicative-exchange-rates/${currency}`,
      format: 'json',
    })),
  rows: ({ text }) => jsonRows(text),
  when: (row) => dateOf(memberOf(row, '0')),
  rate: (row, { request }) =>
    rateOf(request.url.slice(-3), { central: priceOf(memberOf(row, '1')) }),
})

function dateOf(text: string): string {
  const atMs = Number(text)
  if (!/^\d{12,13}$/.test(text) || atMs % DAY_MS !== 0)
    throw new FeedError('malformed', 'gives a number where the midnight of a day was expected')
  return new Date(atMs).toISOString().slice(0, 10)
}
