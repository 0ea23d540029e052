import { LRUCache } from 'lru-cache'
import { type Account, type Caller, isRevoked, type Key } from '~/domain/account.ts'
import { ACCESS_TOKEN_PREFIX, isAccessToken, keyHashOf, tokenSecret } from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import { tierOf } from '~/domain/quota.ts'
import { AddressLimits } from '~/memory/address-limits.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import { TokenBucket } from '~/memory/token-bucket.ts'
import { type Credential, callerOf, type KeyAccess } from '~/service/access.ts'
import { inTime } from '~/service/deadline.ts'

/** Record of a valid access token in the database. */
export type HeldToken = {
  readonly keyHash: string
  readonly expiresMs: number
  readonly scopes: readonly string[]
}

type AccessTokensDeps = {
  readonly memory: { readonly current: { readonly keys: KeyIndex } }
  /**
   * The token whose secret part has this hash, with its key and account loaded into memory; null
   * if there is none, or if it was revoked.
   */
  readonly load: (tokenHash: string) => Promise<HeldToken | null>
  /** Says whether the secret part of a token bears our mark; needs no query. */
  readonly isMarked: (secret: string) => Promise<boolean>
  readonly clock: { now(): number }
}

/** The maximum number of remembered tokens, and of remembered invalid ones. */
const TOKENS_MAX = 10_000

/** The limit on lookups of tokens that bear our mark, which no other party can forge. */
const MARKED = { requestsMax: 2_000, windowMs: 2_000 }
/**
 * The limits on look-ups of all other tokens, by address and of all together: made-up ones, and
 * ours of before the signing secret changed, for an hour.
 */
const UNMARKED_BY_ADDRESS = { requestsMax: 40, windowMs: 10_000 }
const UNMARKED = { requestsMax: 200, windowMs: 2_000 }
const LOOK_UP = { msMax: 2_000, message: 'the database did not look up this token in time' }

const INVALID_TOKEN = new ServiceError(
  'invalid_key',
  'this access token is not valid or has expired; renew it, or connect the application again',
)
const ENDED_TOKEN = new ServiceError(
  'revoked_key',
  'this application was disconnected from the account; connect it again to go on',
)
const TOO_MANY_UNKNOWN = new ServiceError(
  'too_many_failures',
  'too many access tokens that this service did not issue came from your address; wait, then ' +
    'renew the token or connect the application again',
  {},
  UNMARKED_BY_ADDRESS.windowMs / 1000,
)
const TOO_MANY_LOOK_UPS = new ServiceError(
  'overloaded',
  'too many tokens are being looked up; try again in a few seconds',
  {},
  2,
)

type Known = HeldToken & { readonly key: Key; readonly account: Account; readonly caller: Caller }

/** A token as it was shown, when, and its origin, which is only evaluated for unknown tokens. */
type ShownToken = {
  readonly text: string
  readonly nowMs: number
  readonly address: () => string
}

/**
 * The callers behind access tokens of applications that people connected by signing in.
 *
 * A token is looked up in the database once, then found in memory until it expires, as long as
 * memory has its key and its account as they were then: a change of either causes another look-up,
 * so that the end of a connection or a token takes effect as soon as a revoked key would.
 *
 * A flood of made-up tokens takes no look-up from those that we issued, even if it comes from the
 * same address: only ours bear our mark.
 *
 * Cache 12 of a read, see docs/architecture.md.
 */
export class AccessTokens {
  readonly #known = new LRUCache<string, Known>({ max: TOKENS_MAX })
  /** Tokens that do not exist, and never will: a token is shown only once it exists. */
  readonly #vain = new LRUCache<string, true>({ max: TOKENS_MAX })
  readonly #marked: TokenBucket
  readonly #unmarked: TokenBucket
  readonly #byAddress = new AddressLimits(UNMARKED_BY_ADDRESS)

  constructor(private readonly deps: AccessTokensDeps) {
    const nowMs = deps.clock.now()
    this.#marked = new TokenBucket(MARKED, nowMs)
    this.#unmarked = new TokenBucket(UNMARKED, nowMs)
  }

  /** The caller, or the error; throws if the database is unreachable. */
  callerOf(shown: ShownToken): Caller | ServiceError | Promise<Caller | ServiceError> {
    const { text, nowMs } = shown
    const known = this.#known.get(text)
    if (known && this.#isCurrent(known)) return callerIn(known, nowMs)
    this.#known.delete(text)
    const secret = tokenSecret(text, ACCESS_TOKEN_PREFIX)
    if (secret === null || this.#vain.has(text)) return INVALID_TOKEN
    return this.#lookedUp(shown, secret)
  }

  async #lookedUp(shown: ShownToken, secret: string): Promise<Caller | ServiceError> {
    const isMarked = await this.deps.isMarked(secret)
    const refusal = this.#refusal(shown, isMarked)
    return refusal ?? this.#load(shown, { secret, isMarked })
  }

  #refusal({ nowMs, address }: ShownToken, isMarked: boolean): ServiceError | null {
    if (!isMarked && this.#byAddress.take(address(), nowMs) > 0) return TOO_MANY_UNKNOWN
    const bucket = isMarked ? this.#marked : this.#unmarked
    return bucket.take(nowMs) > 0 ? TOO_MANY_LOOK_UPS : null
  }

  #isCurrent({ key, account }: Known): boolean {
    const { keys } = this.deps.memory.current
    return keys.keyByHash(key.hash) === key && keys.account(account.id) === account
  }

  async #load(
    { text, nowMs }: ShownToken,
    { secret, isMarked }: { secret: string; isMarked: boolean },
  ): Promise<Caller | ServiceError> {
    const before = this.deps.memory.current.keys
    const held = await inTime(this.deps.load(keyHashOf(secret)), LOOK_UP)
    if (!held && isMarked) this.#vain.set(text, true)
    const { keys } = this.deps.memory.current
    const key = held && keys.keyByHash(held.keyHash)
    const account = key && keys.account(key.accountId)
    if (!held || !key || !account) return INVALID_TOKEN
    const { scopes } = held
    const caller = { key, account, tier: tierOf(account.plan), scopes }
    const known = { ...held, key, account, caller }
    // A change received meanwhile may be about this token, read before it.
    if (keys === before) this.#known.set(text, known)
    return callerIn(known, nowMs)
  }
}

function callerIn({ key, caller, expiresMs }: Known, nowMs: number): Caller | ServiceError {
  if (isRevoked(key, nowMs)) return ENDED_TOKEN
  return expiresMs <= nowMs ? INVALID_TOKEN : caller
}

export type ToolAccess = KeyAccess & {
  /** Looks up access tokens; not needed without sign-in. */
  readonly tokens?: Pick<AccessTokens, 'callerOf'>
}

type Shown = Omit<ShownToken, 'text'> & { readonly credential: Credential }

export function callerOfTools(
  access: ToolAccess,
  { credential, ...shown }: Shown,
): Caller | ServiceError | Promise<Caller | ServiceError> {
  if (typeof credential === 'string' && isAccessToken(credential) && access.tokens)
    return access.tokens.callerOf({ ...shown, text: credential })
  return callerOf(access, credential, shown.nowMs)
}
