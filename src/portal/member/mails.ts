import type { MailedLink } from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { PATHS } from '~/portal/paths.ts'
import type { MessageKey, Words } from '~/portal/words/words.ts'
import type { Notice } from '~/service/notices.ts'
import type { Mail } from './mailer.ts'

const LINKS = {
  confirm: ['mail.confirm-subject', 'mail.confirm', 'mail.confirm-end'],
  confirmAddress: ['mail.address-subject', 'mail.address', 'mail.address-end'],
  reset: ['mail.reset-subject', 'mail.reset', 'mail.reset-end'],
} as const satisfies Record<MailedLink['kind'], readonly MessageKey[]>

/** The mail with a link, written out as `url`. */
export function linkMail({ say }: Words, { kind, email }: MailedLink, url: string): Mail {
  const [subject, before, after] = LINKS[kind]
  return { to: email, subject: say(subject), text: paragraphs(say(before), url, say(after)) }
}

/** The mail about an event; `home` is where people reach the pages. */
export function noticeMail(words: Words, notice: Notice, home: string): Mail {
  const { say } = words
  const to = notice.email
  const at = words.momentText(notice.atMs)
  switch (notice.kind) {
    case 'password':
      return {
        to,
        subject: say('mail.password-subject'),
        text: paragraphs(
          say('mail.password', { at }),
          say('mail.password-otherwise'),
          `${home}${PATHS.forgotten}`,
        ),
      }
    case 'connection':
      return {
        to,
        subject: say('mail.connection-subject'),
        text: paragraphs(
          say('mail.connection', { name: notice.name, at }),
          say('mail.connection-otherwise'),
          `${home}${PATHS.developer}`,
        ),
      }
    case 'key':
      return {
        to,
        subject: say('mail.key-subject'),
        text: paragraphs(
          say('mail.key', { name: notice.key.name, mark: keyMark(notice.key), at }),
          say('mail.key-otherwise'),
          `${home}${PATHS.developer}`,
        ),
      }
    default:
      return changeMail(words, notice, { at, home })
  }
}

type Change = Extract<Notice, { kind: 'factor' | 'address' | 'deleted' }>

/** The mail about a change of the way in. */
function changeMail({ say }: Words, notice: Change, { at, home }: { at: string; home: string }) {
  const to = notice.email
  if (notice.kind === 'deleted')
    return {
      to,
      subject: say('mail.deleted-subject'),
      text: paragraphs(
        say('mail.deleted', { at }),
        say('mail.deleted-left', { link: `${home}${PATHS.privacy}` }),
      ),
    }
  if (notice.kind === 'address') {
    const changed = say('mail.changed', { address: notice.to, at })
    const text =
      to === notice.to ? paragraphs(changed) : paragraphs(changed, say('mail.changed-not'))
    return { to, subject: say('mail.changed-subject'), text }
  }
  const what = say(notice.what === 'passkey' ? 'mail.passkey' : 'mail.app')
  return {
    to,
    subject: say(notice.isAdded ? 'mail.factor-added-subject' : 'mail.factor-removed-subject'),
    text: paragraphs(
      say(notice.isAdded ? 'mail.factor-added' : 'mail.factor-removed', { what, at }),
      say('mail.factor-otherwise'),
      `${home}${PATHS.forgotten}`,
    ),
  }
}

const paragraphs = (...texts: readonly string[]): string => `${texts.join('\n\n')}\n`
