import { type Credentials, FIRST_KEY_NAME, type Key } from '~/domain/account.ts'
import {
  type Attempt,
  type AttemptStore,
  countAttempt,
  forgetAttempts,
  type Limited,
} from '~/service/attempts.ts'
import type { OwnKeysDeps } from '~/service/own-keys.ts'
import { type DevicesDeps, deviceOf, devicesWith } from './devices.ts'
import { type PasswordFault, passwordFault } from './passwords.ts'
import type { PersonDeps } from './person.ts'

/** A session that has just begun, and the `Set-Cookie` lines that carry it. */
export type SignedIn = {
  readonly userId: string
  readonly email: string
  readonly cookies: readonly string[]
}

/** The right password; a second factor is required next, tied to these `Set-Cookie` lines. */
export type Pending = { readonly pendingCookies: readonly string[] }

/**
 * People's addresses, passwords and sessions. Only `unconfirmed`, which takes the right password,
 * reveals whether an address is known.
 */
type Authentication = {
  /**
   * Emails a link: to confirm the address, or to choose a new password if the address is known.
   * False for an invalid address, or a password outside the limits.
   */
  signUp(person: Credentials & { readonly language: string }): Promise<boolean>
  signIn(
    person: Credentials,
    userAgent?: string,
  ): Promise<SignedIn | Pending | 'wrong' | 'unconfirmed'>
  /** Emails another link to confirm an address that is not confirmed yet. */
  sendConfirmation(email: string): Promise<void>
  confirm(token: string): Promise<boolean>
  /** Emails a link to choose a new password to an address that is known. */
  requestReset(email: string): Promise<void>
  /** The person that a link for a new password belongs to, or did; null for an unknown one. */
  linkOwner(token: string): Promise<string | null>
  /**
   * Sets a new password; false for a stale link. Ends all sessions and all other links of the
   * person, and confirms the address.
   */
  reset(reset: { token: string; password: string }): Promise<boolean>
  isPassword(password: string, headers: Headers): Promise<boolean>
  /**
   * Changes the password of that person, ends all other sessions and all links, and returns the
   * `Set-Cookie` lines of a new session; null if `current` is wrong.
   */
  changePassword(
    change: { current: string; password: string },
    headers: Headers,
  ): Promise<readonly string[] | null>
  /** Ends the session, and returns the `Set-Cookie` lines that delete its cookie. */
  signOut(headers: Headers): Promise<readonly string[]>
}

type Members = DevicesDeps['members'] & {
  /**
   * Gives the person an account: the one under their address, or a new one (free, member), and
   * stores the language of their emails. `firstKey` is set only if the account is new. Null while
   * the address is not confirmed.
   */
  join(
    userId: string,
    first: { name: string; hash: string; lastFour: string; language: string },
  ): Promise<{ accountId: string; firstKey: Key | null } | null>
}

type Sessions = {
  /** Ends all but the newest `max` sessions of a person. */
  boundSessions(userId: string, max: number): Promise<void>
}

export type PeopleDeps = Omit<OwnKeysDeps, 'keyStore'> &
  PersonDeps & {
    readonly people: Authentication
    readonly members: Members
    readonly sessions: Sessions
    readonly attempts: AttemptStore
    readonly fingerprint: (text: string) => Promise<string>
    readonly waited: (ms: number) => Promise<void>
  }

/** Address and time of a person's request. */
export type Origin = {
  readonly address: string
  readonly nowMs: number
  /** The cookie with the accounts that the browser signed in to before; empty for none. */
  readonly devices: string
  /** Name that the browser gave, cut to a bound; empty if it gave none. */
  readonly userAgent: string
  readonly language: string
}

/** The cookie that a browser shows from now on, having proved the password. */
type Known = { readonly devices: string }

/** A person who is signed in; `firstKey` is the first key if this created the account. */
export type Entry = Known & {
  readonly email: string
  readonly cookies: readonly string[]
  readonly firstKey: string | null
}

/** The maximum number of sessions that a person may have at a time; another one ends the oldest. */
const SESSIONS_MAX = 10

/** The minimum duration of a response that must not reveal which addresses are known. */
const ANSWER_MS_MIN = 600

/**
 * Emails a link. The response and its timing are the same for everyone. False for a string that
 * cannot be an address or a password.
 */
export async function signUp(
  deps: PeopleDeps,
  person: Credentials,
  origin: Origin,
): Promise<boolean> {
  await admitted(deps, 'sign-up', { ...origin, email: person.email })
  return evenly(deps, deps.people.signUp({ ...person, language: origin.language }))
}

/** A session, or the reason for refusing; an unconfirmed person is emailed a new link. */
export async function signIn(
  deps: PeopleDeps,
  person: Credentials,
  origin: Origin,
): Promise<Entry | Pending | 'wrong' | 'unconfirmed'> {
  const attempt = await admitted(deps, 'sign-in', { ...origin, email: person.email })
  const signedIn = await deps.people.signIn(person, origin.userAgent)
  if (signedIn === 'unconfirmed') await mailAgain(deps, person.email, origin)
  return isEntered(signedIn) ? entered(deps, signedIn, { origin, attempt }) : signedIn
}

