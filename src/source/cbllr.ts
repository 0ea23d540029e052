import { DAY_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { tableRows } from '~/file/html.ts'
import { bankOf } from './bank.ts'
import { monthFirst } from './page/date.ts'
import { priceOf, rateOf } from './page/price.ts'

/** The minimum number of days that a page of the table lists. */
const PAGE_DAYS = 30
/** Five years of pages, with room to spare. */
const PAGES_MAX = 70

/**
 * The central bank of Liberia: the US dollar in Liberian dollars.
 *
 * HTML pages of a table, newest first. Liberian dollars for 1 US dollar, written
 * `L$182.0819/US$1.00`. Buying and selling prices, no central one. The date has no time; the noon
 * that the page's markup adds to it says nothing.
 */
export const cbllr = bankOf({
  provider: {
    id: 'central-bank-of-liberia',
    name: 'Central Bank of Liberia',
    region: 'Liberia',
    websiteUrl: 'https://www.cbl.org.lr',
  },
  currency: 'LRD',
  timeZone: 'Africa/Monrovia',
  publishes: { at: '15:30', weekdays: [1, 2, 3, 4, 5, 6] },
  source: 'https://www.cbl.org.lr/research/buying-selling-rates',
  terms: 'not stated with the rates',
  reach: 'all',
  requests({ sinceMs, untilMs }) {
    const pages = Math.ceil(Math.max(untilMs - sinceMs, DAY_MS) / DAY_MS / PAGE_DAYS)
    const url = 'https://www.cbl.org.lr/research/buying-selling-rates'
    return Array.from({ length: Math.min(pages, PAGES_MAX) }, (_, page) => ({
      url: page === 0 ? url : `${url}?page=${page}`,
      format: 'html',
    }))
  },
  rows: ({ text }) => tableRows(text, ['Date', 'Buying', 'Selling']),
  when: ({ Date: date }) => monthFirst(date!),
  rate: ({ Buying: buying, Selling: selling }) =>
    rateOf('USD', { buying: liberian(buying!), selling: liberian(selling!) }),
})

function liberian(text: string): string | null {
  const price = /^L\$\s?([\d.,]+)\/US\$1(?:\.00)?$/.exec(text)?.[1]
  if (price === undefined)
    throw new FeedError('malformed', 'gives a price that is not written as L$182.08/US$1.00')
  return priceOf(price)
}
