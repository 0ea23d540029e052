import { Webhook } from 'standardwebhooks'

type Signed = {
  /** Id by which a receiver recognises the message, however often it comes. */
  readonly id: string
  readonly atMs: number
  readonly body: string
  /** The secrets to sign with, at least one; a receiver needs to know one of them. */
  readonly secrets: readonly string[]
}

/** The headers of Standard Webhooks by which a receiver verifies a message's sender and time. */
export function signatureHeaders({ id, atMs, body, secrets }: Signed): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(atMs), body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}
