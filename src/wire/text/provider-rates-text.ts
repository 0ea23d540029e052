import type { Freshness } from '~/domain/freshness.ts'
import type { Provider } from '~/domain/provider.ts'
import type { ProviderQuote, ProviderRates } from '~/service/provider-rates.ts'
import type { Detailed } from '~/wire/list/detail.ts'
import { freshnessText } from '~/wire/present.ts'
import {
  presentProvider,
  presentProviderQuote,
  presentProviderRates,
} from '~/wire/provider-rates.ts'

/** Each quote is written once per provider state. Cache 7 of a read, see docs/architecture.md. */
const texts = new WeakMap<ProviderQuote, { readonly of: Provider; readonly text: string }>()

/** The JSON of `presentProviderRates`, byte for byte. */
export function providerRatesText(found: ProviderRates & Detailed, freshness: Freshness): string {
  const { provider, quotes, detail } = found
  if (quotes.length === 0 || detail === 'full')
    return JSON.stringify(presentProviderRates(found, freshness))
  let list = ''
  for (const quote of quotes) list += `${list && ','}${quoteText(quote, provider)}`
  const head = `{"provider":${JSON.stringify(presentProvider(provider))},"corridors":[${list}]`
  return `${head},"count":${quotes.length},${freshnessText(freshness)}`
}

function quoteText(quote: ProviderQuote, provider: Provider): string {
  const known = texts.get(quote)
  if (known?.of === provider) return known.text
  const text = JSON.stringify(presentProviderQuote(quote, provider))
  texts.set(quote, { of: provider, text })
  return text
}
