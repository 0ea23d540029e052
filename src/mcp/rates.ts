import { Type } from '@sinclair/typebox'
import { ratesOf } from '~/service/rates.ts'
import { record } from '~/wire/fields.ts'
import { readSelection } from '~/wire/offer/selection.ts'
import { RatesQuery } from '~/wire/parameters.ts'
import { presentRates, RatesResponse } from '~/wire/rates.ts'
import { betweenFields, corridorAsked } from './between.ts'
import { leftOut, paged, pageFields, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

export const getRates = tool({
  name: 'get_rates',
  title: "Providers' rates in a corridor",
  description:
    'Who quotes what, right now, for money going from one currency to another: the latest quote ' +
    'of every provider with its fee, and the independent mid-market rate to judge them by. Use ' +
    'convert instead when an amount is known, because fees change who is best; use fetch_rates ' +
    'for many currency pairs at once. `rate` is units of `to` per one unit of `from`, `fee` is ' +
    'in `fee_currency`. The list is grouped by rate_type in the order retail, p2p, interbank, ' +
    'official, parallel, best rate first in each; kinds are not comparable, and official and ' +
    'parallel prices cannot be executed. `spread_bps` is basis points below the best of the same ' +
    'kind, `vs_mid_bps` against the mid of now (negative is worse for the sender), `margin_pct` ' +
    'what the rate costs against the mid of its own day, in percent. Look at `is_stale` before ' +
    'you name a price: a stale one may no longer be had, and `last_updated` says when it was ' +
    'seen. `max_age` leaves older prices out. Countries (`from` and `to` may then be left out), ' +
    'ways of paying, a channel and `delivery_max` leave out prices that say something else; an ' +
    'entry with `unspecified` does not say what is named there. `offer` says what a price is for.',
  input: Type.Object({ ...RatesQuery.properties, ...betweenFields, ...sliceFields }),
  output: record({ ...RatesResponse.properties, ...pageFields }),
  answer({ args, view }) {
    const rates = ratesOf(view, corridorAsked(view, args), readSelection(args))
    const page = { ...rates, quotes: sliced(rates.quotes, args) }
    const left = leftOut({ providers: rates.quotes.length }, args)
    return paged(presentRates(page, view.freshness), left)
  },
})
