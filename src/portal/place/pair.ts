import type { Country } from '~/domain/offer/country.ts'
import { PATHS } from '~/portal/paths.ts'
import type { Words } from '~/portal/words/words.ts'
import { countryNamed, slugOf } from './names.ts'

/** Two different countries, between which money is sent. */
export type Pair = { readonly source: Country; readonly target: Country }

const TO = '-to-'

/** The name of a pair in its address: `united-kingdom-to-ghana`. */
export const pairSlug = ({ source, target }: Pair): string => slugOf(source) + TO + slugOf(target)

/** The names of a pair: `Ghana to Kenya`. */
export const pairTitle = ({ say, countryName }: Words, { source, target }: Pair): string =>
  say('pair.title', { source: countryName(source), target: countryName(target) })

export const pairPath = (pair: Pair): string => `${PATHS.send}/${pairSlug(pair)}`

const SLUG_LENGTH_MAX = 120

/** The pair that a name means; it may have other names of the countries, or their codes. */
export function pairNamed(slug: string): Pair | null {
  if (slug.length > SLUG_LENGTH_MAX) return null
  const parts = slug.toLowerCase().split(TO)
  const source = countryNamed(parts[0]!)
  const target = countryNamed(parts.slice(1).join(TO))
  return source && target && source !== target ? { source, target } : null
}
