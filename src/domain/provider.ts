import type { ProviderChange } from './activity.ts'
import type { Currency } from './currency.ts'

export const RATE_TYPES = ['official', 'interbank', 'retail', 'p2p', 'parallel'] as const
export const PROVIDER_TYPES = [
  'central_bank',
  'commercial_bank',
  'non_bank_lp',
  'imto',
  'fintech_psp',
  'crypto_venue',
  'bureau_de_change',
  'aggregator',
] as const

/** Kind of a price. Kinds are never ranked against each other. */
export type RateType = (typeof RATE_TYPES)[number]
/** Kind of institution that published a price; independent of the kind of price. */
export type ProviderType = (typeof PROVIDER_TYPES)[number]

export type Provider = {
  readonly id: string
  readonly name: string
  readonly logoUrl: string | null
  readonly websiteUrl: string | null
  readonly providerType: ProviderType | null
  readonly rateType: RateType
  readonly region: string | null
  /** The IANA time zone of its own dates; null or absent if that is not known. */
  readonly timeZone?: string | null
  readonly transferTime: string | null
  readonly paymentMethods: readonly string[] | null
  readonly isActive: boolean
}

/** The order in which lists show the kinds: those that can be the best come first. */
export const KIND_ORDER: Readonly<Record<RateType, number>> = {
  retail: 0,
  p2p: 1,
  interbank: 2,
  official: 3,
  parallel: 4,
}

const EXECUTABLE: Readonly<Record<RateType, boolean>> = {
  retail: true,
  p2p: true,
  interbank: true,
  official: false,
  parallel: false,
}

/** Reports whether money can be moved at such a price; only such are ever a corridor's best. */
export const isExecutable = (rateType: RateType): boolean => EXECUTABLE[rateType]

export type Catalogue = {
  readonly currencies: readonly Currency[]
  readonly providers: readonly Provider[]
  /** Changes of each provider, oldest first; absent if nothing has ever changed. */
  readonly activity?: readonly ProviderChange[]
}
