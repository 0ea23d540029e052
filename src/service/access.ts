import { type Caller, isRevoked } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import { mayIngest } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'

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
  const caller = keys.callerOf(text)
  if (!caller) return INVALID_KEY
  return isRevoked(caller.key, nowMs) ? REVOKED_KEY : caller
}

/** Throws `forbidden` unless the account may record observations. */
export function assertMayIngest({ account }: Caller): void {
  if (!mayIngest(account.role))
    throw new ServiceError(
      'forbidden',
      'recording observations needs an account with the treasury or admin role; ask the operator',
    )
}
