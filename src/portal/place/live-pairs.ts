import { COUNTRIES, homeOf } from '~/domain/offer/country.ts'
import { isExecutable } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import type { CorridorBook } from '~/memory/corridor-book.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Pair, pairSlug } from './pair.ts'

/** A pair of countries for which there are prices at which money can be sent. */
export type LivePair = Pair & {
  readonly slug: string
  /** The time when the newest of its prices took effect. */
  readonly newestMs: number
}

/**
 * The pairs that offers name, and those whose own currencies are quoted; by their names.
 *
 * An offer that names no country counts for the pair of its currencies' own countries alone: EUR to
 * XOF would be hundreds of pairs that no offer names.
 */
export const livePairs = (view: View): LivePair[] =>
  pairsIn(view, view.generation.quotes.allBooks(), () => true)

export const livePairsOf = (view: View, providerId: string): LivePair[] =>
  pairsIn(
    view,
    view.generation.quotes.booksOf(providerId),
    ({ quote }) => quote.providerId === providerId,
  )

function pairsIn(
  view: View,
  books: Iterable<CorridorBook>,
  isMeant: (ranked: RankedQuote) => boolean,
): LivePair[] {
  const found = new Map<string, Pair & { newestMs: number }>()
  for (const book of books) {
    if (!view.catalogue.currency(book.from) || !view.catalogue.currency(book.to)) continue
    for (const ranked of view.offersOf(book)) {
      if (!isExecutable(ranked.quote.rateType) || !isMeant(ranked)) continue
      const pair = pairFor(ranked)
      if (!pair) continue
      const { atMs } = ranked.quote
      const key = pair.source.code + pair.target.code
      const known = found.get(key)
      if (known) known.newestMs = Math.max(known.newestMs, atMs)
      else found.set(key, { ...pair, newestMs: atMs })
    }
  }
  const pairs = [...found.values()].map((pair) => ({ ...pair, slug: pairSlug(pair) }))
  return pairs.sort((a, b) => compareText(a.slug, b.slug))
}

/** The countries that a price is for; those of its currencies if it names none. */
export function pairFor({ quote: { offer, from, to } }: RankedQuote): Pair | null {
  const source = offer?.sourceCountry ? COUNTRIES.get(offer.sourceCountry) : homeOf(from)
  const target = offer?.targetCountry ? COUNTRIES.get(offer.targetCountry) : homeOf(to)
  return source && target && source !== target ? { source, target } : null
}
