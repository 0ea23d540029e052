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

export type ListedAccount = Account & {
  readonly createdMs: number
  readonly keyCount: number
  /** Of those, the ones in use. */
  readonly activeKeyCount: number
}

export type ListedKey = Key & { readonly createdMs: number }

/** Who is asking: the key that was shown, its account, and the tier that account is served. */
export type Caller = { readonly key: Key; readonly account: Account; readonly tier: Tier }

export const isRevoked = ({ revokedMs }: Pick<Key, 'revokedMs'>, nowMs: number): boolean =>
  revokedMs !== null && revokedMs <= nowMs

export const EMAIL_LENGTH_MAX = 254

const EMAIL = /^[^\s@\p{Cc}\p{Bidi_C}]+@[^\s@\p{Cc}\p{Bidi_C}]+$/u

/** Whether mail could be sent there; not whether it would arrive. */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text)

export const PASSWORD_LENGTH_MIN = 10
export const PASSWORD_LENGTH_MAX = 128

export const KEY_NAME_LENGTH_MAX = 60

const KEY_NAME = new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Bidi_C}]{1,${KEY_NAME_LENGTH_MAX}}$`, 'u')

const ONE_LINE = 'on one line, none of which turns its direction'

/** What makes a name of a key, as people are told. */
export const KEY_NAME_RULE = `1 to ${KEY_NAME_LENGTH_MAX} characters ${ONE_LINE}`

/** Whether a key may be called so. */
export const isKeyName = (text: string): boolean => KEY_NAME.test(text)

/** What the key is called that an account is made with. */
export const FIRST_KEY_NAME = 'default'

/** Keys of one account that are in use at once. */
export const ACTIVE_KEYS_MAX = 20

/** Keys of one account that are made within 24 hours, in use or not. */
export const DAILY_KEYS_MAX = 50

/** Why an account gets no further key. */
export type KeyRefusal = 'too_many' | 'too_often' | 'name_taken' | 'unknown' | 'ending'

export type NewKey = {
  readonly accountId: string
  readonly name: string
  readonly hash: string
  /** Who makes it, as the log names them. */
  readonly actor: string
}

/** A new key in the place of an old one. */
export type KeyReplacement = {
  readonly keyId: string
  readonly accountId: string
  readonly hash: string
  /** When the old key ends. */
  readonly endsMs: number
  readonly actor: string
}

/** What holds for keys that people make for themselves. */
export type KeyRules = {
  readonly activeMax: number
  readonly dailyMax: number
  readonly nowMs: number
}

export type Granted = { readonly key: Key } | { readonly refusal: KeyRefusal }

/** Who revokes; `accountId` for one who may only revoke that account's keys. */
export type Revoker = { readonly actor: string; readonly accountId?: string }

export type RevokedKey = { readonly keyId: string; readonly revokedMs: number }
