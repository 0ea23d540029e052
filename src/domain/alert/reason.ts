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
  plan: 'only the oldest alerts are judged: ',
} as const

type ReasonKind = keyof typeof REASONS

/** The kind of a stored reason; null for a text of an earlier version. */
export const reasonKind = (reason: string): ReasonKind | null =>
  (Object.keys(REASONS) as ReasonKind[]).find((kind) => reason.startsWith(REASONS[kind])) ?? null
