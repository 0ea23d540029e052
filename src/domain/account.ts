import type { Tier } from './freshness.ts'
import type { Plan, Role } from './quota.ts'

/** Who pays and who may do what; its keys share one quota. */
export type Account = {
  readonly id: string
  readonly email: string
  readonly plan: Plan
  readonly role: Role
}

export type Key = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** SHA-256 of the key, in hex: all that is known of it. */
  readonly hash: string
  /** From when on it is refused; ahead for a key that is being replaced. */
  readonly revokedMs: number | null
}

/** Who is asking: the key that was shown, its account, and the tier that account is served. */
export type Caller = { readonly key: Key; readonly account: Account; readonly tier: Tier }

export const isRevoked = ({ revokedMs }: Pick<Key, 'revokedMs'>, nowMs: number): boolean =>
  revokedMs !== null && revokedMs <= nowMs

export const EMAIL_LENGTH_MAX = 254

const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u

/** Whether mail could be sent there; not whether it would arrive. */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text)

export const PASSWORD_LENGTH_MIN = 10
export const PASSWORD_LENGTH_MAX = 128

/** Keys of one account that are in use at once. */
export const ACTIVE_KEYS_MAX = 20

/** Keys of one account that are made within 24 hours, in use or not. */
export const DAILY_KEYS_MAX = 50

/** Why an account gets no further key. */
export type KeyRefusal = 'too_many' | 'too_often' | 'name_taken' | 'unknown' | 'ending'
