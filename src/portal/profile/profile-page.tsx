import type { ComponentChildren } from 'preact'
import { EMAIL_LENGTH_MAX } from '~/domain/account.ts'
import type { OwnSession } from '~/domain/person/profile.ts'
import { Field } from '~/portal/form.tsx'
import type { Person } from '~/portal/member/page-request.tsx'
import { questionPage } from '~/portal/member/question-page.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import { Moment } from '~/portal/moment.tsx'
import { Notice } from '~/portal/notice.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { linkTo, useWords } from '~/portal/words/spoken.tsx'
import type { Words } from '~/portal/words/words.ts'
import { deviceText } from './device.ts'
import { KnownPassword, NewPassword } from './fields.tsx'

type Props = {
  readonly person: Person
  readonly sessions: readonly OwnSession[]
  readonly notice?: string | undefined
  readonly faults?: ProfileFaults
  readonly email?: string
}

export type ProfileFaults = {
  readonly current?: string
  readonly password?: string
  readonly email?: string
  readonly emailPassword?: string
}

/** The page of a person's own sign-in: password, address, sessions, and stored data. */
export const profilePage = ({ say }: Words, props: Props): Page => ({
  title: say('profile.title'),
  path: PATHS.profile,
  status: props.faults ? 400 : 200,
  body: (
    <div class="stack">
      <div class="stack-tight">
        <h1>{say('profile.title')}</h1>
        <p class="lead" dir="auto">
          {props.person.email}
        </p>
        {props.notice && <Notice kind="good">{props.notice}</Notice>}
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

function SecondStep({ person }: Props) {
  const { say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="second-title">
      <h2 id="second-title">{say('second-factor.title')}</h2>
      <p>
        {say(person.hasSecondFactor ? 'profile.second-on' : 'profile.second-off')}{' '}
        <a href={PATHS.secondFactor}>{say('profile.second-link')}</a>
      </p>
    </section>
  )
}

function Sessions({ person, sessions }: Props) {
  const { words, say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{say('profile.sessions')}</h2>
      <RowTable
        label={say('profile.sessions-label')}
        rows={sessions}
        keyOf={({ id }) => id}
        columns={sessionColumns(words, person)}
      />
      <TokenForm
        action={PATHS.endSession}
        send={say('profile.end-all')}
        look="button button-quiet"
      />
    </section>
  )
}

function sessionColumns(words: Words, person: Person): Column<OwnSession>[] {
  const { say } = words
  return [
    {
      head: say('profile.device'),
      cell: ({ id, userAgent }) => (
        <>
          {deviceText(words, userAgent)}{' '}
          {id === person.sessionId && <span class="tag">{say('profile.this-one')}</span>}
        </>
      ),
    },
    { head: say('profile.signed-in'), cell: ({ createdMs }) => <Moment ms={createdMs} /> },
    { head: say('profile.last-used'), cell: ({ usedMs }) => <Moment ms={usedMs} /> },
    {
      head: say('profile.actions'),
      label: null,
      class: 'actions',
      cell: ({ id, userAgent }) => (
        <TokenForm
          action={PATHS.endSession}
          send={
            <>
              {say('profile.end')}
              <span class="visually-hidden"> {deviceText(words, userAgent)}</span>
            </>
          }
          look="button button-quiet"
          hidden={{ id }}
        />
      ),
    },
  ]
}

function Password({ person, faults }: Props) {
  const { say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="password-title">
      <h2 id="password-title">{say('profile.password')}</h2>
      <TokenForm action={PATHS.password} send={say('profile.password-send')}>
        <input type="hidden" name="username" autocomplete="username" value={person.email} />
        <KnownPassword name="current" label={say('profile.password-now')} error={faults?.current} />
        <NewPassword name="password" label={say('field.new-password')} error={faults?.password} />
      </TokenForm>
    </section>
  )
}

function Address({ email, faults }: Props) {
  const { say } = useWords()
  return (
    <section class="stack-tight" aria-labelledby="address-title">
      <h2 id="address-title">{say('profile.address')}</h2>
      <p>{say('profile.address-lead')}</p>
      <TokenForm action={PATHS.address} send={say('forgotten.send')}>
        <Field
          name="email"
          label={say('profile.address-new')}
          type="email"
          value={email}
          error={faults?.email}
          isRequired
          input={{ autocomplete: 'email', inputMode: 'email', maxLength: EMAIL_LENGTH_MAX }}
        />
        <KnownPassword
          name="email-password"
          label={say('field.your-password')}
          error={faults?.emailPassword}
        />
      </TokenForm>
    </section>
  )
}

function OwnData() {
  const { say, rich } = useWords()
  const file = (parts: ComponentChildren[]) => (
    <a href={PATHS.ownData} download="corridor-data.json">
      {parts}
    </a>
  )
  return (
    <section class="stack-tight" aria-labelledby="data-title">
      <h2 id="data-title">{say('profile.kept')}</h2>
      <p>{rich('profile.kept-lead', { file, privacy: linkTo(PATHS.privacy) })}</p>
      <p>
        <a href={PATHS.deleteAccount}>{say('profile.delete')}</a>
      </p>
    </section>
  )
}

/** The page that asks whether the account is really to be deleted. */
export const deletePage = ({ say }: Words, fault?: string): Page =>
  questionPage({
    title: say('profile-delete.title'),
    path: PATHS.deleteAccount,
    status: fault ? 400 : 200,
    form: {
      ...{ action: PATHS.deleteAccount, send: say('profile-delete.send') },
      isDangerous: true,
      children: <KnownPassword label={say('field.your-password')} error={fault} />,
    },
    back: PATHS.profile,
    children: (
      <>
        <p class="lead">{say('profile-delete.lead')}</p>
        <ul class="bullets">
          <li>{say('profile-delete.keys')}</li>
          <li>{say('profile-delete.alerts')}</li>
          <li>{say('profile-delete.person')}</li>
          <li>{say('profile-delete.prices')}</li>
        </ul>
      </>
    ),
  })

type Link = { readonly token: string; readonly address: string }

/** The page that the link in an email to a new address leads to. */
export const confirmAddressPage = ({ say, rich }: Words, { token, address }: Link): Page =>
  questionPage({
    title: say('confirm-address.title'),
    path: PATHS.confirmAddress,
    form: {
      ...{ action: PATHS.confirmAddress, send: say('confirm-address.send') },
      hidden: { token },
    },
    back: PATHS.profile,
    children: (
      <p class="lead">
        {rich('confirm-address.lead', { email: <strong dir="auto">{address}</strong> })}
      </p>
    ),
  })
