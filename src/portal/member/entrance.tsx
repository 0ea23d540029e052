/** @jsxImportSource preact */
import { EMAIL_LENGTH_MAX } from '~/domain/account.ts'
import { Field } from '~/portal/form.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { KnownPassword, NewPassword } from '~/portal/profile/fields.tsx'
import { PasskeySignIn } from '~/portal/profile/passkey.tsx'
import type { PageRequest } from './page-request.tsx'
import { TokenForm } from './token-form.tsx'
import { withWayOn } from './way-on.ts'

const EmailField = ({ email, faults }: Pick<Sent, 'email' | 'faults'>) => (
  <Field
    name="email"
    label="E-mail address"
    type="email"
    value={email}
    error={faults?.email}
    isRequired
    input={{ autocomplete: 'username', inputMode: 'email', maxLength: EMAIL_LENGTH_MAX }}
  />
)

/** The values sent, and what is wrong with them. */
type Sent = { email?: string; faults?: Faults }

type Faults = { readonly email?: string; readonly password?: string }

const statusOf = ({ faults }: Sent): number => (faults ? 400 : 200)

export const signUpPage = (pageRequest: PageRequest, sent: Sent = {}): Page =>
  narrowPage({
    title: 'Sign up',
    path: PATHS.signUp,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">
          An account on the free plan, and your first API key as soon as you have confirmed your
          address.
        </p>
        <TokenForm pageRequest={pageRequest} action={PATHS.signUp} send="Sign up">
          <EmailField {...sent} />
          <NewPassword error={sent.faults?.password} />
        </TokenForm>
        <p>
          Already have an account? <a href={PATHS.signIn}>Sign in</a>
        </p>
        <p class="muted small">
          <a href={PATHS.privacy}>Privacy</a> says what is kept of you.
        </p>
      </>
    ),
  })

type SignIn = Sent & {
  /** The outcome of a form that led here. */
  said?: string | null | undefined
  /** The path of the page that made the person sign in; empty for none. */
  next: string
  /** How many requests a new account has a day. */
  dailyUnits: number
}

export const signInPage = (
  pageRequest: PageRequest,
  { said, next, dailyUnits, ...sent }: SignIn,
): Page =>
  narrowPage({
    title: 'Sign in',
    path: PATHS.signIn,
    scripts: ['passkey'],
    status: statusOf(sent),
    children: (
      <>
        <Outcome said={said} />
        {next && <p class="lead">{whyHere(next)}</p>}
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.signIn}
          send="Sign in"
          hidden={next ? { next } : {}}
        >
          <EmailField {...sent} />
          <KnownPassword error={sent.faults?.password} />
        </TokenForm>
        <PasskeySignIn pageRequest={pageRequest} next={next} />
        <p>
          <a href={PATHS.forgotten}>Forgot your password?</a>
        </p>
        <p>
          No key yet? <a href={withWayOn(PATHS.signUp, next)}>Get one free</a>: {dailyUnits} calls a
          day.
        </p>
      </>
    ),
  })

function Outcome({ said }: Pick<SignIn, 'said'>) {
  if (said === 'passkey')
    return <Notice kind="bad">That passkey is not known here. Sign in another way.</Notice>
  const news = NEWS.get(said)
  return news ? <Notice kind="good">{news}</Notice> : null
}

const NEWS: ReadonlyMap<string | null | undefined, string> = new Map([
  ['reset', 'Your new password is set, and you are signed out everywhere. Sign in with it.'],
  ['deleted', 'Your account is deleted, with its keys, alerts and sessions.'],
])

const ASKED_BY_APPLICATION =
  'An application asks to be connected to your account. Sign in to see which, and what it may do.'

const ASKED_FOR_ALERT =
  'Alerts belong to an account. Sign in, or get an account free, and you come back to yours.'

const ASKED_FOR_ADDRESS = 'To change your address, sign in with your present one.'

function whyHere(next: string): string {
  if (next.startsWith(PATHS.confirmAddress)) return ASKED_FOR_ADDRESS
  return next.startsWith(PATHS.authorize) ? ASKED_BY_APPLICATION : ASKED_FOR_ALERT
}

export const mailedPage = (isMailed: boolean): Page =>
  narrowPage({
    title: isMailed ? 'Check your mail' : 'Ask for your link',
    path: PATHS.mailed,
    children: isMailed ? (
      <>
        <p class="lead">
          If the address is right, a link is on its way to it. It works for an hour.
        </p>
        <p class="muted">
          Nothing arrived? Check your spam folder, or <a href={PATHS.signUp}>sign up</a> or{' '}
          <a href={PATHS.forgotten}>ask for a new password</a> again.
        </p>
      </>
    ) : (
      <Notice kind="warn" title="This service sends no mail">
        No mail server is set up (SMTP_URL). If the address is right, a link that works for an hour
        was written to the log of the service instead; whoever runs it finds it there.
      </Notice>
    ),
  })

type Link = { token: string; faults?: Faults }

export const confirmPage = (
  pageRequest: PageRequest,
  { token, email, ...sent }: Link & { email: string },
): Page =>
  narrowPage({
    title: 'Confirm your address',
    path: PATHS.confirm,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">
          Enter the password that you chose for <strong>{email}</strong>. It shows that this is the
          sign-up you began, and not somebody else's with your address.
        </p>
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.confirm}
          send="Confirm"
          hidden={{ token }}
        >
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <KnownPassword error={sent.faults?.password} />
        </TokenForm>
        <p>
          You did not choose one? <a href={PATHS.forgotten}>Choose a password</a> and the account is
          yours; or do nothing, and nothing happens.
        </p>
      </>
    ),
  })

export const staleLinkPage = (path: string): Page =>
  narrowPage({
    title: 'This link no longer works',
    path,
    status: 410,
    children: (
      <p class="lead">
        It was used already, or is older than an hour. <a href={PATHS.signIn}>Sign in</a> to be sent
        another, or <a href={PATHS.forgotten}>choose a new password</a>.
      </p>
    ),
  })

export const forgottenPage = (pageRequest: PageRequest, sent: Sent = {}): Page =>
  narrowPage({
    title: 'Choose a new password',
    path: PATHS.forgotten,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">We will mail you a link to choose a new password.</p>
        <TokenForm pageRequest={pageRequest} action={PATHS.forgotten} send="Send the link">
          <EmailField {...sent} />
        </TokenForm>
      </>
    ),
  })

export const resetPage = (pageRequest: PageRequest, { token, ...sent }: Link): Page =>
  narrowPage({
    title: 'Your new password',
    path: PATHS.reset,
    status: statusOf(sent),
    children: (
      <>
        <p class="lead">Setting it signs you out everywhere, on other devices too.</p>
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.reset}
          send="Set the password"
          hidden={{ token }}
        >
          <NewPassword label="New password" error={sent.faults?.password} />
        </TokenForm>
      </>
    ),
  })
