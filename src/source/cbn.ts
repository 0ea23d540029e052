import { bankOf } from './bank.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { priceOf, rateOf } from './page/price.ts'

/** The bank's names of the currencies, in both of the spellings that its history has. */
const NAMES: Readonly<Record<string, string>> = {
  'US DOLLAR': 'USD',
  EURO: 'EUR',
  'POUNDS STERLING': 'GBP',
  'POUND STERLING': 'GBP',
  CFA: 'XOF',
  'YUAN/RENMINBI': 'CNY',
  'DANISH KRONA': 'DKK',
  'DANISH KRONER': 'DKK',
  YEN: 'JPY',
  'JAPANESE YEN': 'JPY',
  RIYAL: 'SAR',
  'SOUTH AFRICAN RAND': 'ZAR',
  'SWISS FRANC': 'CHF',
  'UAE DIRHAM': 'AED',
}

/**
 * The central bank of Nigeria: 11 currencies in naira.
 *
 * JSON, one response with all days since 2001, a dozen rows each. Naira for 1 unit; `centralrate`
 * is the central price, both sides are stated. CFA is the franc of West Africa. SDR and the unit of
 * account WAUA are not currencies and not read. The date has no time.
 */
export const cbn = bankOf({
  provider: {
    id: 'central-bank-of-nigeria',
    name: 'Central Bank of Nigeria',
    region: 'Nigeria',
    websiteUrl: 'https://www.cbn.gov.ng',
  },
  currency: 'NGN',
  timeZone: 'Africa/Lagos',
  publishes: { at: '18:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.cbn.gov.ng/rates/exchratebycurrency.asp',
  terms: 'https://www.cbn.gov.ng/Legal.html: may be passed on unchanged, with the source named',
  reach: 'all',
  requests: () => [{ url: 'https://www.cbn.gov.ng/api/GetAllExchangeRates', format: 'json' }],
  rows: ({ text }) => jsonRows(text),
  when: (row) => memberOf(row, 'ratedate'),
  rate(row) {
    const currency = NAMES[memberOf(row, 'currency').trim().toUpperCase()]
    if (currency === undefined) return null
    return rateOf(currency, {
      buying: priceOf(memberOf(row, 'buyingrate')),
      central: priceOf(memberOf(row, 'centralrate')),
      selling: priceOf(memberOf(row, 'sellingrate')),
    })
  },
})
