import {
  ACTIVE_KEYS_MAX,
  DAILY_KEYS_MAX,
  type Granted,
  isKeyName,
  type KeyRefusal,
  type KeyReplacement,
  type KeyRules,
  keyOriginsOf,
  type NewKey,
  READ_ONLY_BUDGET,
  type RevokedKey,
  type Revoker,
} from '~/domain/account.ts'
import type { NewKeyText } from '~/domain/api-key.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Notify } from './notices.ts'

/** The time for which an old key also works. */
export const OVERLAPS_MS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * DAY_MS } as const

export type Overlap = keyof typeof OVERLAPS_MS

const RULES = { activeMax: ACTIVE_KEYS_MAX, dailyMax: DAILY_KEYS_MAX }

type OwnKeyStore = {
  /** Creates a key within the rules, or returns the reason for refusing. */
  grantKey(key: NewKey, rules: KeyRules): Promise<Granted>
  /** Replaces a key by a new one; the old key ends later. */
  replaceKey(replacement: KeyReplacement, rules: KeyRules): Promise<Granted>
  /**
   * Revokes a key; null if it does not exist or belongs to another account. A key that was revoked
   * or ends before then keeps its time.
   */
  revokeKey(id: string, nowMs: number, by: Revoker): Promise<RevokedKey | null>
}

export type OwnKeysDeps = {
  readonly keyStore: OwnKeyStore
  readonly newKey: (isReadOnly?: boolean) => NewKeyText
  /** Makes memory serve an account as the database has it. */
  readonly published: (accountId: string) => Promise<void>
  readonly notify: Notify
}

/** The owner of the keys, the person who acts, and when. */
export type Owner = {
  readonly accountId: string
  /** The address that is notified of a new key. */
  readonly email: string
  readonly actor: string
  readonly nowMs: number
}

/** A key, whose string is shown only once, or the reason for refusing. */
export type NewOwnKey =
  | { readonly id: string; readonly name: string; readonly text: string }
  | { readonly refusal: KeyRefusal | 'no_name' | 'no_origins' }

type AskedKey = {
  readonly name: string
  readonly isReadOnly?: boolean
  /** The web origins that alone may use a read-only key, as a person lists them; none for any. */
  readonly origins?: string
}

/**
 * Creates another key of an account, with a budget of its own if it only reads mids; it works on
 * this replica as soon as this resolves.
 */
export async function createOwnKey(
  deps: OwnKeysDeps,
  owner: Owner,
  { name, isReadOnly = false, origins: listed = '' }: AskedKey,
): Promise<NewOwnKey> {
  const { accountId, actor, nowMs } = owner
  if (!isKeyName(name.trim())) return { refusal: 'no_name' }
  const known = keyOriginsOf(listed)
  if (!known || (known.length > 0 && !isReadOnly)) return { refusal: 'no_origins' }
  const origins = known.length > 0 ? known : null
  const { key: text, hash, lastFour } = deps.newKey(isReadOnly)
  const dailyBudget = isReadOnly ? READ_ONLY_BUDGET : null
  const wanted = { accountId, name: name.trim(), hash, lastFour, dailyBudget, origins, actor }
  const granted = await deps.keyStore.grantKey(wanted, { ...RULES, nowMs })
  return shown(deps, owner, { granted, text })
}

/** Creates a key in the place of one that ends after the overlap. */
export async function replaceOwnKey(
  deps: OwnKeysDeps,
  owner: Owner,
  { keyId, overlap }: { keyId: string; overlap: Overlap },
): Promise<NewOwnKey> {
  const { accountId, actor, nowMs } = owner
  const { key: text, hash, lastFour } = deps.newKey()
  const endsMs = nowMs + OVERLAPS_MS[overlap]
  const replacement = { keyId, accountId, hash, lastFour, endsMs, actor }
  const rules = { ...RULES, nowMs }
  const granted = await deps.keyStore.replaceKey(replacement, rules)
  return shown(deps, owner, { granted, text })
}

/** Revokes a key; false when the account has no such key. This replica refuses it from then on. */
export async function revokeOwnKey(
  deps: OwnKeysDeps,
  { accountId, actor, nowMs }: Owner,
  keyId: string,
): Promise<boolean> {
  const revoked = await deps.keyStore.revokeKey(keyId, nowMs, { actor, accountId })
  if (revoked) await deps.published(accountId)
  return revoked !== null
}

async function shown(
  deps: OwnKeysDeps,
  { accountId, email, nowMs }: Owner,
  { granted, text }: { granted: Granted; text: string },
): Promise<NewOwnKey> {
  if ('refusal' in granted) return granted
  const { id, name } = granted.key
  deps.notify({ kind: 'key', email, key: granted.key, atMs: nowMs })
  await deps.published(accountId)
  return { id, name, text }
}
