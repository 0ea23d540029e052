import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret } from '~/webhook/secrets.ts'
import { signatureHeaders } from '~/webhook/signature.ts'

const ID = 'e3b0c442-98fc-4c14-9afb-f4c8996fb924'
const BODY = '{"type":"alert.fired","data":{"value":171.25,"name":"Überweisung – 100 €"}}'

describe('signatureHeaders', () => {
  test('a receiver that knows only standardwebhooks verifies what is signed', () => {
    const secret = newWebhookSecret(randomBytes)
    const headers = signatureHeaders({ id: ID, atMs: Date.now(), body: BODY, secrets: [secret] })
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    const forged = BODY.replace('171.25', '181.25')
    expect(() => new Webhook(secret).verify(forged, headers)).toThrow('No matching signature')
    const replayed = { ...headers, 'webhook-id': 'another' }
    expect(() => new Webhook(secret).verify(BODY, replayed)).toThrow('No matching signature')
  })

  test('while a secret is replaced a receiver verifies with the old one, and with the new one', () => {
    const [fresh, old, other] = [0, 1, 2].map(() => newWebhookSecret(randomBytes)) as string[]
    const secrets = [fresh!, old!]
    const headers = signatureHeaders({ id: ID, atMs: Date.now(), body: BODY, secrets })
    for (const secret of secrets)
      expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    expect(() => new Webhook(other!).verify(BODY, headers)).toThrow('No matching signature')
  })

  test('an attempt of six minutes ago is too old for a receiver', () => {
    const secret = newWebhookSecret(randomBytes)
    const atMs = Date.now() - 6 * 60_000
    const headers = signatureHeaders({ id: ID, atMs, body: BODY, secrets: [secret] })
    expect(() => new Webhook(secret).verify(BODY, headers)).toThrow('too old')
  })
})
