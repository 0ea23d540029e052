import { setTimeout as delay } from 'node:timers/promises'
import type { MailedLink } from '~/domain/account.ts'
import type { Log } from '~/log.ts'
import { PATHS, pathIn } from '~/portal/paths.ts'
import { Words } from '~/portal/words/words.ts'
import type { Notice } from '~/service/notices.ts'
import type { Mailer } from './mailer.ts'
import { linkMail, noticeMail } from './mails.ts'

const STOP_WAIT_MS = 2000

/** The maximum number of emails that may be on their way at once; further ones are not sent. */
const MAILS_MAX = 100

type OutboxOptions = {
  /** The mailer; null if no email can be sent, and links go to the log instead. */
  readonly mailer: Mailer | null
  readonly log: Log
  /** The address where people find the service; never taken from a request. */
  readonly home: () => string
  /** The language of the emails of the person with an address; null if none is known. */
  readonly languageOf: (email: string) => Promise<string | null>
}

export class Outbox {
  readonly #sending = new Set<Promise<void>>()

  constructor(private readonly options: OutboxOptions) {}

  post(link: MailedLink): void {
    const { mailer, log, home } = this.options
    const words = Words.forMail(link.language)
    const path = pathIn(words.language, PATHS[link.kind])
    const url = `${home()}${path}?${new URLSearchParams({ token: link.token })}`
    if (!mailer) {
      log.warn({ to: link.email, link: url }, 'SMTP_URL is not set, so this link was not mailed')
      return
    }
    this.#send(async () => mailer.send(linkMail(words, link, url)))
  }

  /** Emails a person about an event, if email can be sent: a notice has no other way. */
  readonly tell = (notice: Notice): void => {
    const { mailer, home, languageOf } = this.options
    if (!mailer) return
    this.#send(async () => {
      const language = notice.language ?? (await languageOf(notice.email))
      return mailer.send(noticeMail(Words.forMail(language), notice, home()))
    })
  }

  #send(send: () => Promise<string>): void {
    const { log } = this.options
    if (this.#sending.size >= MAILS_MAX) {
      log.error({}, 'an email was not sent: too many are queued')
      return
    }
    const sending = send().then(
      () => {},
      (err) => log.error({ err }, 'an email was not sent'),
    )
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  /** Resolves when every email so far is sent or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending)
  }

  /** Waits briefly for emails in progress, then closes the connections. */
  async stop(): Promise<void> {
    const isDone = await Promise.race([
      this.settled().then(() => true),
      delay(STOP_WAIT_MS, undefined, { ref: false }),
    ])
    if (!isDone) this.options.log.error({}, 'emails were not sent before the stop')
    this.options.mailer?.close()
  }
}
