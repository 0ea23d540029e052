import type { Account } from '~/domain/account.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import type { Role } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'

type Session = {
  readonly userId: string
  readonly email: string
  readonly sessionId: string
  readonly token: string
  /** The time when it was last used, to a minute. */
  readonly usedMs: number
  readonly hasSecondFactor: boolean
}

export type PersonDeps = {
  readonly people: {
    /** The session whose cookie is in the headers; null when it is over. */
    session(headers: Headers): Promise<Session | null>
  }
  readonly members: {
    /** The id of the person's account; null when there is none yet. */
    accountOf(userId: string): Promise<string | null>
  }
  readonly sessions: {
    touchSession(id: string, nowMs: number): Promise<void>
    endSession(userId: string, id: string): Promise<void>
  }
  /** Makes memory serve an account as the database has it. */
  readonly published: (accountId: string) => Promise<void>
  /** Ends a session after so long without use. */
  readonly sessionIdleMs: number
  readonly secondFactorRoles: readonly Role[]
}

/** A signed-in user. */
export type Person = {
  readonly userId: string
  readonly email: string
  readonly sessionId: string
  readonly sessionToken: string
  readonly account: Account
  /** Says whether the password alone does not sign the person in. */
  readonly hasSecondFactor: boolean
  /** Says whether the role needs a second factor that is not set up yet. */
  readonly lacksSecondFactor: boolean
}

/** The person who is signed in, with their account; null for anybody else. */
export async function personOf(
  deps: PersonDeps,
  headers: Headers,
  { nowMs, keys }: { nowMs: number; keys: () => KeyIndex },
): Promise<Person | null> {
  const session = await deps.people.session(headers)
  if (!session || !(await isKeptInUse(deps, session, nowMs))) return null
  const { userId, email, sessionId, token: sessionToken, hasSecondFactor } = session
  const accountId = await deps.members.accountOf(userId)
  if (accountId === null) return null
  if (!keys().account(accountId)) await deps.published(accountId)
  const account = keys().account(accountId)
  if (!account) return null
  const lacksSecondFactor = !hasSecondFactor && deps.secondFactorRoles.includes(account.role)
  const own = { sessionId, sessionToken, hasSecondFactor, lacksSecondFactor }
  return { userId, email, account, ...own }
}

/**
 * Notes that the session is used, once a minute; false for one that was idle too long and ends, or
 * was used so long before a clock was turned back.
 */
async function isKeptInUse(
  { sessions, sessionIdleMs }: PersonDeps,
  { userId, sessionId, usedMs }: Session,
  nowMs: number,
): Promise<boolean> {
  const idleMs = Math.abs(nowMs - usedMs)
  if (idleMs >= sessionIdleMs) {
    await sessions.endSession(userId, sessionId)
    return false
  }
  if (idleMs >= MINUTE_MS) await sessions.touchSession(sessionId, nowMs)
  return true
}
