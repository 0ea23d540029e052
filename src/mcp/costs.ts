import { type Static, Type } from '@sinclair/typebox'
import { countryCosts } from '~/service/country/costs.ts'
import { type CostsResponse, costsQuestion, presentCosts } from '~/wire/country/costs.ts'
import { pageOf } from './answer/links.ts'
import { shortened } from './answer/short.ts'
import { amount, country, currency, detailField, filterFields } from './argument/fields.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

const { pay_in, pay_out, delivery_max } = filterFields

const WITHOUT = new Set([
  ...['rate', 'fee', 'fee_currency', 'rate_type', 'mid_at_quote'],
  ...['source_country', 'target_country'],
])

export const getCosts = tool({
  name: 'get_costs',
  isKnowing: true,
  title: 'What sending between countries costs',
  description:
    'How expensive sending an amount between two countries is, in percent of it: average and ' +
    'median of all offers, `smart` (mean of the three cheapest within five days), and whether ' +
    'the average meets the goals of the UN (3 %, 5 %) and the G20 (1 %). For what ' +
    'arrives use convert. Ways of paying and speed must be stated to count. `offers` are ' +
    'cheapest first by `cost.total_pct`. `amount_match` nearest: priced for `at_amount`. Look at ' +
    '`is_stale` before you name one. Without offers the cost is unknown: `note` says why.',
  input: Type.Object({
    source_country: country('Country of the sender: code or name.'),
    target_country: country('Country of the recipient.'),
    amount: Type.Optional(amount('Amount to send, in the source currency.')),
    amount_usd: Type.Optional(amount('Amount in US dollars, instead of amount.')),
    from: Type.Optional(currency('Source currency, if not the usual one of the country.')),
    to: Type.Optional(currency('Target currency, if not the usual one.')),
    ...{ pay_in, pay_out, delivery_max },
    ...detailField,
    ...sliceFields,
  }),
  rules: [
    {
      of: ['source_country', 'target_country', 'amount', 'amount_usd'],
      check: (args) => void costsQuestion(args),
    },
  ],
  links: (args) => ({ page: pageOf(args), csv: { path: '/costs', query: args } }),
  answer({ args, view }) {
    const found = countryCosts(view, costsQuestion(args))
    const { offers } = found.costs
    const page = { ...found, costs: { ...found.costs, offers: sliced(offers, args) } }
    const shown = { ...presentCosts(page, view.freshness), count: offers.length }
    const body = paged(shown, leftOut({ offers: offers.length }, args))
    return args.detail === 'full' ? body : summaryFirst(body, args)
  },
})

type Body = Static<typeof CostsResponse>

/** The short form, in which the metrics of all offers come before the list. */
function summaryFirst({ offers, smart, ...body }: Body, args: object): object {
  const { source_country, target_country } = body
  const shortSmart = smart && {
    ...smart,
    offers: smart.offers.map(({ offer_id: _, provider_id: __, ...one }) => one),
  }
  const shown = shortened(
    { ...body, smart: shortSmart, offers },
    { args: { ...args, from: body.from }, entries: ['offers'], without: WITHOUT },
  )
  return { source_country, target_country, ...shown }
}
