import { addressesAt, type Bounds, Unaskable } from '~/outbound/ask.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import type { AddressesOf, AllowedPlaces } from '~/outbound/places.ts'

export type ReceiverDeps = {
  readonly addressesOf: AddressesOf
  /** A signal that aborts after `ms` milliseconds. */
  deadline(ms: number): AbortSignal
  /** The private places that may be asked. */
  readonly allowed: AllowedPlaces
}

/** The longest time for looking up a receiver's name while its owner waits. */
const LOOK_UP_MS_MAX = 5000

/**
 * A URL in its plain spelling. Parsers take others too (`https:host`, a backslash, line breaks),
 * but people, and the counter of requests by receiver, would see another host in them, or none.
 */
const PLAIN_URL = /^https?:\/\/[^\s\p{C}\\/?#][^\s\p{C}\\]*$/iu

/** The reason why a URL gets nothing; null for none. Its host is only looked up. */
export async function receiverFault(deps: ReceiverDeps, text: string): Promise<string | null> {
  const url = PLAIN_URL.test(text) ? URL.parse(text) : null
  if (!url) return 'it must be a URL such as https://example.org/hook'
  if (url.username !== '' || url.password !== '') return 'it must not hold a user or a password'
  if (url.hash !== '') return 'it must not have a part after #, which is never sent'
  const deadline = deps.deadline(LOOK_UP_MS_MAX)
  try {
    await beforeEnd(addressesAt(url, deps, boundsOf(deps)), deadline)
    return null
  } catch (error) {
    return error instanceof Unaskable ? error.message : 'its host cannot be looked up now'
  }
}

/** Allowed targets of messages: https on the public internet, and the places in a setting. */
export const boundsOf = ({ allowed }: Pick<ReceiverDeps, 'allowed'>): Bounds => ({
  allowed,
  isSecureOnly: true,
})
