import { type Account, type Caller, isReadOnly, isRevoked } from '~/domain/account.ts'
import { isAccessToken, READ_ONLY_PREFIX } from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Recorder } from '~/domain/observation.ts'
import { mayIngest } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import type { NewKeys } from './new-keys.ts'

export type KeyAccess = {
  readonly memory: { readonly current: { readonly keys: KeyIndex } }
  /** Looks up keys created elsewhere; not needed if there are none. */
  readonly newKeys?: Pick<NewKeys, 'lookUp'>
}

/** Key of a request; null for none, or the refusal of one that is ambiguous. */
export type Credential = string | null | ServiceError

/** The refusal without a key, very frequent in a flood: made once, without a stack for each. */
const MISSING_KEY = new ServiceError(
  'missing_key',
  'send your API key in the X-API-Key request header',
)
const INVALID_KEY = new ServiceError(
  'invalid_key',
  'this API key is not valid; check that the whole key was copied, or create a new one',
)
const TOKEN_FOR_TOOLS = new ServiceError(
  'invalid_key',
  'this is an access token for the tools at /mcp; the API takes a key, which you can create in ' +
    'the developer area',
)
const REVOKED_KEY = new ServiceError(
  'revoked_key',
  'this API key was revoked; use another or create one',
)

const READ_ONLY_KEY = new ServiceError(
  'invalid_key',
  'a read-only key reads mids only, below /compat and by the fetch family; use a full key for this',
)
const EXPOSED_KEY = new ServiceError(
  'invalid_key',
  'a full key must not be part of a URL, where others can read it; create a read-only key for ' +
    'this, and revoke the key that you sent',
)

const OTHER_ORIGIN = new ServiceError(
  'invalid_key',
  'this read-only key is for pages of certain web origins, and this request comes from ' +
    'elsewhere; use a key without origins',
)

/** Use for which a read-only key is enough: the web origin that a request states; null for none. */
type ReadOnlyUse = { readonly origin: string | null }

/** The caller of a key in a URL, as `callerOf`; `invalid_key` if it is a full key, valid or not. */
export const urlCallerOf = (
  access: KeyAccess,
  text: string,
  { nowMs, ...readOnly }: ReadOnlyUse & { readonly nowMs: number },
) => (text.startsWith(READ_ONLY_PREFIX) ? callerOf(access, text, nowMs, readOnly) : EXPOSED_KEY)

/**
 * The caller behind a key, or `missing_key`, `invalid_key` (for a read-only key too, unless that is
 * enough and the request comes from an origin of the key) or `revoked_key`, returned and not
 * thrown: that would cost too much for callers that are refused often. Asynchronous only for a key
 * that may have been created just now.
 */
export function callerOf(
  { memory, newKeys }: KeyAccess,
  text: Credential,
  nowMs: number,
  readOnly: ReadOnlyUse | null = null,
): Caller | ServiceError | Promise<Caller | ServiceError> {
  if (text instanceof ServiceError) return text
  const find = () => {
    const found = known(memory.current.keys, text, nowMs)
    if (found instanceof ServiceError || !isReadOnly(found.key)) return found
    return readOnly ? ofOrigin(found, readOnly) : READ_ONLY_KEY
  }
  const found = find()
  if (found !== INVALID_KEY) return found
  const lookUp = newKeys?.lookUp(text!)
  return lookUp ? lookUp.then(find) : found
}

const ofOrigin = (caller: Caller, { origin }: ReadOnlyUse): Caller | ServiceError =>
  !caller.key.origins || caller.key.origins.includes(origin ?? '') ? caller : OTHER_ORIGIN

function known(keys: KeyIndex, text: string | null, nowMs: number): Caller | ServiceError {
  if (!text) return MISSING_KEY
  const caller = keys.callerOf(text)
  if (!caller) return isAccessToken(text) ? TOKEN_FOR_TOOLS : INVALID_KEY
  return isRevoked(caller.key, nowMs) ? REVOKED_KEY : caller
}

export const recorderOf = ({ account, key }: Caller): Recorder => ({
  accountId: account.id,
  keyId: key.id,
})

/** The only providers that an account may record prices of; null for no limit. */
export const allowedProviders = ({ role, providers }: Account): readonly string[] | null =>
  role === 'treasury' ? (providers ?? null) : null

/** Throws `forbidden` if one of these providers is not among those that the account is for. */
export function assertMayRecordFor(
  { account }: Pick<Caller, 'account'>,
  providerIds: readonly string[],
): void {
  const allowed = allowedProviders(account)
  const other = allowed && providerIds.find((id) => !allowed.includes(id))
  if (!allowed || other === undefined) return
  throw new ServiceError(
    'forbidden',
    `this account may record prices of ${allowed.join(', ')} only, not of ${other}: nothing was ` +
      'recorded; send those alone, or ask the operator',
    { allowed_providers: allowed },
  )
}

/** Throws `forbidden` unless the account may record observations. */
export function assertMayIngest({ account }: Caller): void {
  if (!mayIngest(account.role))
    throw new ServiceError(
      'forbidden',
      'recording observations needs an account with the treasury or admin role; ask the operator',
    )
}
