import { FeedError } from '~/domain/feed/feed.ts'
import { tableRows } from '~/file/html.ts'
import type { Bank } from './bank.ts'
import { datesOf, dayFirst } from './page/date.ts'
import { bankDays } from './page/days.ts'
import { priceOf, rateOf } from './page/price.ts'

const TIME_ZONE = 'Africa/Tunis'

/**
 * The central bank of Tunisia: 20 currencies in dinars, as traded between banks.
 *
 * An HTML page for a form, one day a question. Dinars for 1, 10, 100 or 1,000 units (`Unité`),
 * written 3,3907; one price, no sides. The table below it, for cash, is not read. The page calls
 * itself ISO 8859-1 while parts of it are UTF-8, so only what is ASCII in it is relied on. For a
 * day without rates it shows those of a day before, or an error. The date has no time.
 */
export const bct: Bank = {
  provider: {
    id: 'central-bank-of-tunisia',
    name: 'Central Bank of Tunisia',
    region: 'Tunisia',
    websiteUrl: 'https://www.bct.gov.tn',
  },
  currency: 'TND',
  timeZone: TIME_ZONE,
  publishes: { at: '20:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.bct.gov.tn/bct/siteprod/cours_archive.jsp',
  terms: 'not stated with the rates',
  reach: 1,
  requests: (span) =>
    datesOf(span, TIME_ZONE).map((date) => ({
      url: 'https://www.bct.gov.tn/bct/siteprod/cours_archiv.jsp',
      form: `input=${date}&langue=_AN`,
      format: 'html',
      charset: 'iso-8859-1',
      headers: { referer: 'https://www.bct.gov.tn/bct/siteprod/cours_archive.jsp' },
    })),
  read({ text, request }, span) {
    const asked = new URLSearchParams(request.form).get('input')!
    const shown = /\bdu\s+(\d{2}\/\d{2}\/\d{4})/.exec(text)?.[1]
    if (shown === undefined && text.includes('Exhausted Resultset')) return []
    if (shown === undefined)
      throw new FeedError('malformed', 'has no heading with the day of its rates')
    const date = dayFirst(shown)
    if (date < asked) return []
    if (date > asked) throw new FeedError('malformed', 'gives rates of a later day than asked for')
    return bankDays(tableRows(text, ['Sigle', 'Unité', 'Valeur']), {
      timeZone: TIME_ZONE,
      span,
      when: () => date,
      rate: ({ Sigle: currency, Unité: unit, Valeur: price }) =>
        rateOf(currency!, { unit: Number(unit), central: priceOf(price!, 'french') }),
    })
  },
}
