import { AMOUNT_MAX } from '~/domain/convert.ts'
import { isOneLine, ONE_LINE_RULE } from '~/domain/naming/one-line.ts'
import { significantDigits } from '~/domain/observation.ts'
import type { Offer } from './terms.ts'

/** The maximum number of digits of an amount in a response. */
export const OFFER_AMOUNT_DIGITS_MAX = 12
export const SERVICE_LENGTH_MAX = 60

/** Error of one part of an offer, to follow its name. */
type OfferFault = { readonly name: keyof Offer; readonly fault: string }

/**
 * Errors of an offer whose words are known ones: its amounts, percentage, times and name.
 * `effectiveMs` is the time from which its price applies.
 */
export function offerFaults(offer: Offer, effectiveMs: number): OfferFault[] {
  return [...amountFaults(offer), ...termFaults(offer, effectiveMs)]
}

function amountFaults({ amountMin, amountMax }: Offer): OfferFault[] {
  const faults: OfferFault[] = []
  const limits = [
    { name: 'amountMin', amount: amountMin, isZeroFine: true },
    { name: 'amountMax', amount: amountMax, isZeroFine: false },
  ] as const
  for (const { name, amount, isZeroFine } of limits) {
    if (amount === null) continue
    const isUsed = (isZeroFine ? amount >= 0 : amount > 0) && amount <= AMOUNT_MAX
    const least = isZeroFine ? 'at least 0' : 'above 0'
    if (!isUsed) faults.push({ name, fault: `must be ${least} and at most ${AMOUNT_MAX}` })
    else if ((significantDigits(String(amount)) ?? 0) > OFFER_AMOUNT_DIGITS_MAX)
      faults.push({ name, fault: `has more than ${OFFER_AMOUNT_DIGITS_MAX} significant digits` })
  }
  if (amountMin !== null && amountMax !== null && amountMin > amountMax)
    faults.push({ name: 'amountMin', fault: 'must not be above the greatest amount' })
  return faults
}

function termFaults(offer: Offer, effectiveMs: number): OfferFault[] {
  const { feePercent, deliveryMinMs, deliveryMaxMs, validUntilMs, service } = offer
  const faults: OfferFault[] = []
  if (feePercent !== null && !(feePercent >= 0 && feePercent <= 100))
    faults.push({ name: 'feePercent', fault: 'must be between 0 and 100' })
  if (deliveryMinMs !== null && deliveryMaxMs !== null && deliveryMinMs > deliveryMaxMs)
    faults.push({ name: 'deliveryMinMs', fault: 'must not be longer than the longest delivery' })
  if (validUntilMs !== null && !(validUntilMs > effectiveMs))
    faults.push({
      name: 'validUntilMs',
      fault: 'must be after the time from which the price holds',
    })
  if (service !== null && !(isOneLine(service) && [...service].length <= SERVICE_LENGTH_MAX)) {
    const fault = `must have 1 to ${SERVICE_LENGTH_MAX} characters ${ONE_LINE_RULE}`
    faults.push({ name: 'service', fault })
  }
  return faults
}
