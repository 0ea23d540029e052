import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type AmountRange, nearestRanges } from '~/domain/offer/band.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { Provider, ProviderType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { roundAmount } from '~/domain/round.ts'
import type { MessageKey, Words } from '~/portal/words/words.ts'
import type { Lack } from '~/service/convert.ts'

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
  return method ? say(`pay.${method}`) : name.replaceAll('_', ' ')
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

const RANGES_MAX = 3

type Asked = { readonly corridor: Corridor; readonly amount: number | null }

/** Explains why no price is the best although some are shown. */
export function lackText(words: Words, lack: Lack, { corridor, amount }: Asked): string {
  const key = corridorKey(corridor)
  if (lack.reason === 'suspect') return words.say('lack.suspect', { corridor: key })
  const ranges = nearestRanges(lack.known, { amount, max: RANGES_MAX })
  const known = words.listText(ranges.map((range) => rangeText(words, range)))
  return words.say('lack.known', { corridor: key, known, code: corridor.from })
}

function rangeText({ say, plainAmountText }: Words, { least, most }: AmountRange): string {
  const text = (amount: number) => plainAmountText(roundAmount(amount))
  if (least === 0) return say('lack.up-to', { amount: text(most) })
  if (most === Number.POSITIVE_INFINITY) return say('lack.or-more', { amount: text(least) })
  return say('span.range', { least: text(least), most: text(most) })
}
