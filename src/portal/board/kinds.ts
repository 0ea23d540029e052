import type { Evidence } from '~/domain/price/evidence.ts'
import type { Provider, ProviderType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { MessageKey, Words } from '~/portal/words/words.ts'

export const typeText = ({ say }: Words, type: ProviderType | null): string | null =>
  type && say(`provider-type.${type}`)

/** Ways to pay that have a message; a provider may name others. */
const PAY_METHODS = [
  ...(['bank_account', 'bank_deposit', 'bank_transfer', 'card', 'cash', 'cash_pickup'] as const),
  ...(['credit_card', 'debit_card', 'mobile_money', 'wallet', 'wire'] as const),
] as const

/** A word of the catalogue as people write it: `bank_transfer` is `bank transfer`. */
export function plainWords({ say }: Words, name: string): string {
  const method = PAY_METHODS.find((one) => one === name)
  return method ? say(`pay-method.${method}`) : name.replaceAll('_', ' ')
}

/** Mark of a price by its evidence. */
const STANDING_KEYS: Readonly<Record<Evidence, MessageKey | null>> = {
  observed: null,
  derived: 'evidence.derived',
  indicative: 'evidence.indicative',
}

/** Evidence of a price, if it is not simply the provider's own; else null. */
export function standingText(
  { say }: Words,
  { evidence }: Quote,
  { providerType }: Provider,
): string | null {
  if (evidence === 'observed' && providerType === 'aggregator') return say('evidence.others')
  const key = STANDING_KEYS[evidence]
  return key && say(key)
}
