import type { Evidence } from '~/domain/price/evidence.ts'
import type { Provider, ProviderType, RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'

type Kind = {
  readonly title: string
  /** What a price of this kind means to a person who wants to send money. */
  readonly note: string
}

export const KINDS: Readonly<Record<RateType, Kind>> = {
  retail: { title: 'Retail', note: 'Prices at which people and small firms can send money.' },
  p2p: { title: 'Peer to peer', note: 'Offers from person to person on an exchange.' },
  interbank: { title: 'Interbank', note: 'Prices between banks and large firms.' },
  official: {
    title: 'For comparison: official',
    note: 'The rate of the central bank. Money cannot be sent at it, so it is never the best.',
  },
  parallel: {
    title: 'For comparison: parallel',
    note: 'What the informal market is reported to pay. It is never the best.',
  },
}

const TYPES: Readonly<Record<ProviderType, string>> = {
  central_bank: 'central bank',
  commercial_bank: 'bank',
  non_bank_lp: 'liquidity provider',
  imto: 'money transfer',
  fintech_psp: 'payment firm',
  crypto_venue: 'crypto venue',
  bureau_de_change: 'bureau de change',
  aggregator: 'aggregator',
}

export const typeText = (type: ProviderType | null): string | null => type && TYPES[type]

/** A word of the catalogue as people write it: `bank_transfer` is `bank transfer`. */
export const plainWords = (name: string): string => name.replaceAll('_', ' ')

/** What is written beside a price because of what stands behind it. */
export const STANDING: Readonly<Record<Evidence, string | null>> = {
  observed: null,
  derived: 'worked out from a margin or another source',
  indicative: 'advertised, not surely available',
}

/** What stands behind a price, where it is not simply the provider's own; else null. */
export function standingText({ evidence }: Quote, { providerType }: Provider): string | null {
  if (evidence === 'observed' && providerType === 'aggregator') return OTHERS
  return STANDING[evidence]
}

const OTHERS = "worked out from others' prices"
