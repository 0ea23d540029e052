import type { MailedLink } from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { PATHS, pathIn } from '~/portal/paths.ts'
import type { MessageKey, Words } from '~/portal/words/words.ts'
import type { Notice } from '~/service/notices.ts'
import type { Mail } from './mailer.ts'

const LINKS = {
  confirm: ['mail.confirm-subject', 'mail.confirm', 'mail.confirm-end'],
  confirmAddress: ['mail.address-subject', 'mail.address', 'mail.address-end'],
  subscribe: ['mail.subscribe-subject', 'mail.subscribe', 'mail.subscribe-end'],
  reset: ['mail.reset-subject', 'mail.reset', 'mail.reset-end'],
} as const satisfies Record<MailedLink['kind'], readonly MessageKey[]>

/** The email with a link, written out as `url`. */
export function linkMail(
  { say, language }: Words,
  { kind, email, about = '' }: MailedLink,
  url: string,
): Mail {
  const [subject, before, after] = LINKS[kind]
  const text = paragraphs(say(before, { about }), url, say(after))
  return { to: email, language, subject: say(subject), text }
}

/** The email about an event; `home` is the address of the pages. */
export function noticeMail(words: Words, notice: Notice, home: string): Mail {
  return { to: notice.email, language: words.language, ...noticeText(words, notice, home) }
}

type Text = Pick<Mail, 'subject' | 'text'>

function noticeText(words: Words, notice: Notice, home: string): Text {
  const { say } = words
  const linkTo = (path: string) => home + pathIn(words.language, path)
  const at = words.momentText(notice.atMs)
  switch (notice.kind) {
    case 'password':
      return {
        subject: say('mail.password-subject'),
        text: paragraphs(
          say('mail.password', { at }),
          say('mail.password-otherwise'),
          linkTo(PATHS.forgotten),
        ),
      }
    case 'connection':
      return {
        subject: say('mail.connection-subject'),
        text: paragraphs(
          say('mail.connection', { name: notice.name, at }),
          say('mail.connection-otherwise'),
          linkTo(PATHS.developer),
        ),
      }
    case 'key':
      return {
        subject: say('mail.key-subject'),
        text: paragraphs(
          say('mail.key', { name: notice.key.name, mark: keyMark(notice.key), at }),
          say('mail.key-otherwise'),
          linkTo(PATHS.developer),
        ),
      }
    default:
      return changeMail(words, notice, { at, linkTo })
  }
}

type Occasion = { readonly at: string; linkTo(path: string): string }

type Change = Extract<Notice, { kind: 'factor' | 'address' | 'deleted' }>

function changeMail({ say }: Words, notice: Change, { at, linkTo }: Occasion): Text {
  if (notice.kind === 'deleted')
    return {
      subject: say('mail.deleted-subject'),
      text: paragraphs(
        say('mail.deleted', { at }),
        say('mail.deleted-left', { link: linkTo(PATHS.privacy) }),
      ),
    }
  if (notice.kind === 'address') {
    const changed = say('mail.changed', { address: notice.to, at })
    const text =
      notice.email === notice.to
        ? paragraphs(changed)
        : paragraphs(changed, say('mail.changed-not'))
    return { subject: say('mail.changed-subject'), text }
  }
  const what = say(notice.what === 'passkey' ? 'mail.passkey' : 'mail.app')
  return {
    subject: say(notice.isAdded ? 'mail.factor-added-subject' : 'mail.factor-removed-subject'),
    text: paragraphs(
      say(notice.isAdded ? 'mail.factor-added' : 'mail.factor-removed', { what, at }),
      say('mail.factor-otherwise'),
      linkTo(PATHS.forgotten),
    ),
  }
}

const paragraphs = (...texts: readonly string[]): string => `${texts.join('\n\n')}\n`
