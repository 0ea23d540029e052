import { DAY_MS } from '~/domain/duration.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { dateIn } from './zone.ts'

/**
 * The date that an official price carries at its bank, `YYYY-MM-DD` in the bank's own time zone.
 *
 * Null for another kind of price, and for a bank whose zone is not known, unless the price took
 * effect at midnight UTC: then its recorder stated a date alone.
 */
export function bankDateOf(
  { rateType, atMs }: Pick<Quote, 'rateType' | 'atMs'>,
  { timeZone }: Pick<Provider, 'timeZone'>,
): string | null {
  if (rateType !== 'official') return null
  if (timeZone) return dateIn(atMs, timeZone)
  return atMs % DAY_MS === 0 ? dateIn(atMs, 'UTC') : null
}
