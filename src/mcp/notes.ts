import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { View } from '~/memory/view.ts'
import type { Absence } from '~/service/absence.ts'
import type { Conversion, Conversions } from '~/service/convert.ts'
import { listed } from '~/wire/note.ts'
import { FILTERS } from '~/wire/offer/offer.ts'

const NAMES_MAX = 8

/** Some names in a row, and how many more there are. */
function someOf(names: readonly string[]): string {
  const rest = names.length - NAMES_MAX
  return listed(rest > 0 ? [...names.slice(0, NAMES_MAX), `${rest} more`] : names)
}

/** Filters of a corridor's prices, besides those of offers. */
type Choice = { readonly providers?: unknown; readonly rate_type?: unknown }

/** Returns a note that only the provider or kind filter emptied the list, or null. */
export function missingNote(
  wanted: readonly unknown[],
  all: readonly unknown[],
  { corridor, args }: { readonly corridor: Corridor; readonly args: Choice },
): string | null {
  if (wanted.length > 0 || all.length === 0) return null
  const asked = (['providers', 'rate_type'] as const).filter((name) => args[name] !== undefined)
  const what = `No price of ${corridorKey(corridor)} fits ${listed(asked)}`
  return `${what}; without that there are ${all.length}.`
}

/**
 * A note that no price of a list can be used to send money; null if one can, and for an empty list.
 */
export function fixedNote(entries: readonly Conversion[]): string | null {
  const kinds = [...new Set(entries.map(({ ranked: { quote } }) => quote.rateType))]
  if (kinds.length === 0 || kinds.some(isExecutable)) return null
  return `Only ${listed(kinds)} prices are known, at which no one can send.`
}

/** Names the countries that a corridor has prices for if that is why a list is empty; else null. */
export function unfitNote(view: View, absence: Absence | null): string | null {
  if (!absence?.unfit.some((name) => name === 'sourceCountry' || name === 'targetCountry'))
    return null
  const { corridor } = absence
  const pairs = view.offers(corridor.from, corridor.to).flatMap(({ quote: { offer } }) => {
    if (!offer?.sourceCountry && !offer?.targetCountry) return []
    return [`${offer.sourceCountry ?? 'any'} to ${offer.targetCountry ?? 'any'}`]
  })
  const distinct = [...new Set(pairs)].sort()
  if (distinct.length === 0) return null
  return `Prices of ${corridorKey(corridor)} are for ${someOf(distinct)}.`
}

/** A provider's name in a sentence of ours, where it must not read as a part of that. */
const quoted = (name: string): string => JSON.stringify(name)

/** Names providers whose fee is at least the amount, so that nothing arrives; null without any. */
export function eatenNote(entries: readonly Conversion[]): string | null {
  const eaten = entries.filter(({ net }) => net !== null && net <= 0)
  if (eaten.length === 0) return null
  const names = [...new Set(eaten.map(({ ranked: { provider } }) => provider.name))]
  const whose = someOf(names.map(quoted))
  return `The fee of ${whose} is at least the whole amount: nothing would arrive.`
}

/** A note on the conditions that no executable price states; null if one does. */
export function silentNote(entries: readonly Conversion[]): string | null {
  const paying = entries.filter(({ ranked: { quote } }) => isExecutable(quote.rateType))
  const [first] = paying
  if (!first) return null
  const names = first.ranked.unspecified.filter(
    (name) =>
      !name.endsWith('Country') && paying.every(({ ranked }) => ranked.unspecified.includes(name)),
  )
  if (names.length === 0) return null
  return (
    `No price says its ${listed(names.map((name) => FILTERS[name]))}, so whether it is available ` +
    'as requested is unknown: ask the provider first.'
  )
}

/** Names the best of all providers if it is not among those requested; else null. */
export function betterNote({ bestCurrent, entries }: Conversions, all: Conversions): string | null {
  const best = all.bestCurrent
  if (entries.length === 0 || !best || best === bestCurrent) return null
  return `Of all providers ${quoted(best.ranked.provider.name)} is the best.`
}
