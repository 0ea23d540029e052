import { describe, expect, test } from 'bun:test'
import { type Mail, smtpMailer } from '~/portal/member/mailer.ts'
import { Outbox } from '~/portal/member/outbox.ts'
import { KeptLog } from '../../support/log.ts'
import { MailSink } from '../../support/mail-sink.ts'

const home = () => 'https://corridor.example'
const LINK = { kind: 'confirm', email: 'ada@example.org', token: 'a.b-c+d' } as const

describe('Outbox', () => {
  test('sends mails by SMTP, with the link on a line of its own', async () => {
    const sink = new MailSink()
    const log = new KeptLog()
    const mailer = smtpMailer({ url: sink.url, from: 'Corridor <corridor@example.org>' })
    const outbox = new Outbox({ mailer, log, home })
    outbox.post(LINK)
    outbox.post({ ...LINK, kind: 'reset' })
    await outbox.settled()
    expect(sink.mails).toHaveLength(2)
    const text = sink.mails.join('\n').replaceAll('=\r\n', '').replaceAll('=3D', '=')
    expect(text).toContain('From: Corridor <corridor@example.org>')
    expect(text).toContain('To: ada@example.org')
    expect(text).toContain('\nhttps://corridor.example/confirm?token=a.b-c%2Bd\r\n')
    expect(text).toContain('\nhttps://corridor.example/reset?token=a.b-c%2Bd\r\n')
    expect(log.said).toEqual([])
    await outbox.stop()
    sink.stop()
  })

  test('logs a refused mail without its link, and makes nobody wait for it', async () => {
    const log = new KeptLog()
    const mailer = { send: () => Promise.reject(new Error('no such server')), close() {} }
    const outbox = new Outbox({ mailer, log, home })
    outbox.post(LINK)
    await outbox.settled()
    expect(log.said).toEqual(['error: a mail was not sent'])
    expect(JSON.stringify(log.lines)).not.toContain(LINK.token)
  })

  test('keeps a hundred mails at once, and no more', async () => {
    const log = new KeptLog()
    const sent: Mail[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const mailer = {
      async send(mail: Mail) {
        sent.push(mail)
        await promise
        return '250 kept'
      },
      close() {},
    }
    const outbox = new Outbox({ mailer, log, home })
    for (let i = 0; i < 101; i++) outbox.post(LINK)
    expect([sent.length, log.lines.length]).toEqual([100, 1])
    resolve()
    await outbox.settled()
    outbox.post(LINK)
    expect(sent).toHaveLength(101)
  })

  test('sends no notice if there is no mail server', () => {
    const log = new KeptLog()
    const atMs = Date.parse('2026-03-05T14:25:30Z')
    new Outbox({ mailer: null, log, home }).tell({ kind: 'password', email: LINK.email, atMs })
    expect(log.said).toEqual([])
  })

  test('writes links to the log if there is no mail server', () => {
    const log = new KeptLog()
    new Outbox({ mailer: null, log, home }).post(LINK)
    expect(log.lines[0]?.context).toEqual({
      to: 'ada@example.org',
      link: 'https://corridor.example/confirm?token=a.b-c%2Bd',
    })
  })
})
