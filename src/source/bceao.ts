import { FeedError } from '~/domain/feed/feed.ts'
import { plainText, tableRows } from '~/file/html.ts'
import { bankOf } from './bank.ts'
import { isoDate } from './page/date.ts'
import { namedIn, priceOf, rateOf } from './page/price.ts'

/** The bank's names of the currencies, in its own spelling. */
const NAMES: Readonly<Record<string, string>> = {
  Euro: 'EUR',
  'Dollar us': 'USD',
  'Yen japonais': 'JPY',
  'Couronne danoise': 'DKK',
  'Couronne suédoise': 'SEK',
  'Livre sterling': 'GBP',
  'Couronne norvégienne': 'NOK',
  'Couronne thèque': 'CZK',
  'Forint hongrois': 'HUF',
  'Zloty polonais': 'PLN',
  'Franc suisse': 'CHF',
  'Dollar canadien': 'CAD',
  'Dollar australien': 'AUD',
  'Dollar néo-zélandais': 'NZD',
  'Rand sud-africain': 'ZAR',
  'Yuan chinois': 'CNY',
  'Roupie Indienne': 'INR',
  'Baht thailandais': 'THB',
  'Real brésilien': 'BRL',
  'Dollar singapourien': 'SGD',
  'Nouvelle livre turque': 'TRY',
  'Dirham Emirats Arabes Unis': 'AED',
  'Nouveau Shekel': 'ILS',
  'Won Coréen': 'KRW',
  'Dollar Hong Kong': 'HKD',
  'Ryal Saudien': 'SAR',
  'Dinar Koweitien': 'KWD',
}

const MONTHS =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ')

const DATE_LENGTH = 10

/**
 * The central bank of the eight countries of West Africa's franc: 27 currencies in XOF.
 *
 * A fragment of HTML, one day a request: a heading in French with the date, and a table. Francs for
 * 1 unit, written 1.953,0200; one price, no sides. A heading without a table is a holiday. The date
 * has no time.
 */
export const bceao = bankOf({
  provider: {
    id: 'bceao',
    name: 'Central Bank of West African States (BCEAO)',
    region: 'West Africa',
    websiteUrl: 'https://www.bceao.int',
  },
  currency: 'XOF',
  timeZone: 'Africa/Dakar',
  publishes: { at: '12:30', weekdays: [1, 2, 3, 4, 5] },
  source:
    'https://www.bceao.int/fr/cours/cours-de-reference-des-principales-devises-contre-Franc-CFA',
  terms: 'https://www.bceao.int/fr/mentions-legales',
  reach: 1,
  requests: ({ dates }) =>
    dates.map((date) => ({
      url: `https://www.bceao.int/fr/cours/get_all_reference_by_date?dateJour=${date}`,
      format: 'html',
    })),
  rows({ text, request }) {
    if (!request.url.endsWith(dateOf(text)))
      throw new FeedError('malformed', 'returned the rates of another day than requested')
    return text.includes('<table') ? tableRows(text, ['Devise', 'CFA']) : []
  },
  when: (_, { request }) => request.url.slice(-DATE_LENGTH),
  rate({ Devise: name, CFA: price }) {
    const currency = namedIn(NAMES, name!)
    return currency === undefined ? null : rateOf(currency, { central: priceOf(price!, 'french') })
  },
})

function dateOf(page: string): string {
  const match = /Cours des devises du \p{L}+ (\d{1,2})(?:er)? (\p{L}+) (\d{4})/u.exec(
    plainText(page),
  )
  if (!match) throw new FeedError('malformed', 'has no heading with the day of its rates')
  return isoDate({ day: match[1]!, month: MONTHS.indexOf(match[2]!) + 1, year: match[3]! })
}
