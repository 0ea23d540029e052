import { ServiceError } from '~/domain/errors.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import type { View } from '~/memory/view.ts'

export type ProviderRates = { readonly provider: Provider; readonly quotes: readonly Quote[] }

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
  const quotes: Quote[] = []
  for (const book of view.generation.quotes.booksOf(providerId)) {
    if (!view.catalogue.currency(book.from) || !view.catalogue.currency(book.to)) continue
    const seen = view.viewOf(book).quotes.find(({ quote }) => quote.providerId === providerId)
    if (seen) quotes.push(seen.quote)
  }
  quotes.sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to))
  return { provider, quotes }
}
