import { type Answer, beforeEnd, type Outside, type Pinned } from './connection.ts'
import { type AllowedPlaces, destinationOf } from './places.ts'

/** Allowed targets of a request. */
export type Bounds = {
  readonly allowed: AllowedPlaces
  /** Says whether plain http goes to allowed places only. */
  readonly isSecureOnly: boolean
}

const FAULTS = {
  unknown: 'its host is not known',
  private: 'its host is not on the public internet',
  insecure: 'it is not https',
}

/** The reason why a place is not queried, in words that continue a sentence about it. */
export class Unaskable extends Error {
  constructor(readonly reason: keyof typeof FAULTS) {
    super(FAULTS[reason])
    this.name = 'Unaskable'
  }
}

/**
 * Requests a URL at an address that was checked, and at no other: its host is looked up once, every
 * address of it has to be within bounds, and the connection goes to one of them. A redirect is a
 * response like any other. Throws Unaskable, the reason of the signal, or what connecting throws.
 */
export async function ask(
  { addressesOf, connect }: Outside,
  request: Omit<Pinned, 'addresses'>,
  bounds: Bounds,
): Promise<Answer> {
  const found = addressesAt(request.url, { addressesOf }, bounds)
  return connect({ ...request, addresses: await beforeEnd(found, request.signal) })
}

/** The addresses of a URL, all of them fit to be connected to. Throws Unaskable. */
export async function addressesAt(
  { hostname, protocol }: URL,
  { addressesOf }: Pick<Outside, 'addressesOf'>,
  { allowed, isSecureOnly }: Bounds,
): Promise<readonly string[]> {
  const { reach, addresses } = await destinationOf(hostname, { addressesOf, allowed })
  if (reach === 'unknown' || reach === 'private') throw new Unaskable(reach)
  if (isSecureOnly && protocol !== 'https:' && reach !== 'allowed') throw new Unaskable('insecure')
  return addresses
}
