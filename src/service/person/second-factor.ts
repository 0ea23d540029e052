import { HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Factors, Profile } from '~/domain/person/profile.ts'
import {
  admitted,
  type Entry,
  entered,
  type Origin,
  type PeopleDeps,
  type SignedIn,
} from './people.ts'
import type { Person } from './person.ts'

/** A challenge for a browser, and the `Set-Cookie` lines that tie the response to it. */
export type Challenge = { readonly options: object; readonly cookies: readonly string[] }

type Refusal = 'wrong' | 'stale' | 'locked' | 'unreadable'

type Codes = {
  /** The person who has shown the password and not the second factor yet; null for none. */
  pending(headers: Headers, nowMs: number): Promise<{ userId: string; email: string } | null>
  /**
   * Takes a code of the app or for recovery; `stale` if the password is needed again, `unreadable`
   * if the app was set up under another secret of the service.
   */
  enterCode(code: string, headers: Headers): Promise<SignedIn | Refusal>
  /** The address that a new app reads; null if one is set up, or for a wrong password. */
  beginApp(password: string, headers: Headers): Promise<string | null>
  /** Ends the setting up by a code; returns `Set-Cookie` lines, or null for a wrong one. */
  confirmApp(code: string, headers: Headers): Promise<readonly string[] | null>
  newCodes(password: string, headers: Headers): Promise<readonly string[] | null>
  recoveryCodes(userId: string): Promise<readonly string[]>
}

type Passkeys = {
  newChallenge(headers: Headers): Promise<Challenge>
  add(passkey: { credential: object; name: string }, headers: Headers): Promise<object | null>
  signInChallenge(): Promise<Challenge>
  signIn(credential: object, headers: Headers): Promise<SignedIn | null>
}

type FactorStore = {
  factors(userId: string): Promise<Factors>
  factorAdded(profile: Profile, what: string): Promise<void>
  removeApp(profile: Profile): Promise<boolean>
  removePasskey(profile: Profile, id: string): Promise<boolean>
}

export type SecondFactorDeps = PeopleDeps & {
  readonly codes: Codes
  readonly passkeys: Passkeys
  readonly factors: FactorStore
  readonly sessions: {
    /** Ends all sessions of a person but the one with that token; null for all. */
    endSessions(userId: string, butToken: string | null): Promise<void>
  }
}

export const profileOf = ({ userId, email, account }: Person): Profile => ({
  ...{ userId, email, accountId: account.id },
})

export const PASSKEYS_MAX = 10
export const PASSKEY_NAME_LENGTH_MAX = 60
/** The longest code, one for recovery, and room for slips. */
export const CODE_LENGTH_MAX = 20

/** The time for which a code of an app is accepted, on either side of its half minute. */
const CODE_MS_MAX = 1.5 * MINUTE_MS

/** The second step of a sign-in. A code of an app works once. */
export async function enterCode(
  deps: SecondFactorDeps,
  { code, headers }: { code: string; headers: Headers },
  origin: Origin,
): Promise<Entry | Refusal> {
  const pending = await deps.codes.pending(headers, origin.nowMs)
  if (!pending) return 'stale'
  const attempt = await admitted(deps, 'sign-in', { ...origin, email: pending.email })
  const tidied = code.replaceAll(/\s/g, '').slice(0, CODE_LENGTH_MAX)
  if (await wasTried(deps, pending.userId, tidied, origin.nowMs)) return 'wrong'
  const signedIn = await deps.codes.enterCode(tidied, headers)
  return typeof signedIn === 'string' ? signedIn : entered(deps, signedIn, { origin, attempt })
}

/** Signs in by a passkey alone, which its owner had to unlock; null for one that is unknown. */
export async function enterByPasskey(
  deps: SecondFactorDeps,
  { credential, headers }: { credential: object; headers: Headers },
  origin: Origin,
): Promise<Entry | null> {
  const attempt = await admitted(deps, 'link', { ...origin, email: null })
  const signedIn = await deps.passkeys.signIn(credential, headers)
  return signedIn && entered(deps, signedIn, { origin, attempt })
}

