import { FeedError } from '~/domain/feed/feed.ts'
import { tableRows } from '~/file/html.ts'
import { type BankRequest, bankOf } from './bank.ts'
import { dayFirst } from './page/date.ts'
import { priceOf, rateOf } from './page/price.ts'

/**
 * The central bank of Tunisia: 20 currencies in dinars, as traded between banks.
 *
 * An HTML page for a form, one day a request. Dinars for 1, 10, 100 or 1,000 units (`Unité`),
 * written 3,3907; one price, no sides. The table below it, for cash, is not read. The page calls
 * itself ISO 8859-1 while parts of it are UTF-8, so only its ASCII parts are used. For a day
 * without rates it shows those of an earlier day, or an error. The date has no time.
 */
export const bct = bankOf({
  provider: {
    id: 'central-bank-of-tunisia',
    name: 'Central Bank of Tunisia',
    region: 'Tunisia',
    websiteUrl: 'https://www.bct.gov.tn',
  },
  currency: 'TND',
  timeZone: 'Africa/Tunis',
  publishes: { at: '20:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.bct.gov.tn/bct/siteprod/cours_archive.jsp',
  terms: 'not stated with the rates',
  reach: 1,
  requests: ({ dates }) =>
    dates.map((date) => ({
      url: 'https://www.bct.gov.tn/bct/siteprod/cours_archiv.jsp',
      form: `input=${date}&langue=_AN`,
      format: 'html',
      charset: 'iso-8859-1',
      headers: { referer: 'https://www.bct.gov.tn/bct/siteprod/cours_archive.jsp' },
    })),
  rows({ text, request }) {
    const shown = /\bdu\s+(\d{2}\/\d{2}\/\d{4})/.exec(text)?.[1]
    if (shown === undefined && text.includes('Exhausted Resultset')) return []
    if (shown === undefined)
      throw new FeedError('malformed', 'has no heading with the day of its rates')
    const [date, asked] = [dayFirst(shown), askedIn(request)]
    if (date > asked)
      throw new FeedError('malformed', 'returned rates of a later day than requested')
    return date < asked ? [] : tableRows(text, ['Sigle', 'Unité', 'Valeur'])
  },
  when: (_, { request }) => askedIn(request),
  rate: ({ Sigle: currency, Unité: unit, Valeur: price }) =>
    rateOf(currency!, { unit: Number(unit), central: priceOf(price!, 'french') }),
})

const askedIn = ({ form }: BankRequest): string => new URLSearchParams(form).get('input')!
