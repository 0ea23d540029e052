import { describe, expect, test } from 'bun:test'
import type { Alert } from '~/domain/alert/alert.ts'
import type { Claim } from '~/domain/alert/claim.ts'
import { allowedPlaces } from '~/outbound/places.ts'
import { tellers } from '~/runtime/alert/tellers.ts'
import { WISH } from '../../service/alert/alert-world.ts'
import { clockAt } from '../../support/clock.ts'
import { KeptLog } from '../../support/log.ts'

const clock = clockAt('2026-03-05T14:25:30.500Z')

const MAILBOX = { kind: 'mail', address: 'ada@x.example', language: null } as const

const CLAIM: Claim = {
  ...{ id: 'd', alertId: 'a', accountId: 'c', kind: 'test', body: '{}', tries: 1 },
  ...{ createdMs: clock.now(), receiver: 'mail', to: MAILBOX },
}

const ALERT: Alert = {
  ...{ ...WISH, id: 'a', accountId: 'c', createdMs: 0, reason: null },
  status: 'active',
  ...{ revision: 0, standing: { isTrue: false, base: null }, evaluatedPosition: 0 },
  ...{ lastValue: null, firedMs: null },
}

/** The stored reply of an email for this behaviour of the mail server. */
const sent = (send: () => Promise<string>) =>
  tellers({
    ...{ clock, log: new KeptLog(), home: 'https://x.example', secret: async () => 'secret' },
    sending: {
      addressesOf: async () => [],
      connect: () => Promise.reject(new Error('no webhook is sent here')),
      deadline: (ms) => AbortSignal.timeout(ms),
      allowed: allowedPlaces([]),
    },
    mailer: { send, close() {} },
    fingerprint: async () => 'f',
    alertOf: async () => ALERT,
  }).mail(CLAIM, MAILBOX, new AbortController().signal)

describe('an email delivery', () => {
  test('stores the response of the server that accepted it', async () => {
    expect(await sent(async () => '250 2.0.0 Ok: queued')).toEqual({
      ...{ status: null, error: null, reply: '250 2.0.0 Ok: queued' },
    })
  })

  test('stores why the server refused it, on one line and shortened', async () => {
    const response = `550 5.1.1 no such\r\nuser ${'x'.repeat(500)}`
    const { error, reply } = await sent(async () => {
      throw Object.assign(new Error('refused'), { response })
    })
    expect(error).toBe('the mail could not be sent')
    expect(reply).toStartWith('550 5.1.1 no such user xxx')
    expect(reply).toHaveLength(200)
  })

  test('stores nothing without a response of a server', async () => {
    const failed = await sent(async () => {
      throw new Error('connect ECONNREFUSED')
    })
    expect(failed).toEqual({ status: null, error: 'the mail could not be sent' })
  })
})
