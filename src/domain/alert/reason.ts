/**
 * The reasons why an alert is not active or cannot fire, in English as the API returns them and the
 * database stores them. `failing` and `disputed` go on with what differs.
 */
export const REASONS = {
  once: 'it was to fire once, and did',
  'mail-link': 'it was ended by the link in a mail',
  gone: 'the address answered 410: it is gone',
  failing: 'everything sent to the address has failed for a day, last because ',
  disputed: 'feeds dispute the mid of ',
  plan: 'only the oldest alerts are evaluated: ',
} as const

/** Errors of a delivery that are not a receiver's, in English as they are stored. */
export const DELIVERY_ERRORS = {
  'no-secret': 'its secret cannot be read; make a new one',
  'no-mail': 'this service sends no mail',
  'no-address': 'the account has no confirmed address',
  unsent: 'the mail could not be sent',
} as const

type DeliveryError = keyof typeof DELIVERY_ERRORS

/** The kind of a stored error; null for one of a receiver. */
export const deliveryErrorKind = (error: string): DeliveryError | null =>
  (Object.keys(DELIVERY_ERRORS) as DeliveryError[]).find(
    (kind) => error === DELIVERY_ERRORS[kind],
  ) ?? null

type ReasonKind = keyof typeof REASONS

/** The kind of a stored reason; null for a string of an earlier version. */
export const reasonKind = (reason: string): ReasonKind | null =>
  (Object.keys(REASONS) as ReasonKind[]).find((kind) => reason.startsWith(REASONS[kind])) ?? null
