/** @jsxImportSource preact */

import { EMAIL_LENGTH_MAX } from '~/domain/account.ts'
import type { OwnSession } from '~/domain/person/profile.ts'
import { Field } from '~/portal/form.tsx'
import type { PageRequest, Person } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { narrowPage } from '~/portal/narrow-page.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { RowTable } from '~/portal/row-table.tsx'
import { deviceText } from './device.ts'
import { KnownPassword, NewPassword } from './fields.tsx'

type Props = {
  readonly pageRequest: PageRequest
  readonly person: Person
  readonly sessions: readonly OwnSession[]
  readonly news?: string | undefined
  readonly faults?: ProfileFaults
  /** The address that was sent. */
  readonly email?: string
}

/** Errors of the values that were sent. */
export type ProfileFaults = {
  readonly current?: string
  readonly password?: string
  readonly email?: string
  readonly emailPassword?: string
}

/** The page of a person's own sign-in: password, address, sessions, and what is kept. */
export const profilePage = (props: Props): Page => ({
  title: 'Your profile',
  path: PATHS.profile,
  status: props.faults ? 400 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>Your profile</h1>
        <p class="lead">{props.person.email}</p>
        {props.news && <Notice kind="good">{props.news}</Notice>}
      </div>
      <SecondStep {...props} />
      <Sessions {...props} />
      <div class="stack narrow">
        <Password {...props} />
        <Address {...props} />
        <OwnData />
      </div>
    </div>
  ),
})

const SecondStep = ({ person }: Props) => (
  <section class="stack-tight" aria-labelledby="second-title">
    <h2 id="second-title">Second step of the sign-in</h2>
    <p>
      {person.hasSecondFactor
        ? 'Set up: your password alone is not enough to sign in.'
        : 'Not set up: whoever knows your password can sign in.'}{' '}
      <a href={PATHS.secondFactor}>Passkeys and authenticator app</a>
    </p>
  </section>
)

const Sessions = ({ pageRequest, person, sessions }: Props) => (
  <section class="stack-tight" aria-labelledby="sessions-title">
    <h2 id="sessions-title">Where you are signed in</h2>
    <RowTable
      label="Sessions"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Device',
          cell: ({ id, userAgent }: OwnSession) => (
            <>
              {deviceText(userAgent)} {id === person.sessionId && <span class="tag">this one</span>}
            </>
          ),
        },
        { head: 'Signed in', cell: ({ createdMs }: OwnSession) => <Moment ms={createdMs} /> },
        { head: 'Last used', cell: ({ usedMs }: OwnSession) => <Moment ms={usedMs} /> },
        {
          head: 'Actions',
          label: null,
          class: 'actions',
          cell: ({ id, userAgent }: OwnSession) => (
            <TokenForm
              pageRequest={pageRequest}
              action={PATHS.endSession}
              send={
                <>
                  End<span class="visually-hidden"> {deviceText(userAgent)}</span>
                </>
              }
              look="button button-quiet"
              hidden={{ id }}
            />
          ),
        },
      ]}
    />
    <TokenForm
      pageRequest={pageRequest}
      action={PATHS.endSession}
      send="Sign out everywhere"
      look="button button-quiet"
    />
  </section>
)

const Password = ({ pageRequest, person, faults }: Props) => (
  <section class="stack-tight" aria-labelledby="password-title">
    <h2 id="password-title">Change your password</h2>
    <TokenForm pageRequest={pageRequest} action={PATHS.password} send="Change the password">
      <input type="hidden" name="username" autocomplete="username" value={person.email} />
      <KnownPassword name="current" label="Present password" error={faults?.current} />
      <NewPassword name="password" label="New password" error={faults?.password} />
    </TokenForm>
  </section>
)

const Address = ({ pageRequest, email, faults }: Props) => (
  <section class="stack-tight" aria-labelledby="address-title">
    <h2 id="address-title">Change your address</h2>
    <p>A link goes to the new address; the change takes effect when you open it, signed in.</p>
    <TokenForm pageRequest={pageRequest} action={PATHS.address} send="Send the link">
      <Field
        name="email"
        label="New e-mail address"
        type="email"
        value={email}
        error={faults?.email}
        isRequired
        input={{ autocomplete: 'email', inputMode: 'email', maxLength: EMAIL_LENGTH_MAX }}
      />
      <KnownPassword name="email-password" label="Your password" error={faults?.emailPassword} />
    </TokenForm>
  </section>
)

const OwnData = () => (
  <section class="stack-tight" aria-labelledby="data-title">
    <h2 id="data-title">What is kept of you</h2>
    <p>
      <a href={PATHS.ownData} download="corridor-data.json">
        Download all of it as JSON
      </a>
      . <a href={PATHS.privacy}>Privacy</a> says for how long.
    </p>
    <p>
      <a href={PATHS.deleteAccount}>Delete your account</a>
    </p>
  </section>
)

type Question = { readonly pageRequest: PageRequest; readonly fault?: string }

/** The page that asks whether the account is really to be deleted. */
export const deletePage = ({ pageRequest, fault }: Question): Page =>
  narrowPage({
    title: 'Delete your account?',
    path: PATHS.deleteAccount,
    status: fault ? 400 : 200,
    children: (
      <>
        <p class="lead">It cannot be undone.</p>
        <ul class="bullets">
          <li>Your keys stop working at once, and connected applications are disconnected.</li>
          <li>Your alerts end, and what they sent is deleted.</li>
          <li>Your address, password, passkeys and sessions are deleted.</li>
          <li>
            Prices that you recorded stay, and so do counts of requests; both name only an id that
            no longer leads to you.
          </li>
        </ul>
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.deleteAccount}
          send="Delete the account"
          isDangerous
        >
          <KnownPassword label="Your password" error={fault} />
        </TokenForm>
        <p>
          <a href={PATHS.profile}>Cancel</a>
        </p>
      </>
    ),
  })

/** The page that the link in a mail to a new address leads to. */
export const confirmAddressPage = (pageRequest: PageRequest, link: Link): Page =>
  narrowPage({
    title: pageRequest.words.say('confirm-address.title'),
    path: PATHS.confirmAddress,
    children: (
      <>
        <p class="lead">
          {pageRequest.words.rich('confirm-address.lead', {
            email: <strong dir="auto">{link.address}</strong>,
          })}
        </p>
        <TokenForm
          pageRequest={pageRequest}
          action={PATHS.confirmAddress}
          send={pageRequest.words.say('confirm-address.send')}
          hidden={{ token: link.token }}
        />
        <p>
          <a href={PATHS.profile}>{pageRequest.words.say('form.cancel')}</a>
        </p>
      </>
    ),
  })

type Link = { readonly token: string; readonly address: string }
