import { bankOf } from './bank.ts'
import { dayFirst } from './page/date.ts'
import { jsonRows, memberOf } from './page/json.ts'
import { namedIn, priceOf, rateOf, turnedOver } from './page/price.ts'

/** The bank's names of the currencies that it prices in shillings. */
const NAMES: Readonly<Record<string, readonly [currency: string, unit: number]>> = {
  'US DOLLAR': ['USD', 1],
  'STG POUND': ['GBP', 1],
  EURO: ['EUR', 1],
  'SA RAND': ['ZAR', 1],
  'AE DIRHAM': ['AED', 1],
  'CAN $': ['CAD', 1],
  'S FRANC': ['CHF', 1],
  'JPY (100)': ['JPY', 100],
  'SW KRONER': ['SEK', 1],
  'NOR KRONER': ['NOK', 1],
  'DAN KRONER': ['DKK', 1],
  'IND RUPEE': ['INR', 1],
  'HONGKONG DOLLAR': ['HKD', 1],
  'SINGAPORE DOLLAR': ['SGD', 1],
  'SAUDI RIYAL': ['SAR', 1],
  'CHINESE YUAN': ['CNY', 1],
  'AUSTRALIAN $': ['AUD', 1],
}

/** The currencies of which the bank states how much a shilling buys. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  'KES / USHS': 'UGX',
  'KES / TSHS': 'TZS',
  'KES / RWF': 'RWF',
  'KES / BIF': 'BIF',
}

/**
 * The central bank of Kenya: 21 currencies and the shilling.
 *
 * JSON for a form, one response with all days since 5 January 2024: a date, a name, a price.
 * Shillings for 1 unit, of the yen for 100; for Kenya's neighbours the reverse, units for 1
 * shilling, which is inverted here. One price, no sides. The date, day first, has no time.
 */
export const cbk = bankOf({
  provider: {
    id: 'central-bank-of-kenya',
    name: 'Central Bank of Kenya',
    region: 'Kenya',
    websiteUrl: 'https://www.centralbank.go.ke',
  },
  currency: 'KES',
  timeZone: 'Africa/Nairobi',
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5] },
  source: 'https://www.centralbank.go.ke/forex/',
  terms: 'not stated with the rates',
  reach: 'all',
  requests: () => [
    {
      url:
        'https://www.centralbank.go.ke/wp-admin/admin-ajax.php' +
        '?action=get_wdtable&table_id=193',
      form: 'draw=1&start=0&length=-1',
      format: 'json',
    },
  ],
  rows: ({ text }) => jsonRows(text, 'data'),
  when: (row) => dayFirst(memberOf(row, '0')),
  rate(row) {
    const name = memberOf(row, '1').trim()
    const price = priceOf(memberOf(row, '2'))
    const neighbour = namedIn(NEIGHBOURS, name)
    if (neighbour !== undefined) return turnedOver(neighbour, price, 'KES')
    const named = namedIn(NAMES, name)
    if (!named) return null
    const [currency, unit] = named
    return rateOf(currency, { unit, central: price })
  },
})