/** Reports whether the password is that of the person; each check counts as a sign-in. */
export async function isOwnPassword(
  deps: PeopleDeps,
  { person, password, headers }: { person: Person; password: string; headers: Headers },
  origin: Origin,
): Promise<boolean> {
  await admitted(deps, 'sign-in', { ...origin, email: person.email })
  return deps.people.isPassword(password, headers)
}

/**
 * Ends the setting up of an app by its first code, and all other sessions, which had none. Returns
 * `Set-Cookie` lines; null for a wrong code.
 */
export async function confirmApp(
  deps: SecondFactorDeps,
  { person, code, headers }: { person: Person; code: string; headers: Headers },
  origin: Origin,
): Promise<readonly string[] | null> {
  await admitted(deps, 'sign-in', { ...origin, email: person.email })
  const tidied = code.replaceAll(/\s/g, '').slice(0, CODE_LENGTH_MAX)
  if (await wasTried(deps, person.userId, tidied, origin.nowMs)) return null
  const cookies = await deps.codes.confirmApp(tidied, headers)
  if (cookies === null) return null
  await factorAdded(deps, person, { what: 'authenticator app', cookies, nowMs: origin.nowMs })
  return cookies
}

/** Adds a passkey that a browser created; false if it does not match our challenge. */
export async function addPasskey(
  deps: SecondFactorDeps,
  { person, ...made }: { person: Person; name: string; credential: object },
  { headers, nowMs }: { headers: Headers; nowMs: number },
): Promise<boolean> {
  const { passkeys } = await deps.factors.factors(person.userId)
  if (passkeys.length >= PASSKEYS_MAX) return false
  if (!(await deps.passkeys.add(made, headers))) return false
  await factorAdded(deps, person, { what: 'passkey', cookies: [], nowMs })
  return true
}

/** Removes an app (null) or the passkey with that id; false if there is none. */
export async function removeFactor(
  deps: SecondFactorDeps,
  { person, passkeyId }: { person: Person; passkeyId: string | null },
  nowMs: number,
): Promise<boolean> {
  const profile = profileOf(person)
  const isRemoved =
    passkeyId === null
      ? await deps.factors.removeApp(profile)
      : await deps.factors.removePasskey(profile, passkeyId)
  if (isRemoved) {
    const what = passkeyId === null ? 'authenticator app' : 'passkey'
    deps.notify({ kind: 'factor', email: person.email, what, isAdded: false, atMs: nowMs })
  }
  return isRemoved
}

type Added = { what: string; cookies: readonly string[]; nowMs: number }

async function factorAdded(
  deps: SecondFactorDeps,
  person: Person,
  { what, cookies, nowMs }: Added,
): Promise<void> {
  await deps.factors.factorAdded(profileOf(person), what)
  await deps.sessions.endSessions(person.userId, tokenIn(cookies) ?? person.sessionToken)
  deps.notify({ kind: 'factor', email: person.email, what, isAdded: true, atMs: nowMs })
}

/** The token of the session that a `Set-Cookie` line begins; null without one. */
function tokenIn(cookies: readonly string[]): string | null {
  const line = cookies.findLast((one) => /^[\w-]*corridor\.session_token=[^;]/.test(one))
  if (!line) return null
  const value = line.slice(line.indexOf('=') + 1, line.indexOf(';'))
  return decodeURIComponent(value).split('.')[0]!
}

/** Reports whether a code of an app was tried before while it may be right; notes the try. */
async function wasTried(
  { attempts, fingerprint }: PeopleDeps,
  userId: string,
  code: string,
  nowMs: number,
): Promise<boolean> {
  const scope = await fingerprint(`code ${code} of ${userId}`)
  const endOf = (ms: number) => (Math.floor(ms / HOUR_MS) + 1) * HOUR_MS
  const windows = new Set([endOf(nowMs), endOf(nowMs + CODE_MS_MAX)])
  let isKnown = false
  for (const endsMs of windows) if ((await attempts.countAttempt(scope, endsMs)) > 1) isKnown = true
  return isKnown
}
