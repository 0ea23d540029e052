import type { Currency } from '~/domain/currency.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Catalogue, Provider } from '~/domain/provider.ts'
import type { QuoteSource } from '~/domain/source/source.ts'

/** Entries of a bank that a catalogue lacks; `whole` is the catalogue with them. */
type Entries = { readonly missing: Catalogue; readonly whole: Catalogue }

type Needed = {
  readonly source: Pick<QuoteSource, 'provider' | 'currency' | 'timeZone'>
  /** The currencies that the bank states. */
  readonly codes: Iterable<string>
  /** The entry of a currency that the catalogue lacks; null for a code that is none. */
  entryOf(code: string): Currency | null
}

/**
 * The entries that a bank needs and the catalogue lacks: its provider, its currency, the currencies
 * that it states, and those to which they are pegged. Existing entries stay unchanged.
 */
export function entriesFor(catalogue: Catalogue, { source, codes, entryOf }: Needed): Entries {
  const known = new Set(catalogue.currencies.map(({ code }) => code))
  const currencies: Currency[] = []
  const add = (code: string): void => {
    const entry = known.has(code) ? null : entryOf(code)
    if (!entry) return
    known.add(code)
    if (entry.peg) add(entry.peg.to)
    currencies.push(entry)
  }
  for (const code of [source.currency, ...codes]) add(code)
  const isThere = catalogue.providers.some(({ id }) => id === source.provider.id)
  const missing = { currencies, providers: isThere ? [] : [providerOf(source)] }
  return {
    missing,
    whole: {
      ...catalogue,
      currencies: [...catalogue.currencies, ...missing.currencies],
      providers: [...catalogue.providers, ...missing.providers],
    },
  }
}

const providerOf = ({ provider, timeZone }: Needed['source']): Provider => ({
  ...provider,
  timeZone,
  logoUrl: null,
  providerType: 'central_bank',
  rateType: 'official',
  transferTime: null,
  paymentMethods: null,
  isActive: true,
})

/** Throws a FeedError if an operator has redefined the bank's provider. */
export function refuseOther(catalogue: Catalogue, { provider, currency }: Needed['source']): void {
  const entry = catalogue.providers.find(({ id }) => id === provider.id)
  if (entry && !entry.isActive)
    throw new FeedError('misconfigured', `is not queried: ${provider.id} is inactive`)
  if (entry && entry.rateType !== 'official')
    throw new FeedError(
      'misconfigured',
      `is not queried: the rate type of ${provider.id} is ${entry.rateType}, not official`,
    )
  const local = catalogue.currencies.find(({ code }) => code === currency)
  if (local && !local.isActive)
    throw new FeedError('misconfigured', `is not queried: ${currency} is inactive`)
}
