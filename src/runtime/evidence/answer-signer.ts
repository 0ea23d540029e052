import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto'
import { MINUTE_MS } from '~/domain/duration.ts'
import type { AnswerSigner } from '~/http/evidence/signing.ts'
import { ANSWER_MS_MAX, inTime } from '~/service/deadline.ts'
import { orUnavailable } from '~/store/outage.ts'
import type { LogKeys } from './log-keys.ts'

const AWAY = 'the key that signs cannot be read at the moment; ask without Accept-Signature'

type Deps = {
  readonly keys: LogKeys
  readonly clock: { now(): number }
  logSize(): number | null
}

/** Signs answers with the newest key of the log, which is read again each minute. */
export function answerSigner({ keys, clock, logSize }: Deps): AnswerSigner {
  let readMs = Number.NEGATIVE_INFINITY
  const current = async () => {
    const nowMs = clock.now()
    if (keys.known && Math.abs(nowMs - readMs) < MINUTE_MS) return keys.known
    const read = inTime(keys.read(), { msMax: ANSWER_MS_MAX, message: AWAY })
    const all = await orUnavailable(read, AWAY)
    readMs = nowMs
    return all
  }
  return {
    logSize,
    async key() {
      const newest = (await current()).at(-1)!
      return { id: jwkOf(newest).kid, sign: (bytes) => sign(null, bytes, newest) }
    },
    jwks: async () => (await current()).map(jwkOf),
  }
}

/** The public key as a JSON Web Key, named by its thumbprint. RFC 8037, RFC 7638 */
function jwkOf(key: KeyObject) {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  const required = { crv: 'Ed25519', kty: 'OKP', x }
  const kid = hash('sha256', JSON.stringify(required), 'base64url')
  return { ...required, kid, alg: 'EdDSA', use: 'sig' }
}
