import { parse } from 'csv-parse/sync'
import { FeedError } from '~/domain/feed/feed.ts'
import { bankOf } from './bank.ts'
import { dayFirst } from './page/date.ts'
import { priceOf, turnedOver } from './page/price.ts'

/** The columns, named as the bank names the currencies. */
const COLUMNS = { CHN: 'CNY', EUR: 'EUR', GBP: 'GBP', USD: 'USD', YEN: 'JPY', ZAR: 'ZAR' }

/** Every number has four decimals, which reveals a truncated one. */
const FIGURE = /^\d+\.\d{4}$/

type Line = Readonly<Record<string, string>>

/**
 * The Bank of Botswana: six currencies and the pula.
 *
 * One CSV file of all days since 2001. The direction is the reverse of all other banks': units of
 * the currency for 1 pula, to four decimals, so the dollar is good to 7 basis points. It is
 * inverted here. One price, no sides; 0 means none. The bank calls it CHN and YEN; the column of
 * SDR is not read. The date has no time.
 */
export const bob = bankOf({
  provider: {
    id: 'bank-of-botswana',
    name: 'Bank of Botswana',
    region: 'Botswana',
    websiteUrl: 'https://www.bankofbotswana.bw',
  },
  currency: 'BWP',
  timeZone: 'Africa/Gaborone',
  publishes: { at: '14:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.bankofbotswana.bw/exchange-rates',
  terms: 'https://www.bankofbotswana.bw/content/disclaimer',
  reach: 'all',
  requests: () => [
    {
      url: 'https://www.bankofbotswana.bw/export/exchange-rates.csv?_format=csv&page',
      format: 'csv',
    },
  ],
  rows: ({ text }) => linesOf(text).flatMap(figuresOf),
  when: ({ date }) => dayFirst(date),
  rate({ currency, figure }) {
    if (!FIGURE.test(figure))
      throw new FeedError('malformed', 'gives a figure that has not four decimals')
    return turnedOver(currency, priceOf(figure), 'BWP')
  },
})

function linesOf(text: string): Line[] {
  try {
    const lines: Line[] = parse(text, { columns: true, bom: true })
    const names = Object.keys(lines[0] ?? {})
    if (names.includes('Date') && names.some((name) => name in COLUMNS)) return lines
  } catch {
    throw new FeedError('malformed', 'did not return a CSV file with lines of one length')
  }
  throw new FeedError('malformed', 'has no line of headings with Date and currencies')
}

const figuresOf = (line: Line) =>
  Object.entries(COLUMNS).flatMap(([column, currency]) =>
    line[column] === undefined ? [] : [{ date: line.Date!, currency, figure: line[column] }],
  )
