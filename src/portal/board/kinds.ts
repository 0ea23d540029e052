import type { ProviderType, RateType } from '~/domain/provider.ts'

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
    note: 'The rate of the central bank. Nobody can send money at it, so it is never the best.',
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

/** The note on such a provider's prices. */
export const DERIVED = "worked out from others' prices"

/** Whether a provider's prices are worked out from others' and not its own offer. */
export const isDerived = (type: ProviderType | null): boolean => type === 'aggregator'
