export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Mailer = {
  /** Sends a mail; answers what the server said, and rejects when it did not accept it. */
  send(mail: Mail): Promise<string>
  /** Closes the connections; nothing is sent afterwards. */
  close(): void
}

const CONNECTIONS_MAX = 2
const WAIT_MS_MAX = 15_000

type Settings = { readonly smtpUrl: string | null; readonly mailFrom: string | null }

/** The mailer of the settings; null if they name none. */
export const mailerOf = ({ smtpUrl, mailFrom }: Settings): Mailer | null =>
  smtpUrl === null || mailFrom === null ? null : smtpMailer({ url: smtpUrl, from: mailFrom })

/** Mails over SMTP, whose library is loaded by the first mail. */
export function smtpMailer({ url, from }: { url: string; from: string }): Mailer {
  let transport: ReturnType<typeof transportTo> | null = null
  return {
    async send(mail) {
      transport ??= transportTo(url)
      const { response } = await (await transport).sendMail({ ...mail, from })
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
