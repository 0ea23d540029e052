import { describe, expect, test } from 'bun:test'
import { type Mail, smtpMailer } from '~/portal/member/mailer.ts'
import { Outbox } from '~/portal/member/outbox.ts'
import { KeptLog } from '../../support/log.ts'
import { MailSink } from '../../support/mail-sink.ts'

const home = () => 'https://corridor.example'
const languageOf = async () => 'sw'
const LINK = {
  kind: 'confirm',
  email: 'ada@example.org',
  token: 'a.b-c+d',
  language: 'en',
} as const

describe('Outbox', () => {
  test('sends emails by SMTP, with the link on a line of its own', async () => {
    const sink = new MailSink()
    const log = new KeptLog()
    const mailer = smtpMailer({ url: sink.url, from: 'Corridor <corridor@example.org>' })
    const outbox = new Outbox({ mailer, log, home, languageOf })
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

  test('logs a refused email without its link, and makes no request wait for it', async () => {
    const log = new KeptLog()
    const mailer = { send: () => Promise.reject(new Error('no such server')), close() {} }
    const outbox = new Outbox({ mailer, log, home, languageOf })
    outbox.post(LINK)
    await outbox.settled()
    expect(log.said).toEqual(['error: an email was not sent'])
    expect(JSON.stringify(log.lines)).not.toContain(LINK.token)
  })

  test('queues a hundred emails at once, and no more', async () => {
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
    const outbox = new Outbox({ mailer, log, home, languageOf })
    for (let i = 0; i < 101; i++) outbox.post(LINK)
    expect([sent.length, log.lines.length]).toEqual([100, 1])
    resolve()
    await outbox.settled()
    outbox.post(LINK)
    expect(sent).toHaveLength(101)
  })

  test('writes in the language of the person, with links to the pages in it', async () => {
    const sent: Mail[] = []
    const mailer = { send: async (mail: Mail) => `${sent.push(mail)}`, close() {} }
    const outbox = new Outbox({ mailer, log: new KeptLog(), home, languageOf })
    outbox.post({ ...LINK, language: 'fr' })
    outbox.tell({ kind: 'password', email: LINK.email, atMs: 0 })
    outbox.tell({ kind: 'deleted', email: LINK.email, atMs: 0, language: 'pt' })
    outbox.tell({ kind: 'deleted', email: LINK.email, atMs: 0, language: 'a code of nobody' })
    await outbox.settled()
    const languages = sent.map(({ language, text }) => [
      language,
      /\.example(\S+?)\/\w/.exec(text)?.[1],
    ])
    expect(languages.sort()).toEqual([
      ['en', undefined],
      ['fr', '/fr'],
      ['pt', '/pt'],
      ['sw', '/sw'],
    ])
  })

  test('sends no notice if there is no mail server', () => {
    const log = new KeptLog()
    const atMs = Date.parse('2026-03-05T14:25:30Z')
    new Outbox({ mailer: null, log, home, languageOf }).tell({
      kind: 'password',
      email: LINK.email,
      atMs,
    })
    expect(log.said).toEqual([])
  })

  test('writes links to the log if there is no mail server', () => {
    const log = new KeptLog()
    new Outbox({ mailer: null, log, home, languageOf }).post(LINK)
    expect(log.lines[0]?.context).toEqual({
      to: 'ada@example.org',
      link: 'https://corridor.example/confirm?token=a.b-c%2Bd',
    })
  })
})
