import { COUNTRIES, type Country } from '~/domain/offer/country.ts'
import type { View } from '~/memory/view.ts'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { countryPairs } from '~/service/country/pairs.ts'

export const RANKED = ['pairs', 'providers'] as const
/** The two ends that a ranking can begin with; the first is that of a page as it comes. */
export const ENDS = ['highest', 'lowest'] as const

export type RankingQuery = {
  readonly of: (typeof RANKED)[number]
  readonly order: (typeof ENDS)[number]
  /** The only country from which money is sent, and the only one where it arrives. */
  readonly source: Country | null
  readonly target: Country | null
}

/** The query in an address; unknown values are ignored. */
export const rankingQuery = (params: URLSearchParams): RankingQuery => ({
  of: RANKED.find((one) => one === params.get('of')) ?? RANKED[0],
  order: ENDS.find((one) => one === params.get('order')) ?? ENDS[0],
  source: COUNTRIES.get(params.get('source') ?? '') ?? null,
  target: COUNTRIES.get(params.get('target') ?? '') ?? null,
})

/** The formats of a ranking: a page, and files. */
type Form = '' | '.csv' | '.svg' | '.png'

/** The path of a ranking, with the parameters that differ from the defaults. */
export function rankingHref({ of, order, source, target }: RankingQuery, form: Form): string {
  const params = new URLSearchParams({
    ...(of !== RANKED[0] && { of }),
    ...(order !== ENDS[0] && { order }),
    ...(source && { source: source.code }),
    ...(target && { target: target.code }),
  })
  const text = params.toString()
  return PATHS.ranking + form + (text && `?${text}`)
}

/** The countries at one end of the pairs with prices, as a form offers them, by their names. */
export const countryOptions = (
  { countryName, locale }: Words,
  view: View,
  end: 'sourceCountry' | 'targetCountry',
) =>
  [...new Set(countryPairs(view).map((pair) => pair[end]))]
    .flatMap((code) => COUNTRIES.get(code) ?? [])
    .map((country) => ({ value: country.code, text: countryName(country) }))
    .sort((a, b) => a.text.localeCompare(b.text, locale))
