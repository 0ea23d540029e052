import { DAY_MS } from './duration.ts'
import type { Tier } from './freshness.ts'
import { isOneLine, ONE_LINE_RULE } from './naming/one-line.ts'
import type { Plan, Role } from './quota.ts'

/** A customer: the plan paid for and the rights that go with it. All its keys share one quota. */
export type Account = {
  readonly id: string
  readonly email: string
  readonly plan: Plan
  readonly role: Role
  /** The only providers whose prices it may record; null, or nothing, for no limit. */
  readonly providers?: readonly string[] | null
}

/** The ids in a list that a person wrote, by commas. */
export const idsIn = (text: string): string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')

type ProviderLimit = {
  readonly role: Role
  readonly ids: readonly string[]
  isProvider(id: string): boolean
}

/** The error of limiting an account to these providers; null if valid, and to lift a limit. */
export function limitFault({ role, ids, isProvider }: ProviderLimit): string | null {
  if (ids.length === 0) return null
  if (role !== 'treasury')
    return `only treasury accounts can be limited to providers, and the role of this one is ${role}`
  const unknown = ids.filter((id) => !isProvider(id))
  if (unknown.length === 0) return null
  return `no provider has the id ${unknown.join(' or ')}; use the ids of the catalogue`
}

export type Key = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The key's SHA-256 in hex; the key itself is not stored. */
  readonly hash: string
  /** The end of the key; null for a key created before it was stored. */
  readonly lastFour: string | null
  /** The units a day of a read-only key; null, or nothing, for a full key. */
  readonly dailyBudget?: number | null
  /** The web origins that alone may use a read-only key; null, or nothing, for any client. */
  readonly origins?: readonly string[] | null
  /** The time when the key stops working; in the future for a key that is being replaced. */
  readonly revokedMs: number | null
}

export type Access = { readonly accounts: readonly Account[]; readonly keys: readonly Key[] }

export type ListedAccount = Account & {
  readonly createdMs: number
  readonly keyCount: number
  readonly activeKeyCount: number
}

/** A page of the accounts whose address contains `search`. */
export type AccountPage = {
  readonly search: string
  readonly limit: number
  readonly offset: number
}

export type ListedKey = Key & { readonly createdMs: number }

/** The caller of a request: the key shown, its account, and the tier that account is served. */
export type Caller = {
  readonly key: Key
  readonly account: Account
  readonly tier: Tier
  /** Rights of a connected application; absent for a key, which has all. */
  readonly scopes?: readonly string[]
}

/** The daily budget of a read-only key unless another is chosen. */
export const READ_ONLY_BUDGET = 100

/** Reports whether a key reads mids only, and so may be part of a URL. */
export const isReadOnly = ({ dailyBudget = null }: Pick<Key, 'dailyBudget'>): boolean =>
  dailyBudget !== null

export const KEY_ORIGINS_MAX = 10

/** The rule for the origins of a read-only key, as people read it. */
export const KEY_ORIGINS_RULE =
  `at most ${KEY_ORIGINS_MAX} web origins such as https://shop.example, without a path, ` +
  'separated by commas'

const ORIGIN = /^https?:\/\/[^\s/?#@\\]+\/?$/i

/** The web origins listed in a string, as browsers send them; null if it breaks the rule. */
export function keyOriginsOf(text: string): readonly string[] | null {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  if (parts.length > KEY_ORIGINS_MAX) return null
  if (!parts.every((part) => ORIGIN.test(part) && URL.canParse(part))) return null
  return [...new Set(parts.map((part) => new URL(part).origin))]
}

/** The longest time for which a replaced key still works, and a day for clocks that differ. */
const ENDING_MS_MAX = 8 * DAY_MS

/** Reports whether a key has ended; a later end than any was set before a clock was turned back. */
export const isRevoked = ({ revokedMs }: Pick<Key, 'revokedMs'>, nowMs: number): boolean =>
  revokedMs !== null && (revokedMs <= nowMs || revokedMs > nowMs + ENDING_MS_MAX)

export const EMAIL_LENGTH_MAX = 254

const EMAIL = /^[^\s@\p{Cc}\p{Bidi_C}]+@[^\s@\p{Cc}\p{Bidi_C}]+$/u

/** Reports whether a string has the form of an email address; it may still not exist. */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text)

export type Credentials = { readonly email: string; readonly password: string }

/** A link to be mailed to a person; the token is its secret part. */
export type MailedLink = {
  readonly kind: 'confirm' | 'reset' | 'confirmAddress' | 'subscribe'
  readonly email: string
  readonly token: string
  /** The language of the email, by its code; null if the person's is unknown. */
  readonly language: string | null
  /** The thing to confirm, in that language; for a subscription alone. */
  readonly about?: string
}

export const PASSWORD_LENGTH_MIN = 10
export const PASSWORD_LENGTH_MAX = 128

export const KEY_NAME_LENGTH_MAX = 60

/** The rule for names of keys, as people read it. */
export const KEY_NAME_RULE = `1 to ${KEY_NAME_LENGTH_MAX} characters ${ONE_LINE_RULE}`

export const isKeyName = (text: string): boolean =>
  [...text].length <= KEY_NAME_LENGTH_MAX && isOneLine(text)

export const FIRST_KEY_NAME = 'default'

/** The maximum number of keys of one account that may be in use at once. */
export const ACTIVE_KEYS_MAX = 20

/** The maximum number of keys of one account that may be created within 24 hours, in use or not. */
export const DAILY_KEYS_MAX = 50

/** The reason why an account cannot get another key. */
export type KeyRefusal = 'too_many' | 'too_often' | 'name_taken' | 'unknown' | 'ending'

export type NewKey = Pick<Key, 'accountId' | 'name' | 'hash' | 'dailyBudget' | 'origins'> & {
  readonly lastFour?: string | undefined
  /** The person who creates the key, as the log names them. */
  readonly actor: string
}

/** A new key that takes the place of an old one. */
export type KeyReplacement = Omit<NewKey, 'name'> & {
  readonly keyId: string
  /** The time when the old key stops working. */
  readonly endsMs: number
}

/** The limits on keys that people create for themselves. */
export type KeyRules = {
  readonly activeMax: number
  readonly dailyMax: number
  readonly nowMs: number
}

export type Granted = { readonly key: Key } | { readonly refusal: KeyRefusal }

/** The person who revokes; `accountId` restricts them to the keys of that account. */
export type Revoker = { readonly actor: string; readonly accountId?: string }

export type RevokedKey = {
  readonly keyId: string
  readonly dailyBudget?: number | null | undefined
  readonly lastFour: string | null
  readonly revokedMs: number
}
