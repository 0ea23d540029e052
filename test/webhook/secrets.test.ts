import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { newWebhookSecret, sealBy } from '~/webhook/secrets.ts'

const SHARED = 'a secret that all replicas share'
const seal = sealBy(async () => SHARED, randomBytes)

describe('newWebhookSecret', () => {
  test('has the form of Standard Webhooks, 24 random bytes', () => {
    const secrets = Array.from({ length: 100 }, () => newWebhookSecret(randomBytes))
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(24)
    }
  })
})

describe('sealBy', () => {
  test('another process with the same secret opens what was sealed, which reveals nothing', async () => {
    const secret = newWebhookSecret(randomBytes)
    const sealed = await seal.sealed(secret)
    expect(sealed).not.toContain(secret.slice(6, 14))
    expect(await seal.sealed(secret)).not.toBe(sealed)
    const elsewhere = sealBy(async () => SHARED, randomBytes)
    expect(await elsewhere.opened(sealed)).toBe(secret)
  })

  test('nothing opens by another secret, changed or cut', async () => {
    const sealed = await seal.sealed('whsec_x')
    const other = sealBy(async () => 'another secret', randomBytes)
    const bytes = Buffer.from(sealed, 'base64')
    bytes[bytes.length - 1]! ^= 1
    const failures = [
      () => other.opened(sealed),
      () => seal.opened(bytes.toString('base64')),
      () => seal.opened(sealed.slice(0, 20)),
      () => seal.opened(''),
    ]
    for (const opened of failures) expect(await opened().catch(() => 'shut')).toBe('shut')
  })
})
