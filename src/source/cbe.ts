import { plainDecimal } from '~/domain/decimal.ts'
import { hiddenField } from '~/file/html.ts'
import { dateOfCell } from '~/file/serial-date.ts'
import { sheetsOf } from '~/file/spreadsheet.ts'
import { byTitle, type Cell, titledRows } from '~/file/titled-rows.ts'
import { bankOf } from './bank.ts'
import { dayMonthYear } from './page/date.ts'
import { namedIn, priceOf, rateOf } from './page/price.ts'

const SITE = 'https://www.cbe.org.eg'
const PAGE = '/en/economic-research/statistics/cbe-exchange-rates/historical-data'
const TOKEN = '__RequestVerificationToken'

const NAMES: Readonly<Record<string, readonly [currency: string, unit: number]>> = {
  'US Dollar': ['USD', 1],
  Euro: ['EUR', 1],
  'Pound Sterling': ['GBP', 1],
  'Canadian Dollar': ['CAD', 1],
  'Danish Krone': ['DKK', 1],
  'Norwegian Krone': ['NOK', 1],
  'Swedish Krona': ['SEK', 1],
  'Swiss Franc': ['CHF', 1],
  'Japanese Yen 100': ['JPY', 100],
  'Saudi Riyal': ['SAR', 1],
  'Kuwaiti Dinar': ['KWD', 1],
  'UAE Dirham': ['AED', 1],
  'Australian Dollar': ['AUD', 1],
  'Bahraini Dinar': ['BHD', 1],
  'Omani Riyal': ['OMR', 1],
  'Qatari Riyal': ['QAR', 1],
  'Jordanian Dinar': ['JOD', 1],
  'Chinese Yuan': ['CNY', 1],
}

/**
 * The central bank of Egypt: 18 currencies in pounds.
 *
 * An Excel workbook for a form that needs a token and a cookie from the previous page; a span a
 * request. Pounds for 1 unit, of the yen for 100. Buying and selling prices, no central one. The
 * week starts on Sunday. The date has no time.
 */
export const cbe = bankOf({
  provider: {
    id: 'central-bank-of-egypt',
    name: 'Central Bank of Egypt',
    region: 'Egypt',
    websiteUrl: SITE,
  },
  currency: 'EGP',
  timeZone: 'Africa/Cairo',
  publishes: { at: '15:30', weekdays: [1, 2, 3, 4, 7] },
  source: `${SITE}${PAGE}`,
  terms: 'https://www.cbe.org.eg/en/disclaimer: the bank has to be named as the source',
  reach: 30,
  requests: () => [{ url: `${SITE}${PAGE}`, format: 'html' }],
  next({ request, text }, { first, last }) {
    if (request.form !== undefined) return []
    const form = new URLSearchParams([
      [TOKEN, hiddenField(text, TOKEN)],
      ['DataSourceId', '19CFFDDBFF494350A5E9C6A4397FC7DF'],
      ['FallbackUrl', PAGE],
      ['LanguageName', 'en'],
      ['FromDateRaw', dayMonthYear(first)],
      ['ToDateRaw', dayMonthYear(last)],
      ...Object.keys(NAMES).map((name) => ['SelectedSelectOptions', name]),
      ['SubmitAction', '2'],
    ])
    const headers = { referer: `${SITE}${PAGE}`, origin: SITE }
    const url = `${SITE}/api/statistics/GetHistoricalData`
    return [{ url, form: form.toString(), headers, format: 'spreadsheet' }]
  },
  rows({ bytes }) {
    const tables = sheetsOf(bytes).map(({ rows }) => rows)
    const { header, rows } = titledRows(tables, ['Date', 'Currency', 'Buy', 'Sell'])
    return rows.map((row) => byTitle(header, row))
  },
  when: (row) => dateOfCell(row.Date),
  rate(row) {
    const named = namedIn(NAMES, row.Currency ?? '')
    if (!named) return null
    const [currency, unit] = named
    const [buying, selling] = [priceOf(written(row.Buy)), priceOf(written(row.Sell))]
    return rateOf(currency, { unit, buying, selling })
  },
})

/** A cell as a string, a number in plain notation. */
const written = (cell: Cell = ''): string =>
  typeof cell === 'number' ? plainDecimal(String(cell)) : cell
