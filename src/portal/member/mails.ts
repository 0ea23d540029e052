import type { MailedLink } from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { momentText } from '~/portal/format.ts'
import { PATHS } from '~/portal/paths.ts'
import type { Notice } from '~/service/notices.ts'
import type { Mail } from './mailer.ts'

/** The mail with a link, written out as `url`. */
export function linkMail({ kind, email }: MailedLink, url: string): Mail {
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

/** The mail about an event; `home` is where people reach the pages. */
export function noticeMail(notice: Notice, home: string): Mail {
  const to = notice.email
  const at = momentText(notice.atMs)
  if (notice.kind === 'password')
    return {
      to,
      subject: 'Your new password for Corridor',
      text: text([
        `A new password was set for your account at ${at}. Every session is ended, and so is ` +
          'every link that was mailed before.',
        'If it was you, there is nothing to do. If it was not, somebody else reads your mail: ' +
          'change the password of your mailbox, then choose a new one here:',
        `${home}${PATHS.forgotten}`,
      ]),
    }
  if (notice.kind === 'connection')
    return {
      to,
      subject: 'An application was connected to Corridor',
      text: text([
        `You allowed the application "${notice.name}" to ask Corridor on your account at ${at}.`,
        'If it was not you, disconnect it here and choose a new password:',
        `${home}${PATHS.developer}`,
      ]),
    }
  return {
    to,
    subject: 'A new API key for Corridor',
    text: text([
      `The key "${notice.key.name}" (${keyMark(notice.key)}) was made for your account at ${at}.`,
      'If neither you nor whoever runs the service for you made it, revoke it here and choose a ' +
        'new password:',
      `${home}${PATHS.developer}`,
    ]),
  }
}

const text = (paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`
