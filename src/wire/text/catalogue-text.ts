import type { Currency } from '~/domain/currency.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { CorridorView } from '~/memory/corridor-view.ts'
import type { LiveCorridor } from '~/service/corridors.ts'
import { presentCorridor, presentCurrency } from '~/wire/catalogue.ts'
import { freshnessText } from '~/wire/present.ts'

/** What is said of a corridor is written once for as long as nothing in it changes. */
const summaries = new WeakMap<CorridorView, string>()
const lists = new WeakMap<readonly Currency[], string>()

/** The text of `presentCorridors`, letter by letter. */
export function corridorsText(corridors: readonly LiveCorridor[], freshness: Freshness): string {
  let list = ''
  for (const corridor of corridors) list += `${list && ','}${summaryText(corridor)}`
  const tail = freshnessText(freshness)
  return `{"corridors":[${list}],"count":${corridors.length},${tail}`
}

function summaryText(corridor: LiveCorridor): string {
  const known = summaries.get(corridor.view)
  if (known !== undefined) return known
  const text = JSON.stringify(presentCorridor(corridor))
  summaries.set(corridor.view, text)
  return text
}

type Currencies = {
  readonly currencies: readonly Currency[]
  readonly corridors: readonly LiveCorridor[]
}

/** The text of `presentCurrencies`, letter by letter. */
export function currenciesText(
  { currencies, corridors }: Currencies,
  freshness: Freshness,
): string {
  let pairs = ''
  for (const { from, to } of corridors) pairs += `${pairs && ','}{"from":"${from}","to":"${to}"}`
  const counts = `"currency_count":${currencies.length},"corridor_count":${corridors.length}`
  const list = listText(currencies)
  return `{"currencies":${list},"corridors":[${pairs}],${counts},${freshnessText(freshness)}`
}

function listText(currencies: readonly Currency[]): string {
  const known = lists.get(currencies)
  if (known !== undefined) return known
  const text = JSON.stringify(currencies.map(presentCurrency))
  lists.set(currencies, text)
  return text
}
