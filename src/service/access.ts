import { type Account, isRevoked, type Key } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Tier } from '~/domain/freshness.ts'
import { mayIngest, tierOf } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'

/** Who is asking: the key that was shown, its account, and the tier that account is served. */
export type Caller = { readonly key: Key; readonly account: Account; readonly tier: Tier }

/** Said to everybody alike, and in a flood very often: made once, without a stack for each. */
const MISSING_KEY = new ServiceError(
  'missing_key',
  'send your API key in the X-API-Key request header',
)
const INVALID_KEY = new ServiceError(
  'invalid_key',
  'this API key is not valid; check that the whole key was copied, or create a new one',
)
const REVOKED_KEY = new ServiceError(
  'revoked_key',
  'this API key was revoked; use another or create one',
)

/** The caller behind a key. Throws `missing_key`, `invalid_key` or `revoked_key`. */
export function callerOf(keys: KeyIndex, text: string | null, nowMs: number): Caller {
  const found = callerOrRefusal(keys, text, nowMs)
  if (found instanceof ServiceError) throw found
  return found
}

/** The same for who is refused so often that throwing would cost too much. */
export function callerOrRefusal(
  keys: KeyIndex,
  text: string | null,
  nowMs: number,
): Caller | ServiceError {
  if (!text) return MISSING_KEY
  const key = keys.keyOf(text)
  const account = key && keys.account(key.accountId)
  if (!key || !account) return INVALID_KEY
  if (isRevoked(key, nowMs)) return REVOKED_KEY
  return { key, account, tier: tierOf(account.plan) }
}

/** Throws `forbidden` unless the account may record observations. */
export function assertMayIngest({ account }: Caller): void {
  if (!mayIngest(account.role))
    throw new ServiceError(
      'forbidden',
      'recording observations needs an account with the treasury or admin role; ask the operator',
    )
}
