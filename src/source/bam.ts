import { bankOf } from './bank.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { namedIn, priceOf, rateOf } from './page/price.ts'

/** Codes that the bank still uses for the money that took their place. */
const RENAMED: Readonly<Record<string, string>> = { MRO: 'MRU' }

/**
 * Bank Al-Maghrib (Morocco): about 30 currencies in dirhams, as used for transfers.
 *
 * JSON, one day a request. Dirhams for 1, 10 or 100 units (`uniteDevise`); `moyen` is the central
 * price, and no sides are stated. The time is 12:30 in Morocco. Mauritania's ouguiya of 2018 has
 * its old code. Some days list every currency twice.
 */
export const bam = bankOf({
  provider: {
    id: 'bank-al-maghrib',
    name: 'Bank Al-Maghrib',
    region: 'Morocco',
    websiteUrl: 'https://www.bkam.ma',
  },
  currency: 'MAD',
  timeZone: 'Africa/Casablanca',
  publishes: { at: '17:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://apihelpdesk.centralbankofmorocco.ma/apis',
  terms: 'not stated with the rates; a key is given to each user of the API',
  key: { header: 'Ocp-Apim-Subscription-Key', page: 'https://apihelpdesk.centralbankofmorocco.ma' },
  reach: 1,
  requests: ({ dates }) =>
    dates.map((date) => ({
      url:
        'https://api.centralbankofmorocco.ma/cours/Version1/api/CoursVirement' +
        `?date=${date}T12:30:00`,
      format: 'json',
    })),
  rows: ({ text }) => jsonRows(text),
  when: (row) => memberOf(row, 'date'),
  rate(row) {
    const code = memberOf(row, 'libDevise')
    return rateOf(namedIn(RENAMED, code) ?? code, {
      unit: Number(memberOf(row, 'uniteDevise')),
      central: priceOf(memberOf(row, 'moyen')),
    })
  },
})
