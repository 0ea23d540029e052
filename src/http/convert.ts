import { converted, type Priced, priced } from '~/service/convert.ts'
import { ConvertResponse, convertList, presentConvert } from '~/wire/convert.ts'
import type { Detailed } from '~/wire/list/detail.ts'
import { ConvertQuery, convertQuestion } from '~/wire/parameters.ts'
import { convertText } from '~/wire/text/convert-text.ts'
import { KnownPrices } from '~/wire/text/known-prices.ts'
import type { HotDeps } from './access.ts'
import { meteredRoute } from './metered-route.ts'
import type { Route } from './route.ts'

export function convertRoutes(deps: HotDeps, known = new KnownPrices()): Route[] {
  const route = meteredRoute(deps, {
    path: '/convert',
    notes: {
      id: 'convertAmount',
      tag: 'Rates',
      summary: 'What each provider pays out for an amount, after fees',
      description:
        'Ranked by `net_converted` inside each kind. `best` is the best net amount of the ' +
        'executable kinds (retail, p2p, interbank), or null. `mid` is null without a recent one. ' +
        "`cost` has the fee and the exchange rate margin against the mid of the quote's own day. " +
        'With `recipient_gets` instead of `amount` the list is ranked by `send_amount`.',
      errors: ['unsupported_currency', 'same_currency', 'database_unavailable'],
    },
    query: ConvertQuery,
    response: ConvertResponse,
    isKnowing: true,
    find({ query, view, url }) {
      const { detail } = query
      const found: Priced & Detailed = priced(view, convertQuestion(query))
      return detail === 'full' ? { ...found, detail } : known.keep(url, found, view)
    },
    findAgain: (url, generation, freshness) => known.find(url, generation, freshness),
    present: (found: Priced & Detailed, freshness) =>
      presentConvert({ ...converted(found), detail: found.detail }, freshness),
    text: convertText,
    list: convertList,
  })
  return [route]
}
