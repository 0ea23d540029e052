import { randomBytes } from 'node:crypto'
import { isEmail } from '~/domain/account.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import type { AddressChange, NewLink, OwnSession, Profile } from '~/domain/person/profile.ts'
import { devicesWith } from './devices.ts'
import { type PasswordFault, passwordFault } from './passwords.ts'
import { admitted, evenly, type Origin } from './people.ts'
import type { Person } from './person.ts'
import { isOwnPassword, profileOf, type SecondFactorDeps } from './second-factor.ts'

type ProfileStore = {
  isTaken(email: string): Promise<boolean>
  /** Stores the token of an emailed link until it expires; a new password ends it. */
  keepLink(link: NewLink): Promise<void>
  /** False for an expired link, one of another account, or an address that is taken by now. */
  changeAddress(profile: Profile, change: AddressChange): Promise<boolean>
  /** Ends keys, alerts, connections and sessions, and leaves of the account its id alone. */
  deleteAccount(profile: Profile, nowMs: number): Promise<void>
}

export type ProfileDeps = SecondFactorDeps & {
  readonly profiles: ProfileStore
  readonly sessions: {
    sessions(userId: string, nowMs: number): Promise<readonly OwnSession[]>
  }
  /** Emails the link that confirms a new address. */
  readonly onAddressLink: (link: { email: string; token: string; language: string }) => void
}

type Asking = { readonly person: Person; readonly password: string; readonly headers: Headers }

/** The `Set-Cookie` lines after a change of the password, or why there is none. */
export async function changePassword(
  deps: ProfileDeps,
  { person, headers, ...change }: Asking & { current: string },
  origin: Origin,
): Promise<{ cookies: readonly string[]; devices: string } | PasswordFault | 'wrong'> {
  const { email } = person
  await admitted(deps, 'sign-in', { ...origin, email })
  const fault = await passwordFault({ password: change.password, email })
  if (fault) return fault
  const cookies = await deps.people.changePassword(change, headers)
  if (cookies === null) return 'wrong'
  deps.notify({ kind: 'password', email, atMs: origin.nowMs })
  return { cookies, devices: await devicesWith(deps, { ...origin, email }) }
}

const TOKEN_BYTES = 24
const LINK_MS = HOUR_MS

/**
 * Emails a link to a new address, which has to be opened while signed in. The result does not
 * reveal whether another account has the address; then nothing is sent.
 */
export async function requestAddress(
  deps: ProfileDeps,
  { email, ...asking }: Asking & { email: string },
  origin: Origin,
): Promise<'sent' | 'wrong' | 'address'> {
  const address = email.trim().toLowerCase()
  if (!isEmail(address)) return 'address'
  if (!(await isOwnPassword(deps, asking, origin))) return 'wrong'
  await admitted(deps, 'sign-up', { ...origin, email: address })
  await evenly(deps, mailedLink(deps, asking.person, { ...origin, address }))
  return 'sent'
}

async function mailedLink(
  deps: ProfileDeps,
  { userId }: Person,
  { address, nowMs, language }: Pick<Origin, 'address' | 'nowMs' | 'language'>,
): Promise<void> {
  if (await deps.profiles.isTaken(address)) return
  const secret = randomBytes(TOKEN_BYTES).toString('base64url')
  const token = `${Buffer.from(address).toString('base64url')}.${secret}`
  await deps.profiles.keepLink({ userId, token, nowMs, endsMs: nowMs + LINK_MS })
  deps.onAddressLink({ email: address, token, language })
}

/** The address in a link that confirms it; null for any other string. */
export function addressIn(token: string): string | null {
  const [name = '', secret] = token.split('.')
  const address = Buffer.from(name, 'base64url').toString()
  return secret && isEmail(address) ? address : null
}

/** Changes the address by the emailed link, and notifies both. Null for an expired link. */
export async function confirmAddress(
  deps: ProfileDeps,
  { person, token }: { person: Person; token: string },
  origin: Origin,
): Promise<{ devices: string } | null> {
  const address = addressIn(token)
  if (address === null) return null
  await admitted(deps, 'link', { ...origin, email: null })
  const { nowMs } = origin
  const change = { email: address, token, nowMs }
  if (!(await deps.profiles.changeAddress(profileOf(person), change))) return null
  await deps.published(person.account.id)
  for (const email of [person.email, address])
    deps.notify({ kind: 'address', email, to: address, atMs: nowMs, language: origin.language })
  return { devices: await devicesWith(deps, { ...origin, email: address }) }
}

/** Deletes the account; false for a wrong password. */
export async function deleteAccount(
  deps: ProfileDeps,
  asking: Asking,
  origin: Origin,
): Promise<boolean> {
  if (!(await isOwnPassword(deps, asking, origin))) return false
  const { account, email } = asking.person
  await deps.profiles.deleteAccount(profileOf(asking.person), origin.nowMs)
  await deps.published(account.id)
  deps.notify({ kind: 'deleted', email, atMs: origin.nowMs, language: origin.language })
  return true
}
