import type { Language } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'

export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly language: Language
  readonly headers?: Readonly<Record<string, string>>
}

export type Mailer = {
  /** Sends an email; returns the server's reply, and rejects if the server did not accept it. */
  send(mail: Mail): Promise<string>
  /** Closes the connections; nothing is sent afterwards. */
  close(): void
}

const CONNECTIONS_MAX = 2
const WAIT_MS_MAX = 15_000

type Settings = {
  readonly smtpUrl: string | null
  readonly mailFrom: string | null
  /** Says whether prices may be those of the sample, which every email then states. */
  readonly isSample: boolean
}

/** The mailer of the settings; null if they name none. */
export function mailerOf({ smtpUrl, mailFrom, isSample }: Settings): Mailer | null {
  if (smtpUrl === null || mailFrom === null) return null
  const mailer = smtpMailer({ url: smtpUrl, from: mailFrom })
  if (!isSample) return mailer
  const labelled = (mail: Mail) => {
    const banner = Words.in(mail.language).say('sample.banner')
    return { ...mail, text: `${banner}\n\n${mail.text}` }
  }
  return { ...mailer, send: (mail) => mailer.send(labelled(mail)) }
}

/** Emails over SMTP, whose library is loaded by the first email. */
export function smtpMailer({ url, from }: { url: string; from: string }): Mailer {
  let transport: ReturnType<typeof transportTo> | null = null
  return {
    async send({ to: address, language, headers, ...mail }) {
      transport ??= transportTo(url)
      const to = { name: '', address }
      const labelled = { ...headers, 'Content-Language': language }
      const { response } = await (await transport).sendMail({
        ...mail,
        to,
        from,
        headers: labelled,
      })
      return response
    },
    close() {
      transport?.then(
        (open) => open.close(),
        () => {},
      )
    },
  }
}

async function transportTo(url: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    connectionTimeout: WAIT_MS_MAX,
    greetingTimeout: WAIT_MS_MAX,
    socketTimeout: WAIT_MS_MAX,
  })
}
