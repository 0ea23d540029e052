import { compareText } from '~/domain/rank.ts'
import { PAID_IN_USD } from './countries.ts'
import type { Mids } from './mids.ts'
import { type SurveyPrice, surveyDays } from './survey.ts'

/**
 * Account of the survey in the manifest: how its percentages became quotes, and what is missing.
 */
export function surveyAccount(prices: readonly SurveyPrice[], mids: Mids) {
  const oneCurrency = prices.filter(({ from, to }) => from === to)
  const corridors = new Map<string, Set<string>>()
  for (const price of prices.filter(({ from, to }) => from !== to)) {
    const corridor = `${price.from}/${price.to}`
    corridors.set(corridor, (corridors.get(corridor) ?? new Set()).add(pairOf(price)))
  }
  return {
    what:
      "margins and fees of the World Bank's survey of July to September 2025 on the mids of the " +
      'last two days; every rate is worked out (derived), none was seen on its day',
    days: surveyDays(mids),
    day: 'providers in the order of their ids stand in turn on the first and on the second day',
    rate: 'mid of the day * (1 - margin / 100), not rounded; pegged currencies by their peg',
    amount: 'the worth of 200 and 500 US dollars at the mid of the day, to two digits',
    fee: "the survey's percent of that amount, in the source currency",
    offer:
      'each price is an offer of its own, with both countries, how one pays in, the channel, and ' +
      'that amount as its least and its greatest',
    service:
      'prices that agree in all of it differ by something that the extract does not tell; from ' +
      'the second on they are named Price 2, Price 3 and so on, in the order of the survey',
    paid_in_usd: PAID_IN_USD,
    prices: prices.length,
    named_services: prices.filter(({ place }) => place > 1).length,
    of_one_currency: {
      pairs: [...new Set(oneCurrency.map(pairOf))].sort(),
      prices: oneCurrency.length,
      what: 'one currency on both sides: found by the two countries, and no corridor without them',
    },
    amounts: amountsOf(prices),
    pairs_of_corridors: Object.fromEntries(
      [...corridors].sort().map(([corridor, pairs]) => [corridor, [...pairs].sort().join(' ')]),
    ),
  }
}

const pairOf = (price: SurveyPrice): string => `${price.sourceCountry}-${price.targetCountry}`

/** By source currency the amounts that stand for 200 and for 500 dollars. */
function amountsOf(prices: readonly SurveyPrice[]) {
  const sorted = prices.toSorted((a, b) => compareText(a.from, b.from) || a.amount - b.amount)
  const bySource = Map.groupBy(sorted, ({ from }) => from)
  return Object.fromEntries(
    [...bySource].map(([code, own]) => [code, [...new Set(own.map((p) => p.amount))].join(' ')]),
  )
}
