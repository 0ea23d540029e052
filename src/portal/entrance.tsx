/** @jsxImportSource preact */
import { EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '~/domain/account.ts'
import { Field } from './form.tsx'
import { narrowPage } from './narrow-page.tsx'
import { Notice } from './notice.tsx'
import type { Page } from './page.tsx'
import { PATHS } from './paths.ts'
import type { Visit } from './visit.tsx'
import { VisitForm } from './visit-form.tsx'

const EmailField = ({ value }: { value?: string | undefined }) => (
  <Field
    name="email"
    label="E-mail address"
    type="email"
    value={value}
    isRequired
    input={{ autocomplete: 'username', inputMode: 'email', maxLength: EMAIL_LENGTH_MAX }}
  />
)

const KnownPassword = ({ label = 'Password' }: { label?: string }) => (
  <Field
    name="password"
    label={label}
    type="password"
    isRequired
    input={{ autocomplete: 'current-password', maxLength: PASSWORD_LENGTH_MAX }}
  />
)

const NewPassword = ({ label }: { label: string }) => (
  <Field
    name="password"
    label={label}
    type="password"
    hint={`${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters; a few words do well.`}
    isRequired
    input={{
      autocomplete: 'new-password',
      minLength: PASSWORD_LENGTH_MIN,
      maxLength: PASSWORD_LENGTH_MAX,
    }}
  />
)

/** What is wrong with what was sent, or nothing. */
const Complaint = ({ text }: { text: string | null }) =>
  text === null ? null : <Notice kind="bad">{text}</Notice>

type Sent = { complaint?: string | null; email?: string }

export const signUpPage = (visit: Visit, { complaint = null, email }: Sent = {}): Page =>
  narrowPage({
    title: 'Sign up',
    path: PATHS.signUp,
    status: complaint === null ? 200 : 400,
    children: (
      <>
        <p class="lead">
          An account on the free plan, and your first API key as soon as you have confirmed your
          address.
        </p>
        <Complaint text={complaint} />
        <VisitForm visit={visit} action={PATHS.signUp} send="Sign up">
          <EmailField value={email} />
          <NewPassword label="Password" />
        </VisitForm>
        <p>
          You have an account? <a href={PATHS.signIn}>Sign in</a>
        </p>
      </>
    ),
  })

type SignIn = Sent & { isReset?: boolean; status?: number }

export const signInPage = (
  visit: Visit,
  { complaint = null, email, isReset = false }: SignIn = {},
): Page =>
  narrowPage({
    title: 'Sign in',
    path: PATHS.signIn,
    status: complaint === null ? 200 : 400,
    children: (
      <>
        {isReset && (
          <Notice kind="good">
            Your new password holds from now on, and every session is ended. Sign in with it.
          </Notice>
        )}
        <Complaint text={complaint} />
        <VisitForm visit={visit} action={PATHS.signIn} send="Sign in">
          <EmailField value={email} />
          <KnownPassword />
        </VisitForm>
        <p>
          <a href={PATHS.forgotten}>Forgot your password?</a>
        </p>
        <p>
          No account yet? <a href={PATHS.signUp}>Sign up</a>
        </p>
      </>
    ),
  })

export const mailedPage = (isMailed: boolean): Page =>
  narrowPage({
    title: 'Look at your mail',
    path: PATHS.mailed,
    children: (
      <>
        <p class="lead">
          If the address is right, a link is on its way to it. It works for an hour.
        </p>
        {!isMailed && (
          <Notice kind="warn" title="This service sends no mail">
            No mail server is set up (SMTP_URL), so the link was written to the log of the service
            instead. Whoever runs it finds it there.
          </Notice>
        )}
        <p class="muted">
          Nothing came? Look among the spam, or <a href={PATHS.signUp}>sign up</a> or{' '}
          <a href={PATHS.forgotten}>ask for a new password</a> again.
        </p>
      </>
    ),
  })

type Link = { token: string; complaint?: string | null }

export const confirmPage = (
  visit: Visit,
  { token, email, complaint = null }: Link & { email: string },
): Page =>
  narrowPage({
    title: 'Confirm your address',
    path: PATHS.confirm,
    status: complaint === null ? 200 : 400,
    children: (
      <>
        <p class="lead">
          Enter the password that you chose for <strong>{email}</strong>. It shows that this is the
          sign-up you began, and not somebody else's with your address.
        </p>
        <Complaint text={complaint} />
        <VisitForm visit={visit} action={PATHS.confirm} send="Confirm" hidden={{ token }}>
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <KnownPassword />
        </VisitForm>
        <p>
          You did not choose one? <a href={PATHS.forgotten}>Choose a password</a> and the account is
          yours; or do nothing, and nothing happens.
        </p>
      </>
    ),
  })

export const staleLinkPage = (path: string): Page =>
  narrowPage({
    title: 'This link is no longer good',
    path,
    status: 410,
    children: (
      <p class="lead">
        It was used already, or is older than an hour. <a href={PATHS.signIn}>Sign in</a> to be sent
        another, or <a href={PATHS.forgotten}>choose a new password</a>.
      </p>
    ),
  })

export const forgottenPage = (visit: Visit, { complaint = null, email }: Sent = {}): Page =>
  narrowPage({
    title: 'Choose a new password',
    path: PATHS.forgotten,
    status: complaint === null ? 200 : 400,
    children: (
      <>
        <p class="lead">We mail you a link by which you can choose a new password.</p>
        <Complaint text={complaint} />
        <VisitForm visit={visit} action={PATHS.forgotten} send="Send the link">
          <EmailField value={email} />
        </VisitForm>
      </>
    ),
  })

export const resetPage = (visit: Visit, { token, complaint = null }: Link): Page =>
  narrowPage({
    title: 'Your new password',
    path: PATHS.reset,
    status: complaint === null ? 200 : 400,
    children: (
      <>
        <p class="lead">It ends every session that is open, also those on other devices.</p>
        <Complaint text={complaint} />
        <VisitForm visit={visit} action={PATHS.reset} send="Set the password" hidden={{ token }}>
          <NewPassword label="New password" />
        </VisitForm>
      </>
    ),
  })
