import { type Static, Type } from '@sinclair/typebox'
import { invalidParameter } from '~/domain/errors.ts'
import { compareText } from '~/domain/rank.ts'
import { roundPercent } from '~/domain/round.ts'
import type { View } from '~/memory/view.ts'
import {
  FIGURES,
  type RankedPair,
  type RankedProvider,
  type RankingAsk,
  rankedPairs,
  rankedProviders,
} from '~/service/country/ranking.ts'
import { optional, words } from '~/wire/fields.ts'
import { readFilters } from '~/wire/offer/selection.ts'
import { presentFreshness } from '~/wire/present.ts'
import { amount, countries, filterFields, provider } from './argument/fields.ts'
import { leftOut, paged, sliced, sliceFields } from './page.ts'
import { tool } from './tool.ts'

/** Amount that the World Bank's survey prices. */
const AMOUNT_USD = 200

const { pay_in, pay_out, delivery_max } = filterFields

/** Parameters of the API for all pairs, since costs of many are a tool's alone. */
const BY_COUNTRY = { by: 'country' }

const input = Type.Object({
  of: words(['pairs', 'providers'], { default: 'pairs', description: 'What is ranked.' }),
  by: words(FIGURES, {
    default: 'average',
    description: 'smart: of pairs only; pairs: of providers only.',
  }),
  order: optional.words(['lowest', 'highest'], { description: 'First; lowest unless by pairs.' }),
  source_country: Type.Optional(countries('Countries or groups of senders: Kenya, EU.')),
  target_country: Type.Optional(countries('Countries or groups of recipients.')),
  provider: Type.Optional(provider('Only its offers.')),
  pay_in,
  pay_out,
  delivery_max,
  amount_usd: Type.Optional(amount(`US dollars to send; ${AMOUNT_USD} if absent.`)),
  count_min: Type.Integer({
    ...{ minimum: 1, default: 1 },
    description: 'Least offers of a pair, pairs of a provider.',
  }),
  ...sliceFields,
  limit: { ...sliceFields.limit, default: 5 },
})

type Args = Static<typeof input>
type Entry = { readonly value: number; readonly key: string; readonly body: object }

export const rankCosts = tool({
  name: 'rank_costs',
  isCard: true,
  title: 'Cheapest and dearest',
  description:
    'The pairs of countries, or the providers, that cost most or least, in percent ' +
    'of the amount (`pct`): the dearest five, the cheapest country to send to Ghana from, Spain ' +
    'against Italy, who has most pairs. A pair has the value of get_costs; a provider that of ' +
    'its cheapest offer in each pair. Say how many are `stale` or `suspect`.',
  input,
  rules: [
    {
      of: ['of', 'by'],
      check({ of, by }) {
        if (by !== (of === 'pairs' ? 'pairs' : 'smart')) return
        throw invalidParameter({
          name: 'by',
          fault: `${of} are not ranked by it; take average, median or cheapest`,
        })
      },
    },
  ],
  links: () => ({ page: { path: '/send' }, csv: { path: '/corridors', query: BY_COUNTRY } }),
  answer({ args, view }) {
    const { of, by, amount_usd = AMOUNT_USD } = args
    const { entries, unknown } = of === 'pairs' ? pairsOf(view, args) : providersOf(view, args)
    const order = args.order ?? (by === 'pairs' ? 'highest' : 'lowest')
    const sign = order === 'lowest' ? 1 : -1
    const ranked = entries.sort((a, b) => sign * (a.value - b.value) || compareText(a.key, b.key))
    const body = { of, by, order, amount_usd, count: ranked.length }
    const shown = sliced(ranked, args).map(({ body }) => body)
    return paged(
      { ...body, [of]: shown, ...presentFreshness(view.freshness) },
      leftOut({ [of]: ranked.length }, args),
      ranked.length === 0 ? 'No offer matches, so nothing can be ranked.' : null,
      unknown > 0 ? `Of ${unknown} more pairs ${by} is not known at this amount.` : null,
    )
  },
})

type Ranking = { readonly entries: Entry[]; readonly unknown: number }

const askedOf = ({ source_country, target_country, ...said }: Args): RankingAsk => ({
  sourceCountries: source_country ?? null,
  targetCountries: target_country ?? null,
  providerId: said.provider ?? null,
  filters: readFilters(said),
  amountUsd: said.amount_usd ?? AMOUNT_USD,
})

function pairsOf(view: View, args: Args): Ranking {
  const all = rankedPairs(view, args.by, askedOf(args))
  const entries = all.flatMap((one) => pairEntry(one, args))
  return { entries, unknown: all.filter(({ pct }) => pct === null).length }
}

function pairEntry({ pct, found }: RankedPair, { by, count_min }: Args): Entry[] {
  const { sourceCountry, targetCountry, corridor, costs, cheapest } = found
  const priced = costs.offers.filter(({ cost }) => cost !== null)
  if (pct === null || priced.length < count_min) return []
  const stale = priced.filter(({ candidate }) => candidate.isStale).length
  const suspect = priced.filter(({ candidate }) => candidate.suspect).length
  const body = {
    source_country: sourceCountry,
    target_country: targetCountry,
    ...corridor,
    pct: roundPercent(pct),
    ...(by === 'cheapest' && {
      provider_name: cheapest!.candidate.provider.name,
      is_stale: cheapest!.candidate.isStale,
    }),
    offers: priced.length,
    ...(stale > 0 && { stale }),
    ...(suspect > 0 && { suspect }),
  }
  return [{ value: pct, key: `${sourceCountry} ${targetCountry}`, body }]
}

function providersOf(view: View, args: Args): Ranking {
  const all = rankedProviders(view, args.by, askedOf(args))
  const many = all.filter(({ pairs }) => pairs >= args.count_min)
  return { entries: many.map((one) => providerEntry(one, args)), unknown: 0 }
}

const providerEntry = (
  { provider: { id, name }, pct, pairs, stale }: RankedProvider,
  args: Args,
) => ({
  value: args.by === 'pairs' ? pairs : pct,
  key: id,
  body: {
    ...{ provider_id: id, provider_name: name },
    ...(args.by !== 'pairs' && { pct: roundPercent(pct) }),
    pairs,
    ...(stale > 0 && { stale }),
  },
})
