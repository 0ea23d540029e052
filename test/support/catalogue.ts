import type { Currency } from '~/domain/currency.ts'
import type { Provider, RateType } from '~/domain/provider.ts'

export function currency(code: string, more: Partial<Currency> = {}): Currency {
  return {
    code,
    name: `The ${code}`,
    type: 'both',
    kind: 'fiat',
    flagUrl: null,
    minorUnits: 2,
    isActive: true,
    sortOrder: 0,
    peg: null,
    ...more,
  }
}

export function provider(id: string, more: Partial<Provider> = {}): Provider {
  return {
    id,
    name: `Provider ${id}`,
    logoUrl: null,
    websiteUrl: null,
    providerType: 'imto',
    rateType: 'retail',
    region: null,
    timeZone: null,
    transferTime: 'minutes',
    paymentMethods: ['bank_transfer'],
    isActive: true,
    ...more,
  }
}

/** Two providers of each kind, `retail-a` and `retail-b` and so on. */
export const PROVIDERS: readonly Provider[] = (
  ['retail', 'p2p', 'interbank', 'official', 'parallel'] satisfies RateType[]
).flatMap((rateType) => [
  provider(`${rateType}-a`, { rateType }),
  provider(`${rateType}-b`, { rateType }),
])

export const CURRENCIES: readonly Currency[] = [
  ...['USD', 'GBP', 'EUR', 'KES', 'NGN', 'UGX', 'XOF', 'ZAR'].map((code, i) =>
    currency(code, { sortOrder: i }),
  ),
  currency('USDT', { kind: 'stablecoin', sortOrder: 90 }),
  currency('USDC', { kind: 'stablecoin', sortOrder: 91 }),
  currency('SLL', { isActive: false, sortOrder: 99 }),
]
