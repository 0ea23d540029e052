import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 24
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

type RandomBytes = (count: number) => Buffer

/** A new secret, as Standard Webhooks writes them. */
export const newWebhookSecret = (randomBytes: RandomBytes): string =>
  PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/** Makes secrets unreadable for people who only have the database. */
type Seal = {
  /** The string, encrypted. */
  sealed(text: string): Promise<string>
  /** The decrypted string. Rejects if another secret of the service sealed it. */
  opened(sealed: string): Promise<string>
}

/** Seals by a key derived from the secret of all replicas, for one purpose alone. */
export function sealBy(
  shared: () => Promise<string>,
  randomBytes: RandomBytes,
  purpose = 'webhook',
): Seal {
  const key = async () =>
    Buffer.from(hkdfSync('sha256', await shared(), '', `corridor ${purpose} secrets`, KEY_BYTES))
  return {
    async sealed(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, await key(), nonce)
      const content = Buffer.concat([cipher.update(text), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64')
    },
    async opened(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const [nonce, rest] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)]
      const [tag, content] = [rest.subarray(0, TAG_BYTES), rest.subarray(TAG_BYTES)]
      const cipher = createDecipheriv(CIPHER, await key(), nonce, { authTagLength: TAG_BYTES })
      cipher.setAuthTag(tag)
      return Buffer.concat([cipher.update(content), cipher.final()]).toString()
    },
  }
}
