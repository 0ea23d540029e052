import { ServiceError } from '~/domain/errors.ts'
import type { Provider } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import type { AgedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'

export type ProviderRates = {
  readonly provider: Provider
  readonly quotes: readonly AgedQuote[]
}

/**
 * Every corridor one provider quotes, with its latest quote, by source, then target currency.
 *
 * Throws `unknown_provider` for an unknown or inactive provider.
 */
export function providerRates(view: View, providerId: string): ProviderRates {
  const provider = view.catalogue.provider(providerId)
  if (!provider)
    throw new ServiceError(
      'unknown_provider',
      'no active provider has that id; /providers lists the active ones',
    )
  const quotes: AgedQuote[] = []
  for (const book of view.generation.quotes.booksOf(providerId)) {
    if (!view.catalogue.currency(book.from) || !view.catalogue.currency(book.to)) continue
    const seen = view.viewOf(book).quotes.find(({ quote }) => quote.providerId === providerId)
    if (seen) quotes.push(seen)
  }
  quotes.sort(
    ({ quote: a }, { quote: b }) => compareText(a.from, b.from) || compareText(a.to, b.to),
  )
  return { provider, quotes }
}
