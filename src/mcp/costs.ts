import { Type } from '@sinclair/typebox'
import { countryCosts } from '~/service/country/costs.ts'
import { CostsQuery, CostsResponse, costsQuestion, presentCosts } from '~/wire/country/costs.ts'
import { record } from '~/wire/fields.ts'
import { leftOut, paged, pageFields, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

export const getCosts = tool({
  name: 'get_costs',
  title: 'What sending money from one country to another costs',
  description:
    'What it costs to send an amount from one country to another, in percent of the amount: the ' +
    'average and median of all offers that say they are for these two countries, the SmaRT ' +
    'average of the three cheapest that arrive within five days, and whether the average meets ' +
    'the goals of the UN (3 %, at most 5 %) and the G20 (1 %). Use it for questions about how ' +
    'expensive a route is; use convert to tell a person what arrives and by whom to send. Give ' +
    '`amount` in the source currency, or `amount_usd`. `offers` are cheapest first by ' +
    '`cost.total_pct`, fee and exchange rate margin together, each at its own `at_amount`: ' +
    '`amount_match` nearest means that it is priced for another amount. Look at `is_stale` and ' +
    '`last_updated` before you name one. Where there are none, `note` says why; the cost is ' +
    'then unknown, not nothing.',
  input: Type.Object({ ...CostsQuery.properties, ...sliceFields }),
  output: record({ ...CostsResponse.properties, ...pageFields }),
  answer({ args, view }) {
    const found = countryCosts(view, costsQuestion(args))
    const { offers } = found.costs
    const page = { ...found, costs: { ...found.costs, offers: sliced(offers, args) } }
    const left = leftOut({ offers: offers.length }, args)
    return paged(presentCosts(page, view.freshness), left)
  },
})
