import { ServiceError } from '~/domain/errors.ts'
import { concerns } from '~/domain/offer/concern.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import type { Provider } from '~/domain/provider.ts'
import { newestFirst } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import type { AgedQuote, RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Emptiness, emptinessOf } from './absence.ts'
import { isSupported } from './supported.ts'

export type ProviderQuote = AgedQuote & Pick<RankedQuote, 'unspecified'>

export type ProviderRates = {
  readonly provider: Provider
  readonly quotes: readonly ProviderQuote[]
  /** Reason why there are none; null if there are some. */
  readonly absence: Emptiness | null
}

/**
 * Every corridor one provider quotes, with its latest quote of those selected, by source, then
 * target currency.
 *
 * Throws `unknown_provider` for an unknown or inactive provider.
 */
export function providerRates(
  view: View,
  providerId: string,
  selection: Selection = UNSELECTED,
): ProviderRates {
  const provider = view.catalogue.provider(providerId)
  if (!provider)
    throw new ServiceError(
      'unknown_provider',
      'no active provider has that id; /providers lists the active ones',
    )
  const quotes = quotesOf(view, providerId, selection)
  if (quotes.length > 0) return { provider, quotes, absence: null }
  const newestMsOf = (other: Selection) => {
    const [newest] = quotesOf(view, providerId, other).sort((a, b) => newestFirst(a.quote, b.quote))
    return newest?.quote.atMs ?? null
  }
  return { provider, quotes, absence: emptinessOf(selection, newestMsOf) }
}

function quotesOf(view: View, providerId: string, selection: Selection): ProviderQuote[] {
  const quotes: ProviderQuote[] = []
  for (const book of view.generation.quotes.booksOf(providerId)) {
    if (!isSupported(view.catalogue, book, selection.filters)) continue
    const { quotes: shown } = view.viewOf(book, selection)
    const own = shown.filter(({ quote }) => quote.providerId === providerId)
    if (concerns(book, selection.filters, own)) quotes.push(...own)
  }
  quotes.sort(
    ({ quote: a }, { quote: b }) => compareText(a.from, b.from) || compareText(a.to, b.to),
  )
  return quotes
}
