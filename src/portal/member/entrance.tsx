import { EMAIL_LENGTH_MAX } from '~/domain/account.ts'
import { Field } from '~/portal/form.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { KnownPassword, NewPassword } from '~/portal/profile/fields.tsx'
import { PasskeySignIn } from '~/portal/profile/passkey.tsx'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { TokenForm } from './token-form.tsx'
import { withWayOn } from './way-on.ts'

const EmailField = ({ email, faults }: Pick<Sent, 'email' | 'faults'>) => (
  <Field
    name="email"
    label={useWords().say('field.email')}
    type="email"
    value={email}
    error={faults?.email}
    isRequired
    input={{ autocomplete: 'username', inputMode: 'email', maxLength: EMAIL_LENGTH_MAX }}
  />
)

type Sent = { email?: string; faults?: Faults }

export type Faults = { readonly email?: string; readonly password?: string }

const statusOf = ({ faults }: Sent): number => (faults ? 400 : 200)

export const signUpPage = ({ say, rich }: Words, sent: Sent = {}): Page =>
  narrowPage({
    title: say('sign-up.title'),
    path: PATHS.signUp,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">{say('sign-up.lead')}</p>
        <TokenForm action={PATHS.signUp} send={say('sign-up.title')}>
          <EmailField {...sent} />
          <NewPassword error={sent.faults?.password} />
        </TokenForm>
        <p>{rich('sign-up.known', { link: linkTo(PATHS.signIn) })}</p>
        <p class="muted small">{rich('sign-up.privacy', { link: linkTo(PATHS.privacy) })}</p>
      </>
    ),
  })

type SignIn = Sent & {
  /** The outcome of a form that led here. */
  said?: string | null | undefined
  /** The path of the page that made the person sign in; empty for none. */
  next: string
  /** The number of requests that a new account has a day. */
  dailyUnits: number
}

export const signInPage = (
  { say, rich }: Words,
  { said, next, dailyUnits, ...sent }: SignIn,
): Page =>
  narrowPage({
    title: say('sign-in.title'),
    path: PATHS.signIn,
    scripts: ['passkey'],
    status: statusOf(sent),
    children: (
      <>
        <Outcome said={said} />
        {next && <p class="lead">{say(`sign-in.${whyHere(next)}`)}</p>}
        <TokenForm action={PATHS.signIn} send={say('sign-in.title')} hidden={next ? { next } : {}}>
          <EmailField {...sent} />
          <KnownPassword error={sent.faults?.password} />
        </TokenForm>
        <PasskeySignIn next={next} />
        <p>
          <a href={PATHS.forgotten}>{say('sign-in.forgotten')}</a>
        </p>
        <p>
          {rich('calls.no-key', { link: linkTo(withWayOn(PATHS.signUp, next)), calls: dailyUnits })}
        </p>
      </>
    ),
  })

const NOTES = ['reset', 'deleted'] as const

function Outcome({ said }: Pick<SignIn, 'said'>) {
  const { say } = useWords()
  if (said === 'passkey') return <Notice kind="bad">{say('sign-in.unknown-passkey')}</Notice>
  const notice = NOTES.find((one) => one === said)
  return notice ? <Notice kind="good">{say(`sign-in-news.${notice}`)}</Notice> : null
}

/** Reason why a person has to sign in first, by the page that required it. */
function whyHere(next: string): 'for-address' | 'for-application' | 'for-alert' {
  if (next.startsWith(PATHS.confirmAddress)) return 'for-address'
  return next.startsWith(PATHS.authorize) ? 'for-application' : 'for-alert'
}

export const mailedPage = ({ say, rich }: Words, isMailed: boolean): Page =>
  narrowPage({
    title: say(isMailed ? 'mailed.title' : 'mailed.title-log'),
    path: PATHS.mailed,
    children: isMailed ? (
      <>
        <p class="lead">{say('mailed.lead')}</p>
        <p class="muted">
          {rich('mailed.nothing', {
            signup: linkTo(PATHS.signUp),
            forgotten: linkTo(PATHS.forgotten),
          })}
        </p>
      </>
    ) : (
      <Notice kind="warn" title={say('mailed.no-mail')}>
        {say('mailed.no-mail-why')}
      </Notice>
    ),
  })

type Link = { token: string; faults?: Faults }

export const confirmPage = (
  { say, rich }: Words,
  { token, email, ...sent }: Link & { email: string },
): Page =>
  narrowPage({
    title: say('confirm.title'),
    path: PATHS.confirm,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">{rich('confirm.lead', { email: <strong dir="auto">{email}</strong> })}</p>
        <TokenForm action={PATHS.confirm} send={say('confirm.send')} hidden={{ token }}>
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <KnownPassword error={sent.faults?.password} />
        </TokenForm>
        <p>{rich('confirm.none', { link: linkTo(PATHS.forgotten) })}</p>
      </>
    ),
  })

export const staleLinkPage = ({ say, rich }: Words, path: string): Page =>
  narrowPage({
    title: say('stale.title'),
    path,
    status: 410,
    children: (
      <p class="lead">
        {rich('stale.lead', { signin: linkTo(PATHS.signIn), forgotten: linkTo(PATHS.forgotten) })}
      </p>
    ),
  })

export const forgottenPage = ({ say }: Words, sent: Sent = {}): Page =>
  narrowPage({
    title: say('forgotten.title'),
    path: PATHS.forgotten,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">{say('forgotten.lead')}</p>
        <TokenForm action={PATHS.forgotten} send={say('forgotten.send')}>
          <EmailField {...sent} />
        </TokenForm>
      </>
    ),
  })

export const resetPage = ({ say }: Words, { token, ...sent }: Link): Page =>
  narrowPage({
    title: say('reset.title'),
    path: PATHS.reset,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">{say('reset.lead')}</p>
        <TokenForm action={PATHS.reset} send={say('reset.send')} hidden={{ token }}>
          <NewPassword label={say('field.new-password')} error={sent.faults?.password} />
        </TokenForm>
      </>
    ),
  })
