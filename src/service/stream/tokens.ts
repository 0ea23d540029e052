import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Caller, isRevoked, type Key } from '~/domain/account.ts'
import { AHEAD_MS_MAX, MINUTE_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { tierOf } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import { inTime } from '~/service/deadline.ts'

const TOKEN_MS = 2 * MINUTE_MS

const PREFIX = 'crs_'
const ID_BYTES = 16
const MOMENT_BYTES = 6
const TEXT_BYTES = 2 * ID_BYTES + MOMENT_BYTES
const SEAL_BYTES = 32
/** Purpose of the shared secret here, so that no other string can be mistaken for ours. */
const PURPOSE = 'corridor stream token'
const SECRET_MS_MAX = 2000

const INVALID_TOKEN = new ServiceError(
  'invalid_token',
  'this token is not valid, or older than two minutes; ask POST /api/v1/stream/token for another',
)
const REVOKED_KEY = new ServiceError(
  'revoked_key',
  'the API key of this token was revoked; use another or create one',
)

/**
 * Tokens that open streams instead of a key, for browsers, which cannot set headers there.
 *
 * A token names its key and when it ends, sealed by the secret that all processes share; so any of
 * them knows it, and nothing is stored.
 */
export class StreamTokens {
  /** Takes the secret from `secretOf`, which rejects while it is not available. */
  constructor(private readonly secretOf: () => Promise<string>) {}

  async issued({ id, accountId }: Pick<Key, 'id' | 'accountId'>, nowMs: number) {
    const expiresMs = nowMs + TOKEN_MS
    const text = Buffer.alloc(TEXT_BYTES)
    text.set(idBytes(accountId), 0)
    text.set(idBytes(id), ID_BYTES)
    text.writeUIntBE(expiresMs, 2 * ID_BYTES, MOMENT_BYTES)
    const token = PREFIX + Buffer.concat([text, await this.#seal(text)]).toString('base64url')
    return { token, expiresMs }
  }

  /** The caller who was given this token, or why there is none. */
  async callerOf(keys: KeyIndex, token: string, nowMs: number): Promise<Caller | ServiceError> {
    const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
    if (!token.startsWith(PREFIX) || bytes.length !== TEXT_BYTES + SEAL_BYTES) return INVALID_TOKEN
    const text = bytes.subarray(0, TEXT_BYTES)
    const leftMs = text.readUIntBE(2 * ID_BYTES, MOMENT_BYTES) - nowMs
    if (leftMs <= 0 || leftMs > TOKEN_MS + AHEAD_MS_MAX) return INVALID_TOKEN
    if (!timingSafeEqual(bytes.subarray(TEXT_BYTES), await this.#seal(text))) return INVALID_TOKEN
    const account = keys.account(idText(text.subarray(0, ID_BYTES)))
    const keyId = idText(text.subarray(ID_BYTES, 2 * ID_BYTES))
    const key = account && keys.keysOf(account.id).find(({ id }) => id === keyId)
    if (!key) return INVALID_TOKEN
    return isRevoked(key, nowMs) ? REVOKED_KEY : { key, account, tier: tierOf(account.plan) }
  }

  async #seal(text: Uint8Array): Promise<Buffer> {
    const message = 'the database does not respond, and tokens need it; retry shortly, or use a key'
    const secret = await inTime(this.#secret(message), { msMax: SECRET_MS_MAX, message })
    return createHmac('sha256', secret).update(PURPOSE).update(text).digest()
  }

  async #secret(message: string): Promise<string> {
    try {
      return await this.secretOf()
    } catch (cause) {
      const away = new ServiceError('database_unavailable', message)
      away.cause = cause
      throw away
    }
  }
}

const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const idText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
