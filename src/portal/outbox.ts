import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '~/log.ts'
import type { Mail, Mailer } from './mailer.ts'
import { PATHS } from './paths.ts'

const STOP_WAIT_MS = 2000

/** Mails on their way at once; further ones are not sent. */
const MAILS_MAX = 100

export type Link = {
  readonly kind: 'confirm' | 'reset'
  readonly email: string
  readonly token: string
}

export type OutboxOptions = {
  /** Null where no mail can be sent: links go to the log instead. */
  readonly mailer: Mailer | null
  readonly log: Log
  /** The origin that people use; never what a request says of it. */
  readonly origin: () => string
}

/** Sends links without anybody waiting for them. */
export class Outbox {
  readonly #sending = new Set<Promise<void>>()

  constructor(private readonly options: OutboxOptions) {}

  post(link: Link): void {
    const { mailer, log, origin } = this.options
    const url = `${origin()}${PATHS[link.kind]}?${new URLSearchParams({ token: link.token })}`
    if (!mailer) {
      log.warn({ to: link.email, link: url }, 'SMTP_URL is not set, so this link was not mailed')
      return
    }
    if (this.#sending.size >= MAILS_MAX) {
      log.error({}, 'a mail was not sent: too many are on their way')
      return
    }
    const sending = mailer.send(mailOf(link, url)).catch((err) => {
      log.error({ err }, 'a mail was not sent')
    })
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  /** Resolves when every mail so far is sent or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending)
  }

  /** Gives the mails under way a moment, and then ends the connections. */
  async stop(): Promise<void> {
    const isDone = await Promise.race([
      this.settled().then(() => true),
      delay(STOP_WAIT_MS, undefined, { ref: false }),
    ])
    if (!isDone) this.options.log.error({}, 'mails were not sent before the end')
    this.options.mailer?.close()
  }
}

function mailOf({ kind, email }: Link, url: string): Mail {
  if (kind === 'confirm')
    return {
      to: email,
      subject: 'Confirm your address for Corridor',
      text: text([
        'You, or somebody with your address, signed up for Corridor.',
        'To confirm it, open this link and enter the password you chose:',
        url,
        'It works for an hour. If it was not you, do nothing: without your confirmation there ' +
          'is no account.',
      ]),
    }
  return {
    to: email,
    subject: 'Choose a new password for Corridor',
    text: text([
      'You, or somebody with your address, asked to sign up or for a new password. This address ' +
        'is known to us. To choose a new password, open this link:',
      url,
      'It works once, for an hour, and ends every session. If it was not you, do nothing: your ' +
        'password stays as it is.',
    ]),
  }
}

const text = (paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`
