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
  if (kind === 'confirmAddress')
    return {
      to: email,
      subject: 'Confirm your new address for Corridor',
      text: text([
        'You, or another person, entered this address as the new one of a Corridor account.',
        'To confirm it, open this link where you are signed in:',
        url,
        'It works once, for an hour. If it was not you, do nothing: without your confirmation ' +
          'nothing changes.',
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
        `A new password was set for your account at ${at}. Every other session is ended, and so ` +
          'is every link that was mailed before.',
        'If it was you, there is nothing to do. If it was not, somebody else reads your mail: ' +
          'change the password of your mailbox, then choose a new one here:',
        `${home}${PATHS.forgotten}`,
      ]),
    }
  if (notice.kind === 'factor' || notice.kind === 'address' || notice.kind === 'deleted')
    return changeMail(notice, { at, home })
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

type Change = Extract<Notice, { kind: 'factor' | 'address' | 'deleted' }>

/** The mail about a change of the way in. */
function changeMail(notice: Change, { at, home }: { at: string; home: string }): Mail {
  const to = notice.email
  const otherwise = [
    'If it was not you, choose a new password at once, and look at your account:',
    `${home}${PATHS.forgotten}`,
  ]
  if (notice.kind === 'deleted')
    return {
      to,
      subject: 'Your account for Corridor is deleted',
      text: text([
        `Your account was deleted at ${at}. Its keys, alerts and connected applications have ` +
          'ended.',
        `What is left of it is described here: ${home}${PATHS.privacy}`,
      ]),
    }
  if (notice.kind === 'address')
    return {
      to,
      subject: 'Your new address for Corridor',
      text: text([
        `The address of your account became ${notice.to} at ${at}. Mails go there from now on.`,
        ...(to === notice.to
          ? []
          : ['If it was not you, tell whoever runs this service; the new address can say more.']),
      ]),
    }
  return {
    to,
    subject: notice.isAdded
      ? 'A new way to sign in to Corridor'
      : 'A way to sign in to Corridor was removed',
    text: text([
      `Your ${notice.what} was ${notice.isAdded ? 'added to' : 'removed from'} your account at ` +
        `${at}.`,
      ...otherwise,
    ]),
  }
}

const text = (paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`
