import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'

type Mailbox = { readonly messages: object[] }
type Hoodiecrow = (options: object) => {
  readonly server: Server
  listen(port: number, host: string, listening: () => void): void
  getMailbox(path: string): Mailbox
  appendMessage(path: string, flags: readonly string[], atText: string, raw: string): void
}

const hoodiecrow: Hoodiecrow = createRequire(import.meta.url)('hoodiecrow-imap')

/** An email with an attachment, as a mailbox keeps it. */
export type Sent = {
  readonly from?: string
  readonly subject?: string
  readonly name?: string
  readonly content: Uint8Array
  readonly atMs: number
}

/** An email as it is sent: a sentence, and a file in base64. */
export function emailOf({ from, subject, name, content, atMs }: Sent): string {
  const file = name ?? 'prices.csv'
  const lines = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')
  return [
    `From: Prices <${from ?? 'prices@partner.example'}>`,
    'To: corridor@example.org',
    `Subject: ${subject ?? 'Daily rates'}`,
    `Date: ${new Date(atMs).toUTCString()}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=part',
    '',
    '--part\r\nContent-Type: text/plain\r\n\r\nSee the attachment.',
    `--part\r\nContent-Type: text/csv; charset=windows-1252; name=${file}`,
    `Content-Disposition: attachment; filename=${file}`,
    `Content-Transfer-Encoding: base64\r\n\r\n${lines}`,
    '--part--\r\n',
  ].join('\r\n')
}

type Certificate = { readonly key: string; readonly cert: string }

/** An IMAP server with one mailbox, `INBOX`, and one user, `corridor`; over TLS by a certificate. */
export class ImapServer {
  readonly #users = { corridor: { password: 'a password' } }
  readonly #server: ReturnType<Hoodiecrow>

  private constructor(credentials: Certificate | null) {
    const tls = credentials && { secureConnection: true, credentials }
    this.#server = hoodiecrow({ storage: { INBOX: { messages: [] } }, users: this.#users, ...tls })
  }

  static async start(credentials: Certificate | null = null): Promise<ImapServer> {
    const server = new ImapServer(credentials)
    await new Promise<void>((listening) => server.#server.listen(0, '127.0.0.1', listening))
    return server
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port
  }

  set password(text: string) {
    this.#users.corridor.password = text
  }

  /** Puts an email into the mailbox. */
  send(email: Sent): void {
    const [, day, month, year, time] = new Date(email.atMs).toUTCString().split(' ')
    const atText = `${day}-${month}-${year} ${time} +0000`
    this.#server.appendMessage('INBOX', [], atText, emailOf(email))
  }

  clear(): void {
    this.#server.getMailbox('INBOX').messages.length = 0
  }

  stop(): void {
    this.#server.server.close()
  }
}
