import type { Quote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import { workbookOf } from '~/file/workbook.ts'
import type { Member } from '~/portal/member/member-pages.ts'
import { allowedProviders } from '~/service/access.ts'
import type { PricesDeps } from './treasurer.ts'

const ROWS_MAX = 10_000
const COLUMNS = [
  'provider_id',
  'from',
  'to',
  'rate',
  'fee',
  'fee_currency',
  'effective_from',
] as const
/** Said if an offer of the template needs it to be distinguished. */
const OF_OFFERS = [
  ['amount_min', 'amountMin'],
  ['amount_max', 'amountMax'],
  ['source_country', 'sourceCountry'],
  ['target_country', 'targetCountry'],
  ['pay_in', 'payIn'],
  ['pay_out', 'payOut'],
  ['channel', 'channel'],
  ['service', 'service'],
] as const

/**
 * A workbook with a row for the last price of each offer that the account may record, without its
 * rate; official prices only for accounts that are limited to their providers.
 */
export function templateReply({ memory }: PricesDeps, { person }: Member): Response {
  const { quotes, catalogue } = memory.current
  const allowed = allowedProviders(person.account)
  const own: Quote[] = []
  for (const quote of quotes.allQuotes()) {
    const isOwn = allowed ? allowed.includes(quote.providerId) : quote.rateType !== 'official'
    if (isOwn && catalogue.provider(quote.providerId) && own.length < ROWS_MAX) own.push(quote)
  }
  const name = ({ providerId, from, to }: Quote) => `${providerId} ${from} ${to}`
  own.sort((a, b) => compareText(name(a), name(b)) || a.id - b.id)
  return new Response(new Uint8Array(workbookOf('Prices', rowsOf(own))), {
    headers: {
      'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'content-disposition': 'attachment; filename="corridor-prices.xlsx"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** The header, and a row for each offer with the columns that tell these offers apart. */
function rowsOf(quotes: readonly Quote[]): (string | number)[][] {
  const said = OF_OFFERS.filter(([, name]) => quotes.some(({ offer }) => offer?.[name] != null))
  return [
    [...COLUMNS, ...said.map(([column]) => column)],
    ...quotes.map(({ providerId, from, to, feeCurrency, offer }) => [
      ...[providerId, from, to, '', '', feeCurrency ?? '', ''],
      ...said.map(([, name]) => {
        const value = offer?.[name] ?? ''
        return typeof value === 'object' ? value.join('|') : value
      }),
    ]),
  ]
}
