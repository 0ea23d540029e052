import { systemClock } from '~/clock.ts'
import type { Key } from '~/domain/account.ts'
import { mailerOf } from '~/portal/member/mailer.ts'
import { noticeMail } from '~/portal/member/mails.ts'
import { Words } from '~/portal/words/words.ts'
import { configOf, type Terminal } from './terminal.ts'

type NewKey = {
  readonly email: string
  /** Says whether the database holds sample prices. */
  readonly isSample: boolean
  /** The language of the person's emails; null if none is known. */
  readonly language: string | null
  readonly key: Pick<Key, 'name' | 'lastFour'>
}

/**
 * Emails the account's person about a key created here, if the settings name a mail server. The key
 * is created whether or not the email is accepted; a failure is only reported.
 */
export async function mailOfKey(
  terminal: Terminal,
  { email, key, isSample, language }: NewKey,
): Promise<void> {
  const config = configOf(terminal)
  const mailer = mailerOf({ ...config, isSample })
  if (!mailer || config.publicUrl === null) return
  const notice = { kind: 'key', email, key, atMs: systemClock.now() } as const
  try {
    await mailer.send(noticeMail(Words.forMail(language), notice, config.publicUrl))
  } catch (error) {
    const { message } = error as Error
    terminal.say(`the key is made, but the mail that tells ${email} of it was not sent: ${message}`)
  } finally {
    mailer.close()
  }
}
