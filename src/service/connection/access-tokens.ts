import { LRUCache } from 'lru-cache'
import { type Account, type Caller, isRevoked, type Key } from '~/domain/account.ts'
import { ACCESS_TOKEN_PREFIX, isAccessToken, keyHashOf, tokenSecret } from '~/domain/api-key.ts'
import { ServiceError } from '~/domain/errors.ts'
import { tierOf } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import { TokenBucket } from '~/memory/token-bucket.ts'
import { type Credential, callerOf, type KeyAccess } from '~/service/access.ts'
import { inTime } from '~/service/deadline.ts'

/** What the database has of an access token that may be used. */
export type HeldToken = {
  /** The hash of the key that stands for the connected application. */
  readonly keyHash: string
  readonly expiresMs: number
}

type AccessTokensDeps = {
  readonly memory: { readonly current: { readonly keys: KeyIndex } }
  /**
   * The token whose secret part has this hash, with its key and account loaded into memory; null
   * where there is none, or where it was revoked.
   */
  readonly load: (tokenHash: string) => Promise<HeldToken | null>
  readonly clock: { now(): number }
}

/** How many tokens are remembered; beyond that those longest unused are looked up again. */
const TOKENS_MAX = 10_000

/** The limit on look-ups, so that made-up tokens, however many, cost no further queries. */
const LOOK_UPS = { requestsMax: 200, windowMs: 2_000 }
const LOOK_UP = { msMax: 2_000, message: 'the database did not tell in time about this token' }

const INVALID_TOKEN = new ServiceError(
  'invalid_key',
  'this access token is not valid or has expired; renew it, or connect the application again',
)
const ENDED_TOKEN = new ServiceError(
  'revoked_key',
  'this application was disconnected from the account; connect it again to go on',
)
const TOO_MANY_LOOK_UPS = new ServiceError(
  'overloaded',
  'too many tokens are being looked up; try again in a few seconds',
  {},
  2,
)

type Known = HeldToken & { readonly key: Key; readonly account: Account; readonly caller: Caller }

/**
 * The callers behind access tokens of applications that people connected by signing in.
 *
 * A token is looked up in the database once, then found in memory until it expires, as long as
 * memory has its key and its account as they were then: news of either has it looked up again, so
 * that the end of a connection, or of a token, holds as soon as news of a revoked key would.
 *
 * Cache 12 of a read, see docs/architecture.md.
 */
export class AccessTokens {
  readonly #known = new LRUCache<string, Known>({ max: TOKENS_MAX })
  readonly #lookUps: TokenBucket

  constructor(private readonly deps: AccessTokensDeps) {
    this.#lookUps = new TokenBucket(LOOK_UPS, deps.clock.now())
  }

  /** The caller, or why there is none; throws where the database cannot be asked. */
  callerOf(text: string, nowMs: number): Caller | ServiceError | Promise<Caller | ServiceError> {
    const known = this.#known.get(text)
    if (known && this.#isCurrent(known)) return callerIn(known, nowMs)
    this.#known.delete(text)
    const secret = tokenSecret(text, ACCESS_TOKEN_PREFIX)
    if (secret === null) return INVALID_TOKEN
    if (this.#lookUps.take(nowMs) > 0) return TOO_MANY_LOOK_UPS
    return this.#load(text, secret, nowMs)
  }

  #isCurrent({ key, account }: Known): boolean {
    const { keys } = this.deps.memory.current
    return keys.keyByHash(key.hash) === key && keys.account(account.id) === account
  }

  async #load(text: string, secret: string, nowMs: number): Promise<Caller | ServiceError> {
    const before = this.deps.memory.current.keys
    const held = await inTime(this.deps.load(keyHashOf(secret)), LOOK_UP)
    const { keys } = this.deps.memory.current
    const key = held && keys.keyByHash(held.keyHash)
    const account = key && keys.account(key.accountId)
    if (!held || !key || !account) return INVALID_TOKEN
    const known = { ...held, key, account, caller: { key, account, tier: tierOf(account.plan) } }
    // News that came meanwhile may be about this token, read before it.
    if (keys === before) this.#known.set(text, known)
    return callerIn(known, nowMs)
  }
}

function callerIn({ key, caller, expiresMs }: Known, nowMs: number): Caller | ServiceError {
  if (isRevoked(key, nowMs)) return ENDED_TOKEN
  return expiresMs <= nowMs ? INVALID_TOKEN : caller
}

export type ToolAccess = KeyAccess & {
  /** Looks up access tokens; not needed where nobody can sign in. */
  readonly tokens?: Pick<AccessTokens, 'callerOf'>
}

/** The caller of the tool server, by a key or the access token of a connected application. */
export function callerOfTools(
  access: ToolAccess,
  shown: Credential,
  nowMs: number,
): Caller | ServiceError | Promise<Caller | ServiceError> {
  if (typeof shown === 'string' && isAccessToken(shown) && access.tokens)
    return access.tokens.callerOf(shown, nowMs)
  return callerOf(access, shown, nowMs)
}
