import type { Evidence } from '~/domain/price/evidence.ts'
import { type Provider, type ProviderType, RATE_TYPES } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { CATALOGUES, ENGLISH, type MessageKey, type Words } from '~/portal/words/words.ts'

export const typeText = ({ say }: Words, type: ProviderType | null): string | null =>
  type && say(`provider-type.${type}`)

/** A word of the catalogue as people write it: `bank_transfer` is `bank transfer`. */
export function plainWords({ say }: Words, name: string): string {
  const key = `pay-method.${name}`
  return isKey(key) ? say(key) : name.replaceAll('_', ' ')
}

const isKey = (key: string): key is MessageKey => key in CATALOGUES.en

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

/** The kinds of price, as the explanation of the calculations names them. */
export const KINDS = RATE_TYPES.map((type) => ({
  title: ENGLISH.say(`kind.${type}`),
  note: ENGLISH.say(`kind-note.${type}`),
}))

/** Marks of prices, as that explanation quotes them. */
export const STANDING = {
  derived: ENGLISH.say('evidence.derived'),
  indicative: ENGLISH.say('evidence.indicative'),
}
