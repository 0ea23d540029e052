import { ServiceError } from '~/domain/errors.ts'
import type { Credential } from '~/service/access.ts'

/** A credential that is ambiguous, since two headers give different ones. */
const TWO_KEYS = new ServiceError(
  'invalid_key',
  'the X-API-Key header and the Authorization header give two different keys; send only one',
)

const BEARER = /^bearer +(.+)$/i

/**
 * The key that a request shows, in `X-API-Key` or as `Authorization: Bearer`; null without one, a
 * refusal if the two differ. `Authorization` of another scheme is meant for another program,
 * such as a proxy.
 */
export function credentialOf(headers: Pick<Headers, 'get'>): Credential {
  const key = headers.get('x-api-key')
  const authorization = headers.get('authorization')
  const bearer = authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null)
  if (bearer === null || bearer === key) return key
  return key ? TWO_KEYS : bearer
}
