import { describe, expect, test } from 'bun:test'
import type { Alert } from '~/domain/alert/alert.ts'
import { alertMail } from '~/portal/alert/mail.ts'
import { ENGLISH } from '~/portal/words/words.ts'

const ALERT: Alert = {
  ...{ id: '8f53dc6a-60c6-4945-91d1-af17fa035165', accountId: 'a', createdMs: 0, name: null },
  ...{ sourceCountry: null, targetCountry: null },
  ...{ corridor: { from: 'GBP', to: 'KES' }, amount: null, to: { kind: 'email' }, isOnce: false },
  when: { field: 'best', op: 'above', value: 165, periodMs: null },
  ...{ status: 'active', reason: null, revision: 0, evaluatedPosition: 1, lastValue: null },
  ...{ standing: { isTrue: true, base: null }, firedMs: null },
}

const mail = (data: object, { alert = ALERT, kind = 'fired' as 'fired' | 'test' | 'ended' } = {}) =>
  alertMail({
    words: ENGLISH,
    ...{ alert, kind, to: 'ada@example.org', home: 'https://rates.example.org', endToken: 'x.y' },
    body: JSON.stringify({ data }),
  })

const as_of = '2026-03-05T14:25:30.500Z'

describe('alertMail', () => {
  test('has the event, the value, the time and how to end the alert', () => {
    const data = { value: 165.25, previous: 164, as_of, data_freshness: 'realtime' }
    const { subject, text, headers } = mail(data, { alert: { ...ALERT, name: 'Fees' } })
    expect(subject).toBe('Alert: Fees')
    expect(text).toBe(
      [
        'GBP to KES: the best rate rises above 165 KES.',
        'It is 165.25 KES; before, it was 164.00 KES.',
        'This was so at 5 Mar 2026, 14:25 UTC.',
        'To end this alert, open this link; you need not sign in:',
        'https://rates.example.org/alerts/end?token=x.y\n',
      ].join('\n\n'),
    )
    expect(headers).toEqual({
      'List-Unsubscribe': '<https://rates.example.org/alerts/end?token=x.y>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  test('leaves out an unknown previous value, and says that prices come hourly', () => {
    const { text } = mail({ value: 165.25, previous: null, as_of, data_freshness: 'hourly' })
    expect(text).toContain('It is 165.25 KES.\n')
    expect(text).toContain('Your plan sees prices once an hour.')
  })

  test('has no value for stale prices', () => {
    const when = { field: 'stale', op: null, value: null, periodMs: null } as const
    const data = { value: true, previous: false, as_of, data_freshness: 'realtime' }
    const { text } = mail(data, { alert: { ...ALERT, when } })
    expect(text).toStartWith('GBP to KES: no price is current any more.\n\nThis was so at')
  })

  test('mentions no prices in a test', () => {
    const { subject, text } = mail({}, { kind: 'test' })
    expect(subject).toStartWith('Test of your alert: ')
    expect(text).toContain('You asked for this test. Nothing has happened to prices.')
  })

  test('names what no longer goes to an ended address, without a link to end it', () => {
    const data = { address: 'https://x.example/h', reason: 'gone', alerts: ['a', 'b'], lost: 2 }
    const { text, headers } = mail(data, { kind: 'ended' })
    expect(text).toContain('Nothing more is sent to https://x.example/h: gone.')
    expect(text).toContain('These alerts are switched off: a, b.')
    expect(text).toContain('2 firings were not sent.')
    expect(headers).toBeUndefined()
    expect(mail({ ...data, alerts: [], lost: 1 }, { kind: 'ended' }).text).toContain(
      'One firing was not sent.',
    )
  })
})
