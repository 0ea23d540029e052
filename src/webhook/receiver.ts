import { type AllowedPlaces, destinationOf } from '~/feed/private-address.ts'

/** What is needed to tell where a receiver is. */
export type ReceiverDeps = {
  /** The addresses that a host's name stands for; rejects for a name that stands for none. */
  addressesOf(host: string): Promise<readonly string[]>
  /** A signal that aborts after `ms` milliseconds. */
  deadline(ms: number): AbortSignal
  /** The private places that may be asked. */
  readonly allowed: AllowedPlaces
}

/** Says why nothing is sent to a place. */
export class Unsendable extends Error {}

/** How long somebody who names a receiver waits for its name to be looked up. */
const LOOK_UP_MS_MAX = 5000

/**
 * A URL in its plain spelling. Parsers take others too (`https:host`, a backslash, line breaks),
 * but people, and what counts requests by receiver, would see another host in them, or none.
 */
const PLAIN_URL = /^https?:\/\/[^\s\p{C}\\/?#][^\s\p{C}\\]*$/iu

/**
 * Why nothing can be sent to a URL; null where something can. Its host is looked up, and not
 * connected to.
 */
export async function receiverFault(deps: ReceiverDeps, text: string): Promise<string | null> {
  const url = PLAIN_URL.test(text) ? URL.parse(text) : null
  if (!url) return 'it must be a URL such as https://example.org/hook'
  if (url.username !== '' || url.password !== '') return 'it must not hold a user or a password'
  if (url.hash !== '') return 'it must not have a part after #, which is never sent'
  const deadline = deps.deadline(LOOK_UP_MS_MAX)
  try {
    await Promise.race([addressesOf(deps, url), ending(deadline)])
    return null
  } catch (error) {
    return error instanceof Unsendable ? error.message : 'its host cannot be looked up now'
  }
}

/** The addresses of a URL, all of them fit to be connected to. Throws Unsendable. */
export async function addressesOf(
  { addressesOf, allowed }: Pick<ReceiverDeps, 'addressesOf' | 'allowed'>,
  { hostname, protocol }: URL,
): Promise<readonly string[]> {
  const { reach, addresses } = await destinationOf(hostname, { addressesOf, allowed })
  if (reach === 'unknown') throw new Unsendable('its host is not known')
  if (reach === 'private') throw new Unsendable('its host is not on the public internet')
  if (protocol !== 'https:' && reach !== 'allowed') throw new Unsendable('it is not https')
  return addresses
}

/** Rejects at the signal, for what cannot be told to stop. */
export const ending = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
