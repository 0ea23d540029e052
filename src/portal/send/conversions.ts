import { UNSELECTED } from '~/domain/offer/selection.ts'
import type { View } from '~/memory/view.ts'
import { type Conversions, convert } from '~/service/convert.ts'
import { countriesSelection, type SendQuery } from './query.ts'

/** Amounts that each provider pays out between the countries; null if no amount was understood. */
export function pairConversions(view: View, query: SendQuery): Conversions | null {
  const { corridor, goal, filters, isEvery } = query
  if (goal === null) return null
  return convert(view, { ...corridor, goal, selection: { ...UNSELECTED, filters, isEvery } })
}

/** Every offer between the countries, whatever the other filters; and those without a country. */
export const pairOffers = (view: View, { pair, corridor: { from, to } }: SendQuery) =>
  view.corridor(from, to, countriesSelection(pair)).offers