const isEntered = (outcome: SignedIn | Pending | string): outcome is SignedIn =>
  typeof outcome !== 'string' && 'userId' in outcome

/**
 * Confirms an address by the emailed link and the password chosen at sign-up. Neither a person who
 * only signed up with another person's address nor one who only reads that email gets in. Counts as
 * a sign-in, since anybody may make up a link.
 */
export async function confirm(
  deps: PeopleDeps,
  { token, password }: { token: string; password: string },
  origin: Origin,
): Promise<Entry | Pending | 'wrong' | 'stale'> {
  const email = emailIn(token)
  if (email === null) return 'stale'
  const attempt = await admitted(deps, 'sign-in', { ...origin, email })
  const first = await deps.people.signIn({ email, password }, origin.userAgent)
  if (isEntered(first)) return entered(deps, first, { origin, attempt })
  if (first !== 'unconfirmed') return first
  if (!(await deps.people.confirm(token))) {
    await mailAgain(deps, email, origin)
    return 'stale'
  }
  const signedIn = await deps.people.signIn({ email, password }, origin.userAgent)
  return isEntered(signedIn) ? entered(deps, signedIn, { origin, attempt }) : 'stale'
}

/** Emails a link to choose a new password, if the address is known. */
export async function requestReset(deps: PeopleDeps, email: string, origin: Origin): Promise<void> {
  await admitted(deps, 'reset', { ...origin, email })
  await evenly(deps, deps.people.requestReset(email))
}

/**
 * Sets a new password by an emailed link, and remembers the browser; a password that is refused
 * leaves the link usable.
 */
export async function reset(
  deps: PeopleDeps,
  { token, password }: { token: string; password: string },
  origin: Origin,
): Promise<Known | PasswordFault | 'stale'> {
  await admitted(deps, 'link', { ...origin, email: null })
  const email = await deps.people.linkOwner(token)
  if (email === null) return 'stale'
  const fault = await passwordFault({ password, email })
  if (fault) return fault
  if (!(await deps.people.reset({ token, password }))) return 'stale'
  deps.notify({ kind: 'password', email, atMs: origin.nowMs })
  return { devices: await devicesWith(deps, { ...origin, email }) }
}

type Made = { readonly origin: Origin; readonly attempt: Attempt }

/** Steps after a session began, in any way: an account, a bound on sessions, and the cookie. */
export async function entered(
  deps: PeopleDeps,
  signedIn: SignedIn,
  { origin, attempt }: Made,
): Promise<Entry> {
  const { userId, email, cookies } = signedIn
  const { key, hash, lastFour } = deps.newKey()
  const { language } = origin
  const first = { name: FIRST_KEY_NAME, hash, lastFour, language }
  const membership = await deps.members.join(userId, first)
  if (!membership) throw new Error('a person is signed in whose address is not confirmed')
  await deps.published(membership.accountId)
  await deps.sessions.boundSessions(userId, SESSIONS_MAX)
  await forgetAttempts(counting(deps), attempt)
  const devices = await devicesWith(deps, { ...origin, email })
  if (!membership.firstKey) return { email, cookies, devices, firstKey: null }
  deps.notify({ kind: 'key', email, key: membership.firstKey, atMs: origin.nowMs })
  return { email, cookies, devices, firstKey: key }
}

/** Emails the confirmation link again. Counts as a sign-up, whose email it repeats. */
async function mailAgain(deps: PeopleDeps, email: string, origin: Origin): Promise<void> {
  await admitted(deps, 'sign-up', { ...origin, email })
  await deps.people.sendConfirmation(email)
}

type Asked = Origin & { readonly email: string | null }

/** Counts an attempt and returns it. Throws TooManyAttempts. */
export async function admitted(deps: PeopleDeps, what: Limited, asked: Asked): Promise<Attempt> {
  const { address, nowMs, email, devices } = asked
  const device = email === null ? null : await deviceOf(deps, { email, devices })
  const attempt = { what, address, nowMs, email, device }
  await countAttempt(counting(deps), attempt)
  return attempt
}

const counting = ({ attempts, fingerprint }: PeopleDeps) => ({
  store: attempts,
  fingerprint,
})

/** The result of the work, after at least the fixed time, whether it fails or not. */
export async function evenly<T>(deps: PeopleDeps, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, deps.waited(ANSWER_MS_MIN)])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** The address in a confirmation link; the signature is not checked here. */
export function emailIn(token: string): string | null {
  try {
    const [, payload = ''] = token.split('.')
    const { email } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return typeof email === 'string' ? email : null
  } catch {
    return null
  }
}
